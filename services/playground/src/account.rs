//! The numbers that the stand-in sets aside: its account, its directors, its pool of groups.

use protocol::{AccountId, ChatGroup, UserId};

/// The account that the bot speaks with. No real account has so small a number.
const ACCOUNT: u64 = 9_000;
const FIRST_DIRECTOR: u64 = 10_001;
const FIRST_POOL_GROUP: u64 = 700_001;

/// How many people may direct, and how many games with two private groups each can run at once.
pub const GAMES: u64 = 256;

/// The account that the stand-in lends to Duskgate.
pub fn account() -> AccountId {
    AccountId(ACCOUNT)
}

/// The people who may direct games on [`account`].
pub fn directors() -> impl Iterator<Item = UserId> + Clone {
    (0..GAMES).map(|nth| UserId(FIRST_DIRECTOR + nth))
}

/// The groups for private groups of games, which the bot owns.
pub fn pool() -> impl Iterator<Item = ChatGroup> + Clone {
    (0..2 * GAMES).map(|nth| ChatGroup(FIRST_POOL_GROUP + nth))
}

/// The bot as one of the people of this world.
pub(crate) fn bot() -> UserId {
    UserId(ACCOUNT)
}
