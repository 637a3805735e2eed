//! The bridge against a scripted chat side, over real connections.

mod doors;
mod fake;
mod friends;
mod hearing;
mod presence;
mod rig;
mod sending;
