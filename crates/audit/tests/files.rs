//! Files as users have them: from Windows, with decimal commas, cut off, several at once, or very large.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;

use audit::{Audit, Severity, Text, audit, by_lines, read, read_files, terminal};

type Files = Vec<(String, String)>;

/// Returns the files of each run in `fixtures`.
fn runs() -> BTreeMap<String, Files> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut runs: BTreeMap<String, Files> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("README") {
            let run = name.split('_').next().unwrap().to_owned();
            runs.entry(run)
                .or_default()
                .push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    runs
}

fn audits(files: &Files) -> Vec<Audit> {
    read(files)
        .unwrap_or_else(|why| panic!("{why}"))
        .iter()
        .map(audit)
        .collect()
}

#[test]
fn line_ends_and_marks_of_windows_change_nothing() {
    for files in runs().values() {
        let changed = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let windows: Files = files
            .iter()
            .map(|(name, text)| (name.clone(), changed(text)))
            .collect();
        assert_eq!(audits(files), audits(&windows), "{}", files[0].0);
    }
}

#[test]
fn a_file_that_is_cut_off_is_refused_or_says_less_and_is_never_called_impossible() {
    // No correct figure may be called doubtful because other figures are missing.
    for (run, files) in runs()
        .into_iter()
        .filter(|(run, _)| run.contains("healthy"))
    {
        let [(name, text)] = &files[..] else { continue };
        for part in 1..60 {
            let end = text.len() * part / 60;
            let Some(cut) = text.get(..end) else { continue };
            if let Ok(results) = read(&[(name.clone(), cut.to_owned())]) {
                let audit = audit(&results[0]);
                assert_ne!(
                    audit.worst(),
                    Some(Severity::Impossible),
                    "{run} after {end} bytes: {}",
                    terminal(&audit, false)
                );
            }
        }
    }
}

#[test]
fn several_runs_of_locust_are_several_results() {
    let all = runs();
    let both: Files = ["locust-2.0.0-healthy", "locust-0.9.0-errors"]
        .iter()
        .flat_map(|run| all[*run].clone())
        .collect();
    let results = read(&both).unwrap();
    assert_eq!(results.len(), 2);
    for results in &results {
        assert!(audit(results).findings.is_empty());
    }
    // This version writes percentiles to a separate file. The run has no file of failures.
    let old = results
        .iter()
        .find(|results| results.source.contains("0.9.0"))
        .unwrap();
    let total = &old.levels[0].total;
    assert_eq!(
        total.percentile(0.95).unwrap().value.to_bits(),
        33f64.to_bits()
    );
    assert_eq!(
        total.counts.failed.as_ref().unwrap().value.to_bits(),
        40f64.to_bits()
    );
    let mut renamed = both;
    for (name, text) in &mut renamed {
        if text.starts_with("Method,Name,Error") {
            "notes.csv".clone_into(name);
        }
    }
    let why = read(&renamed).unwrap_err().to_string();
    assert!(
        why.starts_with(
            "notes.csv: looks like Locust CSV, but its run cannot be seen from the file name"
        ),
        "{why}"
    );
}

#[test]
fn a_log_with_semicolons_and_transactions_counts_each_request_once() {
    let mut text =
        "timeStamp;elapsed;label;responseCode;responseMessage;success;allThreads\r\n".to_owned();
    for index in 0..300 {
        let began = 1_700_000_000_000_i64 + 100 * index;
        let _ = write!(text, "{began};20;login;200;OK;true;4\r\n");
        let _ = write!(
            text,
            "{began};20;whole;200;\"Number of samples in transaction : 1, number of failing samples : 0\";true;4\r\n"
        );
    }
    let results = read(&[("log.jtl".to_owned(), text.clone())]).unwrap();
    let level = &results[0].levels[0];
    assert_eq!(
        level.total.counts.sent.as_ref().unwrap().value.to_bits(),
        300f64.to_bits()
    );
    assert_eq!(
        level
            .rows
            .iter()
            .map(|row| row.name.as_str())
            .collect::<Vec<_>>(),
        ["login", "whole"]
    );
    // A process that was stopped while writing leaves half a line. Here, 20 ms became 2 ms.
    let cut = text
        .trim_end()
        .rsplit_once("20;whole")
        .unwrap()
        .0
        .to_owned()
        + "2";
    let results = read(&[("log.jtl".to_owned(), cut)]).unwrap();
    assert_eq!(
        results[0].levels[0]
            .total
            .times
            .min
            .as_ref()
            .unwrap()
            .value
            .to_bits(),
        20f64.to_bits()
    );
}

#[test]
fn samples_over_midnight_last_as_long_as_they_did() {
    let line = |time: &str| {
        format!(
            r#"{{"metric":"http_req_duration","type":"Point","data":{{"time":"{time}","value":5.0,"tags":{{"name":"a","status":"200"}}}}}}"#
        )
    };
    let text = [
        line("2026-11-21T23:59:59.5+01:00"),
        line("2026-11-22T00:00:01.5+01:00"),
    ]
    .join("\n");
    let results = read(&[("k6.json".to_owned(), text)]).unwrap();
    let span = results[0].levels[0].duration_s.as_ref().unwrap().value;
    assert!((span - 2.005).abs() < 1e-6, "{span}");
}

#[test]
fn what_is_nearly_a_form_says_which_one_is_read() {
    for (text, words) in [
        (
            "<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">",
            "only CSV is supported",
        ),
        (
            "     http_req_duration..............: avg=4.2ms min=2ms",
            "k6 run --summary-export",
        ),
        (
            "1795308801490,46,ask,200,OK,users 1-3,text,true,,83,126,5,5,http://127.0.0.1/,38,0,27\n",
            "print_field_names=true",
        ),
        (
            "timeStamp,elapsed,label\n2026/11/22 00:53:18.241,49,ask\n",
            "timestamp_format=ms",
        ),
        ("a\0b\0", "zero bytes"),
        ("{\0\"\0", "zero bytes"),
        ("timeStamp,elapsed,label\n", "no figures"),
        ("response-time,DNS+dialup,DNS,Request-write\n", "no figures"),
        ("Type,Name,Request Count,Failure Count\n", "no figures"),
        (
            "{\"metric\":\"vus\",\"type\":\"Metric\"}\n{\"metric\":\"vus\",\"type\":\"Point\"}\n",
            "no sample of http_req_duration",
        ),
        ("title = \"x\"\n", "neither a [[level]] nor a [[claim]]"),
    ] {
        let why = read(&[("x".to_owned(), text.to_owned())])
            .unwrap_err()
            .to_string();
        assert!(why.starts_with("x:") && why.contains(words), "{why}");
    }
}

/// Generates samples while they are read, so that only the reader's own data takes memory.
struct Endless {
    left: u64,
    line: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            if self.left == 0 {
                return Ok(0);
            }
            self.left -= 1;
            self.at = 0;
        }
        let count = buffer.len().min(self.line.len() - self.at);
        buffer[..count].copy_from_slice(&self.line[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[test]
fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
    let first = r#"{"metric":"http_req_duration","type":"Point","data":"#;
    assert!(by_lines(first));
    let endless = Endless {
        left: 1 << 30,
        line: format!("{first}{}", "x".repeat(4000)).into_bytes(),
        at: 0,
    };
    let text = Text::Lines(Box::new(BufReader::new(endless)));
    let why = read_files(vec![("k6.json".to_owned(), text)])
        .unwrap_err()
        .to_string();
    assert!(why.contains("line 1: longer than 1 MiB"), "{why}");
}

#[test]
fn a_quote_that_is_never_closed_is_refused_before_it_fills_the_memory() {
    let first = "timeStamp,elapsed,label\n1795308761644,5,\"open\n";
    assert!(by_lines("timeStamp,elapsed,label"));
    let endless = Endless {
        left: 1 << 30,
        line: b"1795308761644,5,ask,200,OK\n".repeat(200),
        at: 0,
    };
    let text = Box::new(BufReader::new(first.as_bytes().chain(endless)));
    let why = read_files(vec![("log.jtl".to_owned(), Text::Lines(text))])
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("line 2: a row is longer than 16 MiB: check for an unclosed quote"),
        "{why}"
    );
}

#[test]
fn names_that_are_new_each_time_share_a_row_beyond_the_first_thousand() {
    let mut text = "timeStamp,elapsed,label,success\n".to_owned();
    for index in 0..3000 {
        let began = 1_700_000_000_000_i64 + 10 * index;
        let _ = writeln!(text, "{began},20,GET /item/{index},true");
    }
    let results = read(&[("log.jtl".to_owned(), text)]).unwrap();
    let rows = &results[0].levels[0].rows;
    assert_eq!(rows.len(), 1001);
    let others = rows.iter().find(|row| row.name == "all other names");
    let counted = others.unwrap().counts.sent.as_ref().unwrap().value;
    assert_eq!(counted.to_bits(), 2000f64.to_bits());
}

#[test]
fn of_many_findings_of_one_kind_a_person_reads_ten() {
    let row = |index| format!("[[level.row]]\nname = \"r{index}\"\ncount = 30\np99 = 5\n");
    let rows: String = (0..500).map(row).collect();
    let text = format!("[[level]]\nname = \"a\"\n{rows}");
    let results = read(&[("a.toml".to_owned(), text)]).unwrap();
    let audit = audit(&results[0]);
    assert_eq!(audit.findings.len(), 500);
    let json = audit::json(&audit);
    assert_eq!(json["findings"].as_array().unwrap().len(), 500);
    for text in [terminal(&audit, false), audit::markdown(&audit)] {
        assert!(text.lines().count() < 200, "{text}");
        assert!(text.contains("490"), "{text}");
    }
}

#[test]
fn names_from_files_are_no_markup_and_move_no_cursor() {
    let text = "Type,Name,Request Count,Failure Count,Average Response Time,Min Response Time,Max Response Time\n\
        GET,@all *x* #1 <b> \u{1b}[2J\u{202e},10,0,5,1,2\n";
    let results = read(&[("x".to_owned(), text.to_owned())]).unwrap();
    let audit = audit(&results[0]);
    assert!(!audit.findings.is_empty());
    assert!(!terminal(&audit, false).contains(['\u{1b}', '\u{202e}']));
    let markdown = audit::markdown(&audit);
    assert!(
        markdown.contains("&#64;all \\*x\\* \\#1 &lt;b&gt;"),
        "{markdown}"
    );
}
