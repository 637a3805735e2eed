//! CQ strings: `text[CQ:type,key=value,…]text`. Read only; what we send is always an array, so
//! that no typed text can become markup. Writing exists for tools and the playground.

use serde_json::{Map, Value};

use crate::message::{Message, Segment};

const OPEN: &str = "[CQ:";

/// Reads a CQ string. A code that is not closed, or has no type, is text.
pub fn parse(text: &str) -> Message {
    let mut segments = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let (before, code) = rest.split_at(start);
        plain.push_str(before);
        let Some((segment, after)) = parse_code(code) else {
            plain.push_str(OPEN);
            rest = &code[OPEN.len()..];
            continue;
        };
        push_text(&mut segments, &mut plain);
        segments.push(segment);
        rest = after;
    }
    plain.push_str(rest);
    push_text(&mut segments, &mut plain);
    Message(segments)
}

/// Writes a CQ string.
pub fn render(message: &Message) -> String {
    message.0.iter().map(render_segment).collect()
}

fn push_text(segments: &mut Vec<Segment>, plain: &mut String) {
    if !plain.is_empty() {
        segments.push(Segment::text(unescape(plain)));
        plain.clear();
    }
}

/// Reads the code that `code` begins with; also gives what is behind it.
fn parse_code(code: &str) -> Option<(Segment, &str)> {
    let (inner, after) = code.strip_prefix(OPEN)?.split_once(']')?;
    let mut parts = inner.split(',');
    let kind = parts
        .next()
        .filter(|kind| !kind.is_empty() && !kind.contains('['))?;
    let data: Map<String, Value> = parts
        .filter_map(|part| part.split_once('='))
        .map(|(key, value)| (key.to_owned(), Value::from(unescape(value))))
        .collect();
    Some((Segment::new(kind, data), after))
}

fn render_segment(segment: &Segment) -> String {
    if segment.kind == "text" {
        return escape(segment.data.text("text"));
    }
    let mut code = format!("{OPEN}{}", segment.kind);
    for (key, value) in &segment.data.0 {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        code.push(',');
        code.push_str(key);
        code.push('=');
        code.push_str(&escape(&value).replace(',', "&#44;"));
    }
    code.push(']');
    code
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('[', "&#91;")
        .replace(']', "&#93;")
}

/// `&amp;` comes last: otherwise `&amp;#91;` would become a bracket.
fn unescape(text: &str) -> String {
    text.replace("&#44;", ",")
        .replace("&#91;", "[")
        .replace("&#93;", "]")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[derive(serde::Deserialize)]
    struct Pair {
        string: String,
        array: Value,
    }

    #[test]
    fn every_collected_pair_converts_both_ways() {
        let pairs: Vec<Pair> =
            serde_json::from_str(include_str!("../testdata/02_message_format_pairs.json")).unwrap();
        assert_eq!(pairs.len(), 7);
        for pair in pairs {
            let array = Message::read(&pair.array);
            assert_eq!(parse(&pair.string), array, "{}", pair.string);
            assert_eq!(render(&array), pair.string);
            assert_eq!(serde_json::to_value(&array).unwrap(), pair.array);
        }
    }

    #[test]
    fn broken_codes_are_text() {
        for text in ["[CQ:", "[CQ:at,qq=1", "[CQ:,a=b]", "[CQ:]", "a[CQ"] {
            assert_eq!(parse(text), Message(vec![Segment::text(text)]), "{text}");
        }
        let half = parse("[CQ:[CQ:at,qq=5]");
        assert_eq!(half.0.len(), 2);
        assert_eq!(half.0[1].data.number("qq"), Some(5));
    }

    #[test]
    fn values_that_are_no_strings_are_written() {
        let message = Message::read(&json!([{"type": "face", "data": {"id": 3, "x": null}}]));
        assert_eq!(render(&message), "[CQ:face,id=3]");
    }

    proptest! {
        #[test]
        fn text_never_becomes_markup(text in ".{0,80}") {
            let message = Message(vec![Segment::text(text.clone())]);
            let back = parse(&render(&message));
            prop_assert_eq!(back.plain_text(), text);
            prop_assert!(back.0.iter().all(|segment| segment.kind == "text"));
        }

        #[test]
        fn any_string_is_read(text in "(\\[CQ:|\\]|,|=|&amp;|&#91;|at|qq|[0-9]|.){0,40}") {
            let once = parse(&text);
            prop_assert_eq!(parse(&render(&once)), once);
        }
    }
}
