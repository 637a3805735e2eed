//! The scripts. Each runs whole and alone on the server, over keys of one shard.

use std::sync::LazyLock;

use redis::Script;

macro_rules! scripts {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $(
            $(#[$doc])*
            pub(super) static $name: LazyLock<Script> =
                LazyLock::new(|| Script::new(include_str!($file)));
        )*
    };
}

scripts! {
    /// Takes a step.
    COMMIT = "commit.lua";
    /// Reads an aggregate.
    LOAD = "load.lua";
    /// Keeps a snapshot between steps.
    KEEP = "keep.lua";
    /// Gives an outbox to a relay.
    LEASE = "lease.lua";
    /// Takes it back.
    RELEASE = "release.lua";
    /// Forgets what was sent.
    SENT = "sent.lua";
    /// Puts an aggregate away.
    RETIRE = "retire.lua";
}
