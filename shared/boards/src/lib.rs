//! boards.
