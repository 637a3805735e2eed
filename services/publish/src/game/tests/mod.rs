mod delivery;
mod outcomes;
mod rooms;
mod sayings;
