//! Every mistake is named with its place and what to do. Each file of `mistakes` is a small board
//! with one mistake; its first line says what must be found where.

use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests"].iter().collect()
}

fn found(text: &str) -> Vec<String> {
    let problems = boards::read(text).err().map(|problems| problems.0);
    let lines = problems.unwrap_or_default();
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn the_board_without_a_mistake_is_good() {
    let text = fs::read_to_string(folder().join("small.toml")).expect("the board is there");
    assert_eq!(found(&text), Vec::<String>::new());
}

#[test]
fn each_mistake_is_named_with_its_place_and_a_hint() {
    let mut wrong = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(folder().join("mistakes")).expect("the folder is there") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a file can be read");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let expected = expected.expect("the first line says what is wrong");
        let found = found(&text);
        files += 1;
        if !found.iter().any(|line| line.starts_with(expected)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            wrong.push(format!("{name}: expected {expected}, found {found:#?}"));
        }
    }
    assert!(files >= 20, "only {files} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
