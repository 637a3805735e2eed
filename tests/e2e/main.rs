//! End to end: the real binary, played through the playground's OneBot side by scripted people
//! who read only what their chats show.

mod faults;
mod game;
mod people;
mod site;
mod whole_game;
