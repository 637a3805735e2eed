//! The product as a library: the binary runs it, and benchmarks run it on parts of their own.

mod product;

pub use product::{Crew, OwnAccount, Product, check};
