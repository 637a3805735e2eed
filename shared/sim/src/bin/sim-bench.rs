//! What the engine can do, beside what it must: `cargo run --release -p sim --bin sim-bench`.
//!
//! It prints and judges nothing: the exit code is always 0.

fn main() {
    println!("engine, one thread");
    sim::bench::figures(|figure| println!("{figure}"));
}
