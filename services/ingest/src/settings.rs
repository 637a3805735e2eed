//! What an operator, or the playground, decides about the bridge.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::Duration;

use kit::Config;
use kit::config::Secret;
use protocol::{AccountId, ChatGroup, UserId};
use texts::Texts;

/// The settings of the bridge.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The token that chat sides must show. Without one no real side is let in.
    pub access_token: Option<Secret>,
    /// Addresses (`ws://host:3001`) of sides that we connect to.
    pub forward: Vec<String>,
    /// Who may direct games, and which groups are in the pool, on every account without an entry
    /// in `accounts`.
    pub people: People,
    /// Accounts with people of their own: chat ids of one account mean nothing on another.
    pub accounts: HashMap<AccountId, OwnAccount>,
    /// How fast to speak on real accounts.
    pub pace: Pace,
    /// Sizes and times.
    pub limits: Limits,
    /// What is said.
    pub texts: Texts,
}

/// The people and groups of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct People {
    /// Who may open games.
    pub directors: Vec<UserId>,
    /// The groups of the pool.
    pub pool: Vec<ChatGroup>,
}

/// An account that brings its own token and people: the playground's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAccount {
    /// The token that opens this account and no other. No other token opens it.
    pub token: Secret,
    /// Its people.
    pub people: People,
    /// Games on it are dealt from this instead of from chance: whoever knows it knows every card.
    pub dice: Option<Secret>,
}

/// How fast to speak: a bucket for the account and one for each group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// One message of the account in this time, in the long run.
    pub account: Duration,
    /// So many messages of the account at once.
    pub burst: u32,
    /// One message to a group in this time.
    pub group: Duration,
}

impl Pace {
    /// So many messages of the account in a minute, two thirds of that to one group.
    pub fn per_minute(messages: NonZeroU32) -> Self {
        let account = Duration::from_secs(60) / messages.get();
        Self {
            account,
            burst: 5,
            group: account * 3 / 2,
        }
    }
}

/// The same as [`Limits::settle`] on accounts of their own: their history shows at once what was
/// said, except what a connection that broke off had still on its way.
const OWN_SETTLE: Duration = Duration::from_millis(200);

impl Default for Pace {
    fn default() -> Self {
        Self {
            account: Duration::from_secs(1),
            burst: 5,
            group: Duration::from_millis(1500),
        }
    }
}

/// Sizes and times of the bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest frame, in bytes; a longer one ends its connection.
    pub frame: usize,
    /// For the whole round trip of a call.
    pub call: Duration,
    /// After an unclear send of which history shows nothing, before it is asked again; twice.
    pub settle: Duration,
    /// Between two signs of life, and between two watermarks.
    pub beat: Duration,
    /// A connection without any frame for so long is dead.
    pub silence: Duration,
    /// Before the first try to connect again; grows to `reconnect_most`.
    pub reconnect: Duration,
    /// The longest wait between tries to connect.
    pub reconnect_most: Duration,
    /// The first pause after a refusal in a muted group; doubles up to twenty times that.
    pub muted: Duration,
    /// Messages in one page of history.
    pub page: u32,
    /// In this time the newest of each game's groups is compared once with what was heard.
    pub compare: Duration,
    /// After so long without anything happening in chat, the side is asked how it is.
    pub quiet: Duration,
    /// Directors are told of an absence that has lasted so long.
    pub absence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame: 16 * 1024 * 1024,
            call: Duration::from_secs(20),
            settle: Duration::from_millis(1500),
            beat: Duration::from_secs(1),
            silence: Duration::from_secs(45),
            reconnect: Duration::from_secs(1),
            reconnect_most: Duration::from_secs(60),
            muted: Duration::from_secs(30),
            page: 50,
            compare: Duration::from_secs(180),
            quiet: Duration::from_secs(60),
            absence: Duration::from_secs(60),
        }
    }
}

impl Settings {
    /// The settings of a configuration. Accounts of their own are added by whoever has them.
    pub fn of(config: &Config, texts: Texts) -> Self {
        Self {
            access_token: config.onebot.access_token.clone(),
            forward: config.onebot.forward.clone(),
            people: People {
                directors: config.directors.users.clone(),
                pool: config.groups.pool.clone(),
            },
            pace: Pace::per_minute(config.onebot.messages_per_minute),
            texts,
            ..Self::bare()
        }
    }

    /// Settings with nobody and nothing in them: no token, no side, built-in texts.
    pub fn bare() -> Self {
        Self {
            access_token: None,
            forward: Vec::new(),
            people: People::default(),
            accounts: HashMap::new(),
            pace: Pace::default(),
            limits: Limits::default(),
            texts: Texts::builtin(),
        }
    }

    /// Who is who on an account.
    pub fn people(&self, account: AccountId) -> &People {
        self.accounts
            .get(&account)
            .map_or(&self.people, |own| &own.people)
    }

    /// The token that opens an account; `None`: nothing does.
    pub fn token(&self, account: AccountId) -> Option<&str> {
        let own = self.accounts.get(&account).map(|own| &own.token);
        own.or(self.access_token.as_ref()).map(Secret::reveal)
    }

    /// What games on an account are dealt from; `None`: from chance.
    pub fn dice(&self, account: AccountId) -> Option<&str> {
        let own = self.accounts.get(&account)?;
        own.dice.as_ref().map(Secret::reveal)
    }

    /// How long an unclear send may take to show in history.
    pub fn settle(&self, account: AccountId) -> Duration {
        if self.accounts.contains_key(&account) {
            self.limits.settle.min(OWN_SETTLE)
        } else {
            self.limits.settle
        }
    }

    /// How fast to speak on an account; `None`: as fast as one can.
    pub fn pace(&self, account: AccountId) -> Option<Pace> {
        (!self.accounts.contains_key(&account)).then_some(self.pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_pace_is_that_of_the_built_in_configuration() {
        let settings = Settings::of(&Config::default(), Texts::builtin());
        assert_eq!(settings.pace, Pace::default());
    }

    #[test]
    fn accounts_share_neither_people_nor_tokens() {
        let (real, own) = (AccountId(1), AccountId(2));
        let mut settings = Settings::bare();
        assert_eq!(settings.token(real), None);
        settings.access_token = Some(Secret::new("real"));
        settings.people.directors = vec![UserId(5)];
        let people = People {
            directors: vec![UserId(6)],
            pool: vec![ChatGroup(7)],
        };
        let token = Secret::new("own");
        let dice = None;
        let own_account = OwnAccount {
            token,
            people,
            dice,
        };
        settings.accounts.insert(own, own_account);
        assert_eq!(
            (settings.token(real), settings.token(own)),
            (Some("real"), Some("own"))
        );
        assert_eq!(settings.people(real).directors, [UserId(5)]);
        assert_eq!(settings.people(own).directors, [UserId(6)]);
        assert_eq!(settings.pace(own), None);
        assert!(settings.pace(real).is_some());
        assert!(settings.settle(own) < settings.settle(real));
        assert!(!format!("{settings:?}").contains("real"));
    }
}
