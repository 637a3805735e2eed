//! Access tokens.

use std::hint::black_box;

/// The token of an `Authorization` header. An empty one equals none.
pub fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(char::is_whitespace)?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Are two secrets the same? The time it takes depends on the length of `given` only, not on how
/// much of it is right.
pub fn same_secret(expected: &str, given: &str) -> bool {
    let expected = expected.as_bytes();
    let mut difference = expected.len() ^ given.len();
    for (at, byte) in given.bytes().enumerate() {
        // Past the end any byte will do: the lengths differ already.
        let other = expected.get(at).copied().unwrap_or(0);
        difference |= usize::from(black_box(byte ^ other));
    }
    black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bearer_in_any_case() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc "), Some("abc"));
        assert_eq!(bearer("Bearer "), None);
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer(""), None);
    }

    #[test]
    fn only_equal_secrets_are_the_same() {
        assert!(same_secret("abc", "abc"));
        for wrong in ["", "ab", "abd", "abcd", "abc\0", "xbc"] {
            assert!(!same_secret("abc", wrong), "{wrong:?}");
        }
        assert!(!same_secret("", "a"));
    }
}
