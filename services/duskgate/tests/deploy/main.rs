//! What `deploy/` holds fits the binary, the broker and Redis that it is for.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod compose;
mod servers;
mod settings;
mod units;

use std::path::{Path, PathBuf};

/// A file of `deploy/`.
fn shipped(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("deploy").join(name).canonicalize().unwrap()
}

/// What it says.
fn text(name: &str) -> String {
    std::fs::read_to_string(shipped(name)).unwrap()
}
