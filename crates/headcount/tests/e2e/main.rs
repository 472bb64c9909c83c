//! The program as its users meet it: the real binary, real sockets, servers that others wrote.
//!
//! One binary, because linking is the slow part. Every test starts what it needs on a port of its own, ends it by its
//! process number, and is bounded in time. What is asserted are counts and words, never how fast this machine is.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod audit;
