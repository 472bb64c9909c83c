use probe::{Exposition, MetricSample, ProcessFigures};

use crate::{Target, bytes_of, text_of};

/// Parses a response of a Prometheus endpoint.
pub(crate) const EXPOSITION: Target = Target {
    name: "exposition",
    run: exposition,
    seeds: || {
        bytes_of(&[
            "# HELP http_requests_total Requests.\n# TYPE http_requests_total counter\n\
             http_requests_total{method=\"GET\",path=\"/a b\"} 1027 1395066363000\n",
            "# TYPE t histogram\nt_bucket{le=\"0.5\"} 2 # {trace=\"x\"} 0.3\nt_bucket{le=\"+Inf\"} 3\nt_sum 1.5e-3\nt_count 3\n# EOF\n",
            "process_cpu_seconds_total 12.5\nprocess_resident_memory_bytes 2.5e7\nprocess_start_time_seconds 1.7e9\n",
            "a NaN\nb -Inf\nc{x=\"\\\"}\\n\\\\\"} 0\nno value\n{} 1\n",
        ])
    },
    words: &[
        "{", "}", "=", "\"", "\\\"", ",", "#", " ", "\n", "# TYPE ", "counter", "gauge", "_total",
        "_bucket", "le", "NaN", "+Inf", "1e308", "\t", "\r\n",
    ],
    memory: 1 << 22,
};

fn exposition(data: &[u8]) {
    let text = text_of(data);
    let found = Exposition::parse(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.filter(|line| !line.starts_with('#')).count();
    assert_eq!(found.samples.len() as u64 + found.left_out, said as u64);
    let _ = ProcessFigures::of(&found);
    for sample in &found.samples {
        assert!(!sample.name.is_empty());
        assert!(text.contains(&sample.name) && text.contains(&sample.labels));
        same_again(sample);
    }
}

/// Asserts that a sample, written as a separate line, is parsed to the same sample again.
fn same_again(sample: &MetricSample) {
    let line = format!("{}{} {}", sample.name, sample.labels, sample.value);
    let again = Exposition::parse(&line);
    let [read] = again.samples.as_slice() else {
        panic!("{line:?} is no sample any more");
    };
    assert_eq!((&read.name, &read.labels), (&sample.name, &sample.labels));
    let same = read.value.to_bits() == sample.value.to_bits();
    assert!(
        same || read.value.is_nan() && sample.value.is_nan(),
        "{line:?}"
    );
}
