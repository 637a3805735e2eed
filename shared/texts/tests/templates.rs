//! The built-in templates: each renders with each of its samples, each name that code uses is
//! there, some of them word for word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use protocol::Phrase;
use serde_json::json;
use texts::Texts;

#[test]
fn every_template_renders_with_every_sample() {
    let texts = Texts::builtin();
    for key in texts::keys() {
        for args in texts.samples(key) {
            let phrase = Phrase::new(key, args);
            let text = texts
                .render(&phrase)
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(
                !text.trim().is_empty(),
                "{key} says nothing for {}",
                phrase.args
            );
            let tidy = text.lines().all(|line| line.trim_end() == line);
            assert!(tidy, "{key} has blanks at a line's end: {text:?}");
        }
    }
}

#[test]
fn names_are_unique() {
    let keys = texts::keys();
    let unique: BTreeSet<&str> = keys.iter().copied().collect();
    assert_eq!(unique.len(), keys.len());
}

/// A name that code uses is a literal `"theme/name"` whose theme some template has. The engine is
/// left out: such words are names of its notices there, which `phrases` makes phrases of.
#[test]
fn every_name_that_code_uses_is_there() {
    let keys: BTreeSet<&str> = texts::keys().into_iter().collect();
    let themes: BTreeSet<&str> = keys.iter().filter_map(|k| k.split('/').next()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut used: BTreeMap<String, PathBuf> = BTreeMap::new();
    for part in ["shared", "services"] {
        for file in sources(&root.join(part)) {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for literal in literals(code) {
                let theme = literal.split_once('/').map(|(theme, _)| theme);
                if theme.is_some_and(|t| themes.contains(t)) && is_key(literal) {
                    used.insert(literal.to_owned(), file.clone());
                }
            }
        }
    }
    let missing: Vec<_> = used
        .iter()
        .filter(|(k, _)| !keys.contains(k.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "used in code but in no file of templates: {missing:#?}"
    );
}

/// Rust files of the crates in a folder, without tests' folders.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the sources can be read")
        .map(|entry| entry.expect("the sources can be read").path())
        .filter(|path| !path.ends_with("rules"))
        .map(|path| path.join("src"))
        .filter(|path| path.is_dir())
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// What stands between double quotes on one line.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
}

fn is_key(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'/')
        && text.matches('/').count() == 1
        && !text.ends_with('/')
}

#[test]
fn some_texts_word_for_word() {
    let texts = Texts::builtin();
    let wolves = |mut more: serde_json::Value| {
        more["game"] = json!("鸣潮一");
        more["room"] = json!("狼群");
        more["group"] = json!(700_001);
        more
    };
    let cases = [
        (
            "vote/taken",
            json!({"voter": "甲", "target": "乙"}),
            "甲投给乙，已记下。",
        ),
        (
            "vote/taken",
            json!({"voter": "甲", "target": null}),
            "甲弃权，已记下。",
        ),
        ("groups/in-front", json!({"room": "狼群"}), "【狼群】"),
        (
            "groups/lacking",
            json!({"game": "鸣潮一", "count": 2, "rooms": ["狼群", "魔女会"]}),
            "鸣潮一：群池里空闲的群不够，还差2个（狼群、魔女会）。这些群的通知先私聊发给各位成员；\
             有别的局把群还回来就会自动补上。要增加群，请让机器人当群主或管理员，并把群号写进配置。",
        ),
        (
            "groups/standing",
            wolves(json!({"why": "removed"})),
            "鸣潮一：机器人在「狼群」（群 700001）里被移出了，请把它请回来并设为管理员。\
             在那之前，群里的通知都改为私聊。",
        ),
        (
            "publish/square-blocked",
            json!({"game": "鸣潮一", "why": "muted"}),
            "鸣潮一：机器人在群里被禁言了，请解除禁言。没发出的公告会在恢复后自动补上。",
        ),
        (
            "publish/hand-over",
            json!({"game": "鸣潮一", "who": "3号 甲（10003）", "text": "一\n二"}),
            "鸣潮一：下面这条给3号 甲（10003）的消息发不出去，请手动转告：\n一\n二",
        ),
    ];
    for (key, args, text) in cases {
        assert_eq!(
            texts.render(&Phrase::new(key, args)).unwrap(),
            text,
            "{key}"
        );
    }
}
