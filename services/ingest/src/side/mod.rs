//! Connections to chat sides, whichever end began them.

mod calls;
mod forward;
mod hub;
mod link;
mod reverse;

pub(crate) use calls::Called;
pub(crate) use forward::keep_connected;
pub(crate) use hub::{AccountSide, Floor, Hub, Links, SideState};
pub(crate) use link::{Link, LinkEvent};
pub(crate) use reverse::routes;
