//! Every rehearsal under `tests/rehearsals` holds.

use std::path::PathBuf;

use rehearsal::{Verdict, files, report};
use texts::Texts;

#[test]
fn every_rehearsal_holds() {
    let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/rehearsals"]
        .iter()
        .collect();
    let texts = Texts::builtin();
    let mut wrong = Vec::new();
    let files = files(&root);
    assert!(
        files.len() >= 250,
        "only {} rehearsals were found",
        files.len()
    );
    for file in files {
        let file = file.expect("a rehearsal can be opened");
        let report = report(&file, &texts);
        if !matches!(report.verdict, Verdict::Passed) {
            wrong.push(report.to_string());
        }
    }
    assert!(
        wrong.is_empty(),
        "{} fail:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
