//! notices
