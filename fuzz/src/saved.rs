use report::{Terminal, markdown, terminal};
use stats::Histogram;

use crate::{Target, bytes_of, text_of};

/// Reads a modified saved run, which must be refused or render in all formats.
pub(crate) const RUN: Target = Target {
    name: "run",
    run,
    seeds: || bytes_of(&[include_str!("../../crates/record/tests/golden/run-v1.json")]),
    words: &[
        "null",
        "0",
        "-1",
        "1e300",
        "[]",
        "{}",
        "\"\"",
        ",",
        "true",
        "18446744073709551615",
        "\"hdr\":",
    ],
    memory: 64 << 20,
};

fn run(data: &[u8]) {
    let run = match record::from_json(&text_of(data)) {
        Ok(run) => run,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let _ = run.inconsistencies();
    let _ = record::summary(&run);
    let plain = Terminal {
        width: None,
        colour: false,
        trace: false,
        saved_to: None,
    };
    assert!(!terminal(&run, plain).is_empty());
    assert!(!markdown(&run).is_empty());
    let Ok(text) = record::to_json(&run) else {
        panic!("what was read cannot be written")
    };
    let again = record::from_json(&text)
        .unwrap_or_else(|why| panic!("what was written cannot be read: {why}"));
    assert!(
        again == run,
        "what was read, written and read again differs"
    );
}

/// Reads histograms in the format of HDR tools.
pub(crate) const HISTOGRAM: Target = Target {
    name: "histogram",
    run: histogram,
    seeds: || {
        let mut times = Histogram::new();
        for step in 1..500_u64 {
            times.record(model::Nanos(step * step * 1000));
        }
        let mut one = Histogram::new();
        one.record(model::Nanos::from_secs(3600));
        [times, one]
            .iter()
            .filter_map(|times| Some(times.encode()?.into_bytes()))
            .collect()
    },
    words: &["=", "A", "/", "+", "HISTFAAA"],
    memory: 16 << 20,
};

fn histogram(data: &[u8]) {
    let read = match Histogram::decode(&text_of(data)) {
        Ok(read) => read,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let bins: u64 = read
        .bins()
        .map(|(_, count)| count)
        .fold(0, u64::saturating_add);
    assert_eq!(bins, read.count());
    let Some(text) = read.encode() else {
        return assert!(read.is_empty());
    };
    let again = Histogram::decode(&text)
        .unwrap_or_else(|why| panic!("what was written cannot be read: {why}"));
    assert!(again.bins().eq(read.bins()));
}
