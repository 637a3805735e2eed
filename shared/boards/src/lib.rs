//! Boards as data: TOML files become [`rules::Board`]s, and mistakes are named with their place.
//!
//! Invariant: only this crate knows the format of a board file; the engine sees the finished
//! board.

mod build;
mod file;
mod folder;
mod problem;
mod sense;
mod switches;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rules::Board;
use sha2::{Digest, Sha256};

pub use folder::{BadFile, Why, with_folder};
pub use problem::{Problem, Problems};

/// Boards that come with the product: id and text.
const BUILTIN: &[(&str, &str)] = &[
    ("m158", include_str!("../m158.toml")),
    ("foxcurse", include_str!("../foxcurse.toml")),
    ("redblack", include_str!("../redblack.toml")),
    ("treasure", include_str!("../treasure.toml")),
    ("classic6", include_str!("../classic/classic6.toml")),
    (
        "classic6-open",
        include_str!("../classic/classic6-open.toml"),
    ),
    ("classic8", include_str!("../classic/classic8.toml")),
    ("classic9", include_str!("../classic/classic9.toml")),
    (
        "classic12-guard",
        include_str!("../classic/classic12-guard.toml"),
    ),
    (
        "classic12-idiot",
        include_str!("../classic/classic12-idiot.toml"),
    ),
    ("wolf-king", include_str!("../classic/wolf-king.toml")),
    ("white-wolf", include_str!("../classic/white-wolf.toml")),
];

static LOADED: LazyLock<Vec<Arc<Board>>> = LazyLock::new(|| {
    BUILTIN
        .iter()
        .map(|(id, text)| match read(text) {
            Ok(board) => Arc::new(board),
            Err(problems) => panic!("the built-in board {id} has mistakes:\n{problems}"),
        })
        .collect()
});

/// Reads a board from the text of its file.
///
/// # Errors
/// Every mistake with its line and column.
pub fn read(text: &str) -> Result<Board, Problems> {
    build::build(text)
}

/// The boards that come with the product.
pub fn builtin() -> &'static [Arc<Board>] {
    &LOADED
}

/// The built-in board of this id or name, with switches set where they follow it
/// (`预女猎+自救=首夜`).
pub fn find(id: &str) -> Option<Arc<Board>> {
    let (name, choices) = switches::parse(id)?;
    let place = builtin()
        .iter()
        .position(|b| b.id.eq_ignore_ascii_case(name) || b.name == name)?;
    if choices.is_empty() {
        return builtin().get(place).cloned();
    }
    let text = switches::apply(BUILTIN.get(place)?.1, &choices)?;
    let board = Arc::new(read(&text).ok()?);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    Some(Arc::clone(made.entry(board.id.clone()).or_insert(board)))
}

/// Boards with switches set that were asked for; there are only so many choices.
static MADE: Mutex<BTreeMap<String, Arc<Board>>> = Mutex::new(BTreeMap::new());

/// The switches of a built-in board, each with its choices.
pub fn switches(id: &str) -> Vec<(String, Vec<String>)> {
    let mut boards = builtin().iter().zip(BUILTIN);
    let found = boards.find(|(b, _)| b.id.eq_ignore_ascii_case(id) || b.name == id);
    found.map_or_else(Vec::new, |(_, (_, text))| switches::of(text))
}

/// The hash of a board's text, by which stored games name it.
pub(crate) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_boards_are_read() {
        for board in builtin() {
            assert!(board.seat_count() >= 6, "{}", board.id);
        }
        assert_eq!(find("m158").expect("m158 is built in").seat_count(), 14);
        assert_eq!(find("宝藏").map(|b| b.seat_count()), Some(18));
        assert_eq!(find("鸣潮").map(|b| b.id.clone()), Some("m158".to_owned()));
    }

    /// foxcurse §盗贼, F1: the thief is always dealt, what lies face down is neither the thief nor
    /// two wolves, and for two more seats there are two more villagers.
    #[test]
    fn cards_lie_face_down_as_the_board_allows() {
        let board = find("foxcurse").expect("foxcurse is built in");
        let role = |name: &str| board.role(name).expect("a role of the board");
        let wolves = board.faction("狼人阵营").expect("a faction of the board");
        assert_eq!(board.sizes(), [16, 18]);
        let mut seen = [0; 2];
        for (place, seats) in board.sizes().into_iter().enumerate() {
            for seed in 0..200 {
                let dealt = rules::deal(&board, seats, [seed; 32]);
                assert_eq!(dealt.len(), seats);
                let mut down = board.cards(seats);
                for seat in &dealt {
                    let at = down.iter().position(|card| *card == seat.role);
                    down.remove(at.expect("each card is dealt once"));
                }
                assert_eq!(down.len(), 2, "seed {seed}");
                assert!(!down.contains(&role("盗贼")), "seed {seed}");
                let wolf = |card: &&rules::RoleId| board.role_def(**card).faction == Some(wolves);
                let hidden = down.iter().filter(wolf).count();
                assert!(hidden < 2, "seed {seed}");
                seen[hidden] += 1;
                let villagers = board.cards(seats);
                let villagers = villagers.iter().filter(|c| **c == role("村民"));
                assert_eq!(villagers.count(), 3 + 2 * place);
            }
        }
        assert!(seen.iter().all(|n| *n > 40), "{seen:?}");
    }

    #[test]
    fn every_choice_of_a_switch_makes_a_board() {
        let mut made = 0;
        for board in builtin() {
            for (switch, choices) in switches(&board.id) {
                for choice in choices {
                    let id = format!("{}+{switch}={choice}", board.id);
                    let other = find(&id).unwrap_or_else(|| panic!("{id} cannot be made"));
                    assert_eq!(other.id, id);
                    assert_eq!(other.seat_count(), board.seat_count(), "{id}");
                    made += 1;
                }
            }
        }
        assert!(made >= 40, "only {made} choices");
        assert!(find("预女猎+自救=从不").is_none());
        assert!(find("预女猎+自救").is_none());
    }

    /// The text of m158 with one place changed, and the problems that must be named.
    fn check(from: &str, to: &str, expected: &[&str]) {
        let text = BUILTIN[0].1;
        assert!(text.contains(from), "the board has no {from:?}");
        let problems = read(&text.replacen(from, to, 1)).expect_err("a mistake must be found");
        let found: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        for part in expected {
            assert!(
                found.iter().any(|p| p.contains(part)),
                "{part:?} is not in {found:#?}"
            );
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        check(
            "skills = [\"预言\"]",
            "skills = [\"预见\"]",
            &["no skill is called \"预见\""],
        );
        check(
            "code = \"survey\"",
            "code = \"surveys\"",
            &["there is no skill code \"surveys\""],
        );
        check("binds = \"杀人\"", "bind = \"杀人\"", &["binds"]);
        check(
            "slow = \"21:30\"",
            "slow = \"25:30\"",
            &["\"25:30\" is no time of day"],
        );
        check("count = 4", "count = \"4\"", &["invalid type"]);
        check(
            "name = \"恶魔\"",
            "name = \"狼人\"",
            &["role 狼人 stands twice"],
        );
        check(
            "preventions = [\"救药\", ",
            "preventions = [",
            &["救药 stops harm but"],
        );
        check(
            "{ lost = \"狼人阵营\" }, { lost",
            "{}, { lost",
            &["exactly one of"],
        );
    }

    #[test]
    fn places_count_lines_and_characters() {
        let problems = read("id = \"x\"\nname = 3\n").expect_err("a number is no name");
        assert_eq!((problems.0[0].line, problems.0[0].column), (2, 8));
    }
}
