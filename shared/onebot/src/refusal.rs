//! Why a side refused for certain: the numbers and texts seen in the wild.

/// A definite refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Neither friends nor a temporary chat: results 16, 102, 103.
    NotReachable,
    /// Muted, the whole group muted, or risk control: result 120.
    Muted,
    /// No longer in the group: result 110.
    Removed,
    /// The right is missing (owner, administrator).
    NoRight,
    /// The request's flag is not known any more.
    StaleRequest,
    /// The other side does not have this action.
    Unsupported,
    /// The token is wrong or missing.
    Auth,
    /// Bad parameters, a person who is not there, and the like.
    Other,
}

/// Classifies a failed answer by number and words; `None`: nobody knows whether it was done.
pub(crate) fn classify(retcode: i64, words: &str) -> Option<Refusal> {
    by_result(words)
        .or_else(|| by_words(words))
        .or_else(|| by_retcode(retcode, words))
}

/// The platform's own result number, as NapCat-likes print it into the text.
fn by_result(words: &str) -> Option<Refusal> {
    match result_number(words)? {
        110 => Some(Refusal::Removed),
        120 => Some(Refusal::Muted),
        16 | 102 | 103 => Some(Refusal::NotReachable),
        120_101_005 => Some(Refusal::NoRight),
        _ => None,
    }
}

fn result_number(words: &str) -> Option<i64> {
    let (_, behind) = words.split_once("\"result\"")?;
    let digits = behind.trim_start_matches([':', ' ', '"']);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().ok()
}

fn by_words(words: &str) -> Option<Refusal> {
    const TABLE: [(&str, Refusal); 8] = [
        ("ERR_NOT_GROUP_ADMIN", Refusal::NoRight),
        ("120101005", Refusal::NoRight),
        ("cannot ban owner", Refusal::NoRight),
        ("cannot ban admin", Refusal::NoRight),
        ("No such request", Refusal::StaleRequest),
        ("user not in group", Refusal::Other),
        ("已被移出该群", Refusal::Removed),
        ("DURATION_IS_NOT_IN_RANGE", Refusal::Other),
    ];
    TABLE
        .iter()
        .find(|(clue, _)| words.contains(clue))
        .map(|(_, refusal)| *refusal)
}

fn by_retcode(retcode: i64, words: &str) -> Option<Refusal> {
    // A time-out says nothing about the outcome, whatever its number.
    if words.contains("Timeout") {
        return None;
    }
    match retcode {
        1404 | 404 => Some(Refusal::Unsupported),
        1401 | 1403 | 401 | 403 => Some(Refusal::Auth),
        1400 | 400 => Some(Refusal::Other),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_numbers_and_words() {
        let result = |n: i64| format!("EventChecker Failed: EventRet:\n{{\n \"result\": {n},\n}}");
        let cases: [(i64, String, Option<Refusal>); 19] = [
            (200, result(110), Some(Refusal::Removed)),
            (1200, result(120), Some(Refusal::Muted)),
            (1200, result(16), Some(Refusal::NotReachable)),
            (1200, result(102), Some(Refusal::NotReachable)),
            (1200, result(103), Some(Refusal::NotReachable)),
            (1200, result(120_101_005), Some(Refusal::NoRight)),
            (1200, result(1_006_514), None),
            (1200, format!("Timeout: {}", result(0)), None),
            (1400, "Timeout: NTEvent".into(), None),
            (1200, "ERR_NOT_GROUP_ADMIN".into(), Some(Refusal::NoRight)),
            (1200, "No such request".into(), Some(Refusal::StaleRequest)),
            (1200, "user not in group".into(), Some(Refusal::Other)),
            (
                1200,
                "cannot ban owner/admin".into(),
                Some(Refusal::NoRight),
            ),
            (1404, "不支持的API foo".into(), Some(Refusal::Unsupported)),
            (404, String::new(), Some(Refusal::Unsupported)),
            (1403, "token验证失败".into(), Some(Refusal::Auth)),
            (1400, "bad params".into(), Some(Refusal::Other)),
            (100, "SEND_MSG_API_ERROR".into(), None),
            (35000, "Obtain msg failed".into(), None),
        ];
        for (retcode, words, expected) in cases {
            assert_eq!(classify(retcode, &words), expected, "{retcode} {words}");
        }
    }
}
