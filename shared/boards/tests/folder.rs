//! An operator's folder of boards.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

fn small() -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "small.toml"]
        .iter()
        .collect();
    fs::read_to_string(path).expect("the board is there")
}

#[test]
fn a_bad_file_is_named_and_does_not_stop_the_others() {
    let folder = TempDir::new().expect("a folder");
    let put = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("a file is written");
    };
    put(
        "a-bad.toml",
        &small().replace("count = 4", "count = \"四\""),
    );
    put("b-good.toml", &small());
    put("c-again.toml", &small().replace("小板子", "另一块"));
    put(
        "d-taken.toml",
        &small().replace("id = \"small\"", "id = \"M158\""),
    );
    put("notes.txt", "nothing of ours");
    let (boards, bad) = boards::with_folder(folder.path()).expect("the folder can be read");
    let own: Vec<&str> = boards
        .iter()
        .skip(boards::builtin().len())
        .map(|board| board.name.as_str())
        .collect();
    assert_eq!(own, ["小板子"]);
    let bad: Vec<String> = bad.iter().map(ToString::to_string).collect();
    assert_eq!(bad.len(), 3, "{bad:#?}");
    assert!(
        bad[0].contains("a-bad.toml:7") && bad[0].contains("invalid type"),
        "{bad:#?}"
    );
    assert!(
        bad[1].contains("c-again.toml: another board is called \"small\""),
        "{bad:#?}"
    );
    assert!(
        bad[2].contains("d-taken.toml: another board is called \"M158\""),
        "{bad:#?}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    assert!(boards::with_folder(&folder.path().join("none")).is_err());
}
