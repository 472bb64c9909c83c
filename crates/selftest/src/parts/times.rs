use stats::{Estimate, REPORTED, needed_samples};

use crate::compare::Rows;
use crate::evidence::Evidence;
use crate::simulate::{Stalls, quantile, queued, stalled};

const MS: u64 = 1_000_000;

/// What the scenarios order: `480ms/4s/1502500us` …
const STALLS: Stalls = Stalls {
    lasts: 480 * MS,
    every: 4000 * MS,
    first: 1_502_500_000,
};

/// … after this delay.
const DELAY: u64 = 40 * MS;

pub(crate) fn delays(found: &Evidence, rows: &mut Rows) {
    for (path, delay) in [("/delay/40ms", 40), ("/delay/100ms", 100)] {
        let requests = found.requests(&format!("GET {path}"));
        let answers = found.route(path, &["answers", "200"]);
        rows.count(&format!("requests to {path}"), 42 * 25, requests.count);
        rows.count(&format!("answers of {path}"), answers, requests.count);
        let what = format!("response time of {path}");
        let at = |q| requests.response_at(q);
        percentiles(&what, vec![delay * MS; 42 * 25], at, rows);
    }
}

pub(crate) fn echo(found: &Evidence, rows: &mut Rows) {
    let exchanges = found.exchanges("echo");
    rows.count("exchanges", 20 * 55, exchanges.count);
    let at = |q| exchanges.response_at(q);
    percentiles("exchange", vec![DELAY; 20 * 55], at, rows);
}

pub(crate) fn stall_http(found: &Evidence, rows: &mut Rows) {
    let path = "/stall/40ms/480ms/4s/1502500us";
    let requests = found.requests(&format!("GET {path}"));
    rows.count("arrivals in 6 s at 200/s", 1200, requests.count);
    let times = stalled(&found.planned, found.lead(path), DELAY, STALLS);
    percentiles("response time", times, |q| requests.response_at(q), rows);
}

pub(crate) fn stall_room(found: &Evidence, rows: &mut Rows) {
    let said = found.deliveries("said");
    let sent = found.told(&["websocket", "sum", "sent"]);
    rows.count("deliveries", sent, said.received());
    let due: Vec<u64> = (0..said.messages).map(|n| n * 5 * MS).collect();
    let times = stalled(&due, 0, DELAY, STALLS);
    percentiles("delivery latency", times, |q| said.latency_at(q), rows);
}

pub(crate) fn queue_even(found: &Evidence, rows: &mut Rows) {
    queue(found, "/queue/1/4ms", (1, 4 * MS), rows);
}

pub(crate) fn queue_poisson(found: &Evidence, rows: &mut Rows) {
    queue(found, "/queue/4/25ms", (4, 25 * MS), rows);
}

fn queue(found: &Evidence, path: &str, (servers, service): (usize, u64), rows: &mut Rows) {
    let requests = found.requests(&format!("GET {path}"));
    rows.count("arrivals", found.planned.len() as u64, requests.count);
    let times = queued(&found.planned, found.lead(path), servers, service);
    percentiles("response time", times, |q| requests.response_at(q), rows);
}

/// Every percentile that so many samples carry.
fn percentiles(
    what: &str,
    mut times: Vec<u64>,
    measured: impl Fn(f64) -> Estimate,
    rows: &mut Rows,
) {
    for percentile in REPORTED {
        if times.len() as u64 >= needed_samples(percentile.q) {
            let truth = quantile(&mut times, percentile.q);
            let what = format!("{what} {}", percentile.name);
            rows.time(&what, truth, measured(percentile.q));
        }
    }
}
