//! Tests every parser with unusual input. A fuzz target accepts any bytes, and panics if an invariant is broken. There
//! are three invariants: the parser must not panic, its result must not depend on the cuts, and output that is parsed
//! again must give the same value.
//!
//! `cargo test -p fuzz` tries each target for a second and prints the seed; see `tests/campaigns`. A target is a plain
//! function of bytes, so a coverage-guided fuzzer can use it too. If a crate has its own property tests (proptest),
//! those are more thorough. This crate adds input that is nearly valid.
//!
//! This crate reads no clock, file or environment variable; only its tests do.

mod cuts;
mod exposition;
mod http;
mod http2;
mod mutate;
mod nats;
mod options;
mod payload;
mod resp;
mod saved;
mod scenario;
mod socketio;
mod sse;
mod websocket;

pub use mutate::Mutator;

/// One parser and its invariants.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target, a single word.
    pub name: &'static str,
    /// Tests the parser with one input.
    pub run: fn(&[u8]),
    /// Returns valid and nearly valid inputs, from which the mutator derives others.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the parsed language, for the mutator.
    pub words: &'static [&'static str],
    /// Maximum memory that may be allocated at any time while one input is tried, in bytes.
    pub memory: usize,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    http::RESPONSE,
    http::REDIRECT,
    http::COOKIES,
    http2::ANSWERS,
    websocket::FRAMES,
    websocket::HANDSHAKE,
    socketio::SESSION,
    socketio::PACKETS,
    sse::EVENTS,
    nats::LINES,
    nats::PUBLISHED,
    resp::REPLIES,
    resp::COMMANDS,
    payload::STAMPS,
    payload::POINTER,
    options::OPTIONS,
    options::THRESHOLDS,
    options::UNITS,
    options::COURSES,
    saved::RUN,
    saved::HISTOGRAM,
    scenario::TYPESCRIPT,
    scenario::URLS,
    exposition::EXPOSITION,
];

fn bytes_of(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Converts the input to text, for parsers that read text.
fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// Splits the input into two parts at the first line break.
fn two_of(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == b'\n');
    at.map_or((data, &[]), |at| (&data[..at], &data[at + 1..]))
}
