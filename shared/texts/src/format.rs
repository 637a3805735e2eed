//! Reading a file of templates into its sections.

use serde_json::Value;

use crate::fault::Fault;

/// One template as it stands in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its name, `theme/name`.
    pub key: String,
    /// The line of its header in the file, from 1.
    pub line: usize,
    /// What it is filled with, by example.
    pub samples: Vec<Value>,
    /// The line in the file where the text begins, from 1.
    pub text_line: usize,
    /// The text, without blank lines around it.
    pub text: String,
}

const HEADER: &str = "===";
const SAMPLE: &str = "---";

/// The names in a file's headers, well-formed or not.
pub fn headers(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix(HEADER))
        .map(str::trim)
}

/// Reads a file. What is wrong is left out of the sections and listed beside them.
pub fn read(file: &str, text: &str) -> (Vec<Section>, Vec<Fault>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sections = Vec::new();
    let mut faults = Vec::new();
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    // Each slice begins at a header, but for the first one: the notes.
    for slice in lines.chunk_by(|_, (_, next)| !next.starts_with(HEADER)) {
        let Some(((line, header), rest)) = slice.split_first() else {
            continue;
        };
        let Some(key) = header.strip_prefix(HEADER) else {
            continue;
        };
        match section(key.trim(), *line, rest) {
            Ok(section) => sections.push(section),
            Err((line, hint)) => faults.push(Fault {
                file: file.to_owned(),
                line,
                hint,
            }),
        }
    }
    (sections, faults)
}

fn section(key: &str, line: usize, rest: &[(usize, &str)]) -> Result<Section, (usize, String)> {
    if !is_key(key) {
        let hint = format!(
            "{key:?} is no name of a template: write `=== theme/name` with small letters, digits and -"
        );
        return Err((line, hint));
    }
    let body = rest
        .iter()
        .position(|(_, l)| !l.starts_with(SAMPLE))
        .unwrap_or(rest.len());
    let samples = rest[..body]
        .iter()
        .map(|(line, text)| sample(&text[SAMPLE.len()..]).map_err(|hint| (*line, hint)))
        .collect::<Result<Vec<_>, _>>()?;
    let blank = |(_, text): &(usize, &str)| text.trim().is_empty();
    let body = &rest[body..];
    let start = body.iter().position(|l| !blank(l)).ok_or_else(|| {
        (
            line,
            format!("{key} has no text: write it below the header, or take the section out"),
        )
    })?;
    let end = body
        .iter()
        .rposition(|l| !blank(l))
        .map_or(body.len(), |last| last + 1);
    let body = &body[start..end];
    let text: Vec<&str> = body.iter().map(|(_, text)| *text).collect();
    Ok(Section {
        key: key.to_owned(),
        line,
        samples,
        text_line: body[0].0,
        text: text.join("\n"),
    })
}

fn sample(json: &str) -> Result<Value, String> {
    match serde_json::from_str(json) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("a sample is a JSON object: `--- {\"voter\": \"甲\"}`".to_owned()),
        Err(error) => Err(format!(
            "the sample is no JSON ({error}): `--- {{\"voter\": \"甲\"}}`"
        )),
    }
}

fn is_key(key: &str) -> bool {
    let word = |w: &str| {
        !w.is_empty()
            && w.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    key.split_once('/')
        .is_some_and(|(theme, name)| word(theme) && word(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_samples_and_blank_lines_are_no_text() {
        let file = "\u{feff}a note\r\n\r\n=== vote/a\r\n--- {\"x\": 1}\r\n\r\n一\r\n\r\n二\r\n\r\n=== vote/b\n三";
        let (sections, faults) = read("f.txt", file);
        assert_eq!(faults, []);
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].text, "一\n\n二");
        assert_eq!((sections[0].line, sections[0].text_line), (3, 6));
        assert_eq!(sections[0].samples, [serde_json::json!({"x": 1})]);
        assert_eq!(
            (sections[1].key.as_str(), sections[1].text.as_str()),
            ("vote/b", "三")
        );
    }

    #[test]
    fn faults_name_their_line_and_leave_the_others_alone() {
        let cases = [
            ("=== Vote\nx", 1, "is no name of a template"),
            ("\n=== vote/\nx", 2, "is no name of a template"),
            ("=== vote/a\n--- {]\nx", 2, "the sample is no JSON"),
            (
                "=== vote/a\n--- {}\n--- 3\nx",
                3,
                "a sample is a JSON object",
            ),
            ("note\n=== vote/a\n--- {}\n\n", 2, "vote/a has no text"),
        ];
        for (text, line, hint) in cases {
            let (sections, faults) = read("f.txt", &format!("{text}\n=== vote/good\n好"));
            assert_eq!(sections.len(), 1, "{text}");
            assert_eq!(faults.len(), 1, "{text}");
            assert_eq!(faults[0].line, line, "{text}");
            assert!(faults[0].hint.contains(hint), "{text}: {}", faults[0]);
        }
    }
}
