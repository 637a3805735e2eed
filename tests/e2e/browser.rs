//! The page in a real browser: a newcomer sits down, reads a card, talks and votes.

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::chrome::{Chrome, Screen};
use crate::people::make;
use crate::site::Site;

/// Somebody with a dangerous name, who says dangerous things.
const STRANGER: u64 = 23_001;
const NAME: &str = r#"<img src=x onerror="document.title='owned'">"#;
const WORDS: &str = r#"<script>document.title='owned'</script><img src=x onerror="document.title='owned'"> &lt;b&gt;"#;

/// The places to type of the square and of the private chat.
const SQUARE: &str = "#panes .pane:nth-child(1)";
const PRIVATE: &str = "#panes .pane:nth-child(2)";

fn css(selector: &str) -> Locator<'_> {
    Locator::Css(selector)
}

/// Does the newest line of this kind in a chat contain this?
fn has_line(pane: &str, kind: &str, part: &str) -> String {
    let part = Value::from(part);
    format!(
        "return [...document.querySelectorAll('{pane} .line{kind} .bubble')]
            .some((bubble) => bubble.textContent.includes({part}))"
    )
}

fn play(screen: Screen) {
    let site = Site::start(&["clock.speed=10"]);
    let chrome = Chrome::open(screen);
    chrome.goto(site.url());
    chrome.until("the hall", "return !document.getElementById('hall').hidden");
    chrome.assert_fits();
    chrome.picture("1-hall");
    chrome.type_into(css("#name"), "小满");
    chrome.click(css("#start .go"));

    // A card comes in the private chat.
    let open = |tab: &str| {
        if screen == Screen::Phone {
            let tab = format!("//nav[@id='tabs']/button[starts-with(., '{tab}')]");
            chrome.click(Locator::XPath(&tab));
        }
    };
    chrome.until(
        "the table",
        "return !document.getElementById('table').hidden",
    );
    open("私聊");
    chrome.until("a card", &has_line(PRIVATE, ".host", "你的身份是【"));
    chrome.until(
        "the card above",
        "return !document.getElementById('card').hidden",
    );
    chrome.assert_fits();
    chrome.picture("2-card");

    // In the square people read each other, whatever they are called and whatever they say.
    open("广场");
    let square = chrome
        .run("return Number(document.querySelector('#panes .pane').id.replace('pane-g', ''))");
    say_dangerous_things(&site, square.as_u64().expect("the square's number"));
    chrome.until("the stranger's words", &has_line(SQUARE, "", WORDS));
    let made = chrome
        .run("return document.querySelectorAll('#panes img, #panes script, #panes b').length");
    assert_eq!(made, 0, "what people type stays text");
    assert!(chrome.text(css(SQUARE)).contains(NAME), "also a name");
    assert_ne!(chrome.run("return document.title"), "owned");
    let write = format!("{SQUARE} textarea");
    chrome.type_into(css(&write), "大家好，我是新来的");
    chrome.click(css(&format!("{SQUARE} .send")));
    chrome.until(
        "the own words",
        &has_line(SQUARE, ".own", "大家好，我是新来的"),
    );
    chrome.assert_fits();

    let name = vote(&chrome, &write);
    chrome.picture("5-voted");
    let ballot = format!("小满 → {name}");
    chrome.until("the result", &has_line(SQUARE, ".host", &ballot));
    chrome.until("the day", &has_line(SQUARE, ".host", "第1天开门"));
    chrome.assert_fits();
    chrome.picture("6-day");
    chrome.assert_quiet();
    site.assert_well();
}

/// The form of a vote is written by two clicks. Gives back whom it is for.
fn vote(chrome: &Chrome, write: &str) -> String {
    let chip = "(//div[@id='panes']/section)[1]//button[contains(@class, 'chip') and .='投票']";
    chrome.until(
        "a vote to be open",
        &format!(
            "return [...document.querySelectorAll('{SQUARE} .chip')].some((chip) => chip.textContent === '投票')"
        ),
    );
    chrome.picture("3-vote-open");
    chrome.click(Locator::XPath(chip));
    chrome.until("the names", "return document.getElementById('vote').open");
    chrome.picture("4-names");
    chrome.assert_fits();
    let name = chrome.text(css("#vote-names button"));
    assert!(!name.is_empty());
    chrome.click(css("#vote-names button"));
    let filled = format!("投票对象：{name}\n投票理由：");
    let typed = format!("return document.querySelector('{write}').value");
    assert_eq!(chrome.run(&typed), filled.as_str());
    chrome.type_into(css(write), "直觉");
    chrome.click(css(&format!("{SQUARE} .send")));
    let receipt = format!("小满投给{name}，已记下");
    chrome.until("the receipt", &has_line(SQUARE, ".host", &receipt));
    name
}

fn say_dangerous_things(site: &Site, square: u64) {
    make(site, &[(STRANGER, NAME, true)]);
    let me = format!("/playground/api/users/{STRANGER}");
    site.post(&format!("{me}/join"), &json!({ "group": square }));
    let words = json!({"scene": "group", "peer": square, "text": WORDS});
    site.post(&format!("{me}/send"), &words);
}

#[test]
fn a_newcomer_plays_on_a_desktop() {
    play(Screen::Desktop);
}

#[test]
fn a_newcomer_plays_on_a_phone() {
    play(Screen::Phone);
}
