//! The bridge: chat in, chat out.
//!
//! [`Bridge`] speaks `OneBot` v11 with any number of chat sides, each of which has an account.
//! What people say becomes typed lines for the games; what the games say is sent, in order, at a
//! pace that the platform bears, and never twice.
//!
//! Invariants: an event is handled once, also when it comes again, from history or in another
//! form. A private text leaves in a private send without a group id or not at all. A send whose
//! outcome is unclear is looked up in history before anything is sent again. A watermark says
//! only what is true: everything before it is on the bus.

mod account;
mod authors;
mod bridge;
mod floor;
mod history;
mod input;
mod listener;
mod pace;
mod sender;
mod settings;
mod side;
mod talk;
mod verify;
mod watermark;

pub use account::{Account, After, Env, Job, Lane, Point, Task, account_of, key};
pub use bridge::Bridge;
pub use input::{FriendAsked, FriendDoor, Heard, Input, News};
pub use settings::{Limits, OwnAccount, Pace, People, Settings};

/// Runs the bridge until its parts' shutdown token is cancelled. For sides that connect to us,
/// make a [`Bridge`] and add its [`Bridge::routes`] to an HTTP server as well.
pub async fn run(parts: kit::Parts, settings: Settings) -> anyhow::Result<()> {
    Bridge::new(parts, settings).run().await
}
