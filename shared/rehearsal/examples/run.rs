//! Runs.
#![allow(clippy::all, clippy::unwrap_used, clippy::pedantic)]
use rehearsal::{files, report};
use texts::Texts;
fn main() {
    let texts = Texts::builtin();
    let (mut ok, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        for file in files(std::path::Path::new(&path)) {
            let r = report(&file.unwrap(), &texts);
            if matches!(r.verdict, rehearsal::Verdict::Passed) {
                ok += 1
            } else {
                bad += 1;
                println!("{r}");
            }
        }
    }
    println!("{ok} passed, {bad} failed");
}
