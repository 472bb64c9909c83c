//! Tests every parser with unusual input. A target takes any bytes, and panics if an invariant is broken. The parser
//! must not panic, its result must not depend on the cuts, and output that is parsed again must give the same value.
//!
//! `cargo test -p fuzz` tries each target for a second, with a seed that it prints; see `tests/campaigns`. A target is
//! a plain function of bytes, so a coverage-guided fuzzer can use it too. If a crate has property tests of its own
//! (proptest), those check more. This crate adds input that is nearly valid.
//!
//! This crate reads no clock, file or environment variable; only its tests do.

mod cuts;
mod exposition;
mod http;
mod http2;
mod mutate;
mod options;
mod payload;
mod saved;
mod scenario;
mod socketio;
mod websocket;

pub use mutate::Mutator;

/// One parser and its invariants.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, one word.
    pub name: &'static str,
    /// Tries one input.
    pub run: fn(&[u8]),
    /// Valid and nearly valid inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the parser's language, for the mutator.
    pub words: &'static [&'static str],
    /// Maximum memory that one input may have allocated at a time, in bytes.
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

/// Returns the input as text, for parsers that read text.
fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// Splits the input into two parts at the first line end.
fn two_of(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == b'\n');
    at.map_or((data, &[]), |at| (&data[..at], &data[at + 1..]))
}
