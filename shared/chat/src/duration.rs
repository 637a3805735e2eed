//! Spans of time as people write them.

use crate::tokens::fold;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Nobody puts a game off longer than this: 60 days.
const LONGEST: u64 = 60 * DAY;

/// Words for units; longer ones before their own beginnings.
const UNITS: [(&str, u64); 15] = [
    ("个小时", HOUR),
    ("小时", HOUR),
    ("钟头", HOUR),
    ("分钟", MINUTE),
    ("秒钟", SECOND),
    ("min", MINUTE),
    ("天", DAY),
    ("日", DAY),
    ("时", HOUR),
    ("分", MINUTE),
    ("秒", SECOND),
    ("d", DAY),
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
];

/// Milliseconds of `30` (minutes), `30分钟`, `半小时`, `1小时30分`, `一天`, `1.5h`; `None` when
/// it is no span, or none longer than nothing and no longer than 60 days.
pub(crate) fn milliseconds(text: &str) -> Option<u64> {
    let folded = fold(text);
    let mut rest = folded.as_str();
    let mut total: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (thousandths, after) = amount(rest)?;
        let (unit, after) = unit(after)?;
        total = total.checked_add(thousandths.checked_mul(unit)? / 1000)?;
        rest = after.trim_start();
    }
    (1..=LONGEST).contains(&total).then_some(total)
}

/// A number in thousandths, and what follows it.
fn amount(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('半') {
        return Some((500, rest.strip_prefix('个').unwrap_or(rest)));
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    if end == 0 {
        let digit = text.chars().next()?;
        let value = chinese_digit(digit)?;
        return Some((value * 1000, &text[digit.len_utf8()..]));
    }
    Some((thousandths(&text[..end])?, &text[end..]))
}

/// `1.5` as 1500.
pub(crate) fn thousandths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(part) || part.len() > 3 || whole.len() > 9 {
        return None;
    }
    let part: u64 = format!("{part:0<3}").parse().ok()?;
    Some(whole.parse::<u64>().ok()? * 1000 + part)
}

fn unit(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    if text.is_empty() {
        return Some((MINUTE, text));
    }
    UNITS
        .iter()
        .find_map(|(word, span)| text.strip_prefix(word).map(|rest| (*span, rest)))
}

fn chinese_digit(digit: char) -> Option<u64> {
    let place = "零一二三四五六七八九十".chars().position(|c| c == digit);
    if digit == '两' {
        Some(2)
    } else {
        place.and_then(|place| u64::try_from(place).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (text, minutes) in [
            ("30", 30),
            ("30分钟", 30),
            ("30 分", 30),
            ("90m", 90),
            ("半小时", 30),
            ("半个小时", 30),
            ("1小时30分", 90),
            ("1.5h", 90),
            ("两小时", 120),
            ("一天", 1440),
            ("２天", 2880),
            ("1个小时", 60),
        ] {
            assert_eq!(milliseconds(text), Some(minutes * MINUTE), "{text}");
        }
        assert_eq!(milliseconds("90秒"), Some(90 * SECOND));
    }

    #[test]
    fn no_spans() {
        for text in [
            "",
            "甲",
            "0",
            "-5",
            "1.2345",
            "61天",
            "99999999999",
            "5x",
            "小时",
            ".",
            "1..2",
        ] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
