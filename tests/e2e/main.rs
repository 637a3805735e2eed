//! End to end: the real binary, played through the playground's OneBot side by scripted people
//! who read only what their chats show, or through a chat side of the test's own.

mod bad_input;
mod bots;
mod browser;
mod chrome;
mod deadlines;
mod door;
mod faults;
mod faults_of_chat;
mod game;
mod people;
mod side;
mod site;
mod trial;
mod whole_game;
mod wire;
