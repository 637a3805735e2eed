//! How far a scene has been followed.

use std::time::Duration;

use tokio::time::Instant;

/// How far a scene's sequence has been followed.
#[derive(Default)]
pub(super) struct Track {
    /// The highest sequence number that was seen.
    pub(super) last: Option<u64>,
    /// The chat time up to which the scene's history was last read.
    pub(super) read_upto: Option<i64>,
    /// Looks for missing messages that have found none, one after the other.
    vain: u32,
    looked: Option<Instant>,
}

impl Track {
    /// After so many vain looks the sequence is taken as full of holes (recalled messages make
    /// some), and is looked into now and then only.
    const MOST_VAIN: u32 = 5;
    const NOW_AND_THEN: Duration = Duration::from_secs(10);

    /// Is it worth a look whether messages are missing?
    pub(super) fn may_look(&self) -> bool {
        self.vain < Self::MOST_VAIN
            || self
                .looked
                .is_none_or(|looked| looked.elapsed() >= Self::NOW_AND_THEN)
    }

    /// A look has been taken; it has found messages, or none.
    pub(super) fn has_looked(&mut self, found: bool) {
        self.vain = if found { 0 } else { self.vain + 1 };
        self.looked = Some(Instant::now());
    }
}
