//! End to end: the real binary, played through the playground's OneBot side by scripted people
//! who read only what their chats show, or through a chat side of the test's own.

mod bad_input;
mod bots;
mod browser;
mod chrome;
mod cluster_site;
mod deadlines;
mod door;
mod embedded;
mod faults;
mod faults_of_chat;
mod faults_of_cluster;
mod follow;
mod game;
mod people;
mod side;
mod site;
mod trial;
mod troubles_of_cluster;
mod whole_game;
mod wire;
