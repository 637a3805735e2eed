//! What should not be typed, or not there, or not then, or not so: a clear refusal or silence,
//! nothing revealed, nothing broken, and the games go on.

mod day;
mod lobby;
mod night;

use serde_json::json;

use crate::game::{DIRECTOR, SQUARE, Table};
use crate::people::{Heard, Person, make, make_group};
use crate::site::Site;
use crate::trial::{Place, Try, try_out};

use day::{both_games_go_on, first_day};
use lobby::{before_any_game, while_people_sign_up};
use night::first_night;

/// Who directs the game that is not dealt yet.
const OTHER_DIRECTOR: u64 = 10_002;
/// The group in which people sign up for it.
const LOBBY: u64 = 800_002;
/// A group without a game.
const ELSEWHERE: u64 = 800_003;
/// Somebody with a quiet name who is in no game yet, and those with odd ones.
const NEWCOMER: u64 = 21_001;
const CALLER: u64 = 21_002;
const BRACES: u64 = 21_003;
const PERCENT: u64 = 21_004;
const FACES: u64 = 21_005;

const HERE: Place = Place::Group(SQUARE);
const SIGN_UP: Place = Place::Group(LOBBY);
const ALONE: Place = Place::Private;

/// What stays as it was typed wherever it is shown.
const ODD_TEXT: &str = "[CQ:at,qq=all] {{ 7*191 }} {% for x in y %} <b>&amp; 😀，真的！";

/// A text of ten thousand characters.
fn long(text: &str) -> String {
    text.repeat(10_000_usize.div_ceil(text.chars().count()))
}

/// No refusal names a role or calls everybody, and each is short.
fn assert_discreet(answers: &[Heard]) {
    const NEVER: [&str; 12] = [
        "黑狼王",
        "预言家",
        "荣光骑士",
        "猎人",
        "守墓人",
        "村民",
        "图腾萨满",
        "侍僧",
        "狼人阵营",
        "魔女会阵营",
        "@全体",
        "1337",
    ];
    for heard in answers {
        for part in NEVER {
            assert!(!heard.text.contains(part), "{heard:?} contains {part}");
        }
        let length = heard.text.chars().count();
        assert!(length < 300, "{length} characters to say no: {heard:?}");
    }
}

/// Typing these here is refused, discreetly, or passed over in silence.
#[track_caller]
fn refused(table: &Table, tries: &[Try]) -> Vec<Heard> {
    let answers = try_out(table, tries);
    assert_discreet(&answers);
    answers
}

#[test]
fn nothing_that_anybody_types_does_harm() {
    let site = Site::start(&[]);
    let mut table = Table::new(site, Box::new(|_, _| {}));
    let newcomers = [
        (NEWCOMER, "新人", true),
        (CALLER, "[CQ:at,qq=all]", true),
        (BRACES, "{{ 7*191 }}", true),
        (PERCENT, "{% for x in y %}", true),
        (FACES, "😀\u{200b}\u{202e}😀", true),
    ];
    make(&table.site, &newcomers);
    let mut ids = newcomers.map(|(id, _, _)| id).to_vec();
    ids.push(DIRECTOR);
    make_group(&table.site, LOBBY, "另一局", OTHER_DIRECTOR, &ids);
    make_group(&table.site, ELSEWHERE, "闲聊", OTHER_DIRECTOR, &ids);

    before_any_game(&table);
    table.deal("开局 m158 日历=manual");
    let pack = table.join_groups()[0].1;
    Person::new(OTHER_DIRECTOR).say(&table.site, LOBBY, "开局 m158");
    Person::new(NEWCOMER).expect(&table.site, &["开局", "鸣潮2"]);
    while_people_sign_up(&table);
    let out = first_night(&mut table, pack);
    // From here on the other side writes messages as CQ strings.
    let strings = json!({"messages": "string"});
    table.site.post("/playground/api/faults", &strings);
    first_day(&mut table, out);
    both_games_go_on(&mut table, out);
    table.site.assert_well();
    table.site.stop();
}
