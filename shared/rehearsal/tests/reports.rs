//! The lines and exit codes of `duskgate rehearse`.

use std::fs;
use std::path::{Path, PathBuf};

use rehearsal::rehearse;
use serde_json::{Value, json};

const GOOD: &str = "title: 好\nboard: m158\nseats: {甲: 村民, 乙: 狼人}\nplay:\n  - out: []\n";
const WRONG: &str = "board: m158\nseats: {甲: 村民, 乙: 狼人}\nplay:\n  - next\n  - out: [甲]\n";
const BROKEN: &str = "board: m158\nseats: {甲: 村民, 乙: 狼人}\nplay:\n  - at: \"20:00\"\n";
const UNREADABLE: &str = "board: m158\nseats: {甲: 侠客}\nplay: []\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder can be made"));
        for (name, text) in files {
            let path = folder.path(name);
            let parent = path.parent().expect("it lies in the folder");
            fs::create_dir_all(parent).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn run(paths: &[&Path], json: bool) -> (String, u8) {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let mut out = Vec::new();
    let totals = rehearse(&paths, json, &mut out).expect("memory takes everything");
    (
        String::from_utf8(out).expect("reports are Unicode"),
        totals.exit_code(),
    )
}

#[test]
fn one_line_a_file_and_a_closing_line() {
    let folder = Folder::with(&[("b.yaml", GOOD), ("a/c.yaml", GOOD), ("d.txt", WRONG)]);
    let (out, code) = run(&[folder.0.path()], false);
    let expected = format!(
        "ok {}  好\nok {}  好\n2 passed, 0 failed\n",
        folder.path("a/c.yaml").display(),
        folder.path("b.yaml").display(),
    );
    assert_eq!((out, code), (expected, 0));
}

#[test]
fn a_failure_is_shown_and_exits_with_one() {
    let folder = Folder::with(&[("good.yaml", GOOD), ("wrong.yaml", WRONG)]);
    let (out, code) = run(
        &[&folder.path("wrong.yaml"), &folder.path("good.yaml")],
        false,
    );
    assert_eq!(code, 1);
    assert!(
        out.contains("    step 2, line 5: out: [甲]\n    expected: 甲\n    got: nobody\n"),
        "{out}"
    );
    assert!(out.ends_with("1 passed, 1 failed\n"), "{out}");
}

#[test]
fn what_cannot_be_read_exits_with_two_and_stops_nothing() {
    let folder = Folder::with(&[("bad.yaml", UNREADABLE), ("good.yaml", GOOD)]);
    let wrong = folder.path("wrong.yaml");
    let (out, code) = run(&[&wrong, folder.0.path()], false);
    assert_eq!(code, 2);
    assert!(
        out.contains(&format!("UNREADABLE {}\n", wrong.display())),
        "{out}"
    );
    assert!(
        out.contains("    error: line 2, column 12: no role is called"),
        "{out}"
    );
    assert!(out.ends_with("1 passed, 2 failed\n"), "{out}");
}

#[test]
fn text_that_is_no_unicode_cannot_be_read() {
    let folder = Folder::with(&[]);
    let path = folder.path("odd.yaml");
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(run(&[&path], false).1, 2);
}

#[test]
fn json_is_one_object_a_line() {
    let files = [
        ("1.yaml", GOOD),
        ("2.yaml", WRONG),
        ("3.yaml", BROKEN),
        ("4.yaml", UNREADABLE),
    ];
    let folder = Folder::with(&files);
    let (out, code) = run(&[folder.0.path()], true);
    assert_eq!(code, 2);
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let file = |name: &str| folder.path(name).display().to_string();
    assert_eq!(
        lines,
        [
            json!({"file": file("1.yaml"), "ok": true}),
            json!({
                "file": file("2.yaml"), "ok": false, "step": 2,
                "expected": "甲", "got": "nobody",
            }),
            json!({
                "file": file("3.yaml"), "ok": false, "step": 1,
                "error": "the clock cannot move to 20:00: 开局 ends before, at 21:30",
            }),
            json!({
                "file": file("4.yaml"), "ok": false,
                "error": "line 2, column 12: no role is called \"侠客\" on this board",
            }),
            json!({"passed": 1, "failed": 3}),
        ]
    );
}
