//! Every parser against input that nobody would write. A target takes any bytes and panics when something does not
//! hold that must: no panic of the parser's own, no result that depends on how the bytes were cut, no reading of what
//! was written that differs from it.
//!
//! `cargo test -p fuzz` tries each target for a second, with a seed that it prints; see `tests/campaigns`. A target is
//! a plain function of bytes, as a fuzzer guided by coverage takes it too. Where a crate has properties of its own (proptest), they are the
//! deeper ones: what is here adds input that is nearly right.
//!
//! This crate reads no clock, file or environment; its tests do.

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

/// One parser and what must hold.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, one word.
    pub name: &'static str,
    /// Tries one input.
    pub run: fn(&[u8]),
    /// Valid and nearly valid inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of its language, for the mutator.
    pub words: &'static [&'static str],
    /// Bytes that one input may have allocated at one time.
    pub memory: usize,
}

/// All of them.
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

/// The input as text: what a parser of text would have been given.
fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// The input in two, at its first line end.
fn two_of(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == b'\n');
    at.map_or((data, &[]), |at| (&data[..at], &data[at + 1..]))
}
