//! The engine under random play: properties, secrecy, snapshots.

mod found;
mod properties;
mod secrecy;
mod snapshots;
