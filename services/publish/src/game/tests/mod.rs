mod outcomes;
mod rooms;
mod sayings;
