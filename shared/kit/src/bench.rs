//! Small measurements for `make bench`.
