//! An operator's folder: what fits replaces the built-in text, what does not is named and left out.

use std::fs;

use protocol::Phrase;
use serde_json::json;
use tempfile::TempDir;
use texts::{Fault, Texts};

fn with(files: &[(&str, &[u8])]) -> (Texts, Vec<Fault>) {
    let folder = TempDir::new().expect("a temporary folder can be used");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("a temporary folder can be used");
    }
    Texts::with_folder(folder.path()).expect("a temporary folder can be used")
}

fn taken() -> Phrase {
    Phrase::new("vote/taken", json!({"voter": "甲", "target": "乙"}))
}

#[test]
fn a_template_of_the_folder_replaces_its_namesake_alone() {
    let (texts, faults) = with(&[
        (
            "mine.txt",
            "=== vote/taken\r\n好嘞，{{ voter }}→{{ target }}\r\n".as_bytes(),
        ),
        ("readme.md", b"=== vote/nothing"),
    ]);
    assert_eq!(faults, []);
    assert_eq!(texts.render(&taken()).unwrap(), "好嘞，甲→乙");
    assert!(texts::keys().into_iter().all(|key| texts.has(key)));
}

#[test]
fn what_is_broken_is_named_and_the_built_in_text_stays() {
    let cases: [(&str, usize, &str); 9] = [
        ("=== vote/taken\n{{ voter|seats }}", 2, "seats needs a list"),
        ("=== vote/taken\n{{ voter", 2, "syntax error"),
        (
            "=== vote/taken\n\n好\n{{ voter|sets }}",
            4,
            "unknown filter",
        ),
        (
            "=== vote/taken\n{{ voter }}：{{ whom }}",
            2,
            "whom is not given; there is: target, voter",
        ),
        (
            "=== vote/taken\n{% if not target %}弃权{% endif %}",
            2,
            "says nothing for the sample",
        ),
        ("=== vote/taken\n\n", 1, "has no text"),
        (
            "=== vote/takn\n好",
            1,
            "there is no template vote/takn; of this theme there are:",
        ),
        ("\n=== votes/taken\n好", 2, "themes are:"),
        ("=== 投票\n好", 1, "is no name of a template"),
    ];
    for (text, line, hint) in cases {
        let (texts, faults) = with(&[("mine.txt", text.as_bytes())]);
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
        assert_eq!(
            (faults[0].file.as_str(), faults[0].line),
            ("mine.txt", line),
            "{text}"
        );
        assert!(faults[0].hint.contains(hint), "{text}: {}", faults[0]);
        assert_eq!(
            texts.render(&taken()).unwrap(),
            "甲投给乙，已记下。",
            "{text}"
        );
    }
}

#[test]
fn an_own_template_that_fails_on_something_rare_gives_way_to_the_built_in_one() {
    let (texts, faults) = with(&[("mine.txt", "=== vote/taken\n{{ target|default('', true) }}{% if voter == '丙' %}{{ whom }}{% endif %}好".as_bytes())]);
    assert_eq!(faults, []);
    assert_eq!(texts.render(&taken()).unwrap(), "乙好");
    let rare = Phrase::new("vote/taken", json!({"voter": "丙", "target": "乙"}));
    assert_eq!(texts.render(&rare).unwrap(), "丙投给乙，已记下。");
}

#[test]
fn the_first_of_two_namesakes_is_used() {
    let one = "=== vote/taken\n一".as_bytes();
    let two = "\n=== vote/taken\n二".as_bytes();
    let (texts, faults) = with(&[("b.txt", two), ("a.txt", one)]);
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "b.txt:2: vote/taken is already given at a.txt:1: keep one of them"
    );
    assert_eq!(texts.render(&taken()).unwrap(), "一");
}

#[test]
fn another_encoding_is_named() {
    let (_, faults) = with(&[("mine.txt", b"=== vote/taken\n\xba\xc3")]);
    assert!(faults[0].hint.contains("UTF-8"), "{}", faults[0]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_with_its_name() {
    let error = Texts::with_folder("no/such/folder").unwrap_err();
    assert!(error.to_string().contains("no/such/folder"), "{error}");
}

#[test]
fn what_people_typed_is_never_read_as_a_template() {
    let typed = "{{ 7 * 7 }}{% for %}<b>&";
    let phrase = Phrase::new("vote/taken", json!({"voter": typed, "target": "乙"}));
    assert_eq!(
        Texts::builtin().render(&phrase).unwrap(),
        format!("{typed}投给乙，已记下。")
    );
}

#[test]
fn errors_do_not_repeat_what_the_phrase_was_filled_with() {
    let texts = Texts::builtin();
    let phrase = Phrase::new("vote/taken", json!({"voter": "甲是狼人"}));
    let error = texts.render(&phrase).unwrap_err().to_string();
    assert!(
        error.contains("vote/taken") && error.contains("target"),
        "{error}"
    );
    assert!(!error.contains('狼'), "{error}");
    let error = texts
        .render(&Phrase::plain("vote/nothing"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("vote/nothing"), "{error}");
}

#[test]
fn times_are_shown_in_the_zone_asked_for() {
    assert!(Texts::builtin().in_zone("Mars/Base").is_err());
    assert!(Texts::builtin().in_zone("Asia/Tokyo").is_ok());
}
