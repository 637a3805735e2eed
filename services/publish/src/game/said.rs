//! Which names have been said.

use std::collections::BTreeSet;

use protocol::SendKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The names of everything a game ever said. A long game says thousands of things, so 64 bits
/// of a hash stand for each: two names of one game that share them will not be met.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Said(BTreeSet<u64>);

impl Said {
    /// Adds a name; true when it is new.
    pub fn insert(&mut self, key: &SendKey) -> bool {
        let digest: [u8; 32] = Sha256::digest(key.0.as_bytes()).into();
        let (head, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
        self.0.insert(u64::from_be_bytes(*head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_new_once() {
        let mut said = Said::default();
        for n in 0..1000 {
            let key = SendKey(format!("1-1/notice/{n}"));
            assert!(said.insert(&key), "{n}");
            assert!(!said.insert(&key), "{n}");
        }
    }
}
