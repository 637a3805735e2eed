//! The whole product in one process, as a library: the binary runs it, and benchmarks run it on
//! parts of their own.

mod product;

pub use product::{OwnAccount, Product, check};
