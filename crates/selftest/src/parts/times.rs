use stats::{Estimate, REPORTED, needed_samples};

use crate::compare::Rows;
use crate::evidence::Evidence;
use crate::simulate::{Stalls, quantile, queued, stalled};

const MS: u64 = 1_000_000;

/// The stalls that the scenarios request: `480ms/4s/1502500us`.
const STALLS: Stalls = Stalls {
    lasts: 480 * MS,
    every: 4000 * MS,
    first: 1_502_500_000,
};

/// The server's delay in the scenarios with stalls.
const DELAY: u64 = 40 * MS;

/// Number of messages in `stall-room`: one every 5 ms for six seconds.
const MESSAGES: u64 = 6 * 200;
/// Number of messages that may be due while the two users join. Joining takes at most 20 ms.
const JOINING: u64 = 4;

pub(crate) fn delays(found: &Evidence, rows: &mut Rows) {
    for (path, delay) in [("/delay/100ms", 100), ("/delay/200ms", 200)] {
        let requests = found.requests(&format!("GET {path}"));
        let answers = found.route(path, &["answers", "200"]);
        rows.count(&format!("requests to {path}"), 90 * 12, requests.count);
        rows.count(&format!("responses of {path}"), answers, requests.count);
        let what = format!("response time of {path}");
        let at = |q| requests.response_at(q);
        percentiles(&what, vec![delay * MS; 90 * 12], at, rows);
    }
}

pub(crate) fn echo(found: &Evidence, rows: &mut Rows) {
    let exchanges = found.round_trips("echo");
    rows.count("round trips", 40 * 27, exchanges.count);
    let at = |q| exchanges.response_at(q);
    percentiles("round trip", vec![100 * MS; 40 * 27], at, rows);
}

pub(crate) fn stall_http(found: &Evidence, rows: &mut Rows) {
    let path = "/stall/40ms/480ms/4s/1502500us";
    let requests = found.requests(&format!("GET {path}"));
    rows.count("arrivals in 6 s at 200/s", 1200, found.planned.len() as u64);
    arrivals(found, path, rows);
    let times = stalled(&found.planned, found.lead(path), DELAY, STALLS);
    percentiles("response time", times, |q| requests.response_at(q), rows);
}

pub(crate) fn stall_room(found: &Evidence, rows: &mut Rows) {
    let said = found.deliveries("said");
    let sent = found.told(&["websocket", "sum", "sent"]);
    rows.started_about("messages in 6 s at 200/s", MESSAGES, said.messages, JOINING);
    rows.count("deliveries", sent, said.received());
    let due: Vec<u64> = (0..said.messages).map(|n| n * 5 * MS).collect();
    let times = stalled(&due, 0, DELAY, STALLS);
    percentiles("delivery latency", times, |q| said.latency_at(q), rows);
}

pub(crate) fn queue_even(found: &Evidence, rows: &mut Rows) {
    queue(found, "/queue/1/4ms", (1, 4 * MS), rows);
}

pub(crate) fn queue_poisson(found: &Evidence, rows: &mut Rows) {
    queue(found, "/queue/8/60ms", (8, 60 * MS), rows);
}

fn queue(found: &Evidence, path: &str, (servers, service): (usize, u64), rows: &mut Rows) {
    let requests = found.requests(&format!("GET {path}"));
    arrivals(found, path, rows);
    let times = queued(&found.planned, found.lead(path), servers, service);
    percentiles("response time", times, |q| requests.response_at(q), rows);
}

/// Checks that each planned arrival was either dropped or started, and that each started one received a response.
fn arrivals(found: &Evidence, path: &str, rows: &mut Rows) {
    let planned = found.planned.len() as u64;
    let iterations = &found.level.measured.iterations;
    rows.count("arrivals that were due", planned, iterations.planned);
    let accounted = iterations.started + iterations.dropped;
    rows.count("arrivals started or dropped", planned, accounted);
    rows.started("arrivals started", planned, iterations.started);
    let answered = found.requests(&format!("GET {path}")).count;
    let told = found.route(path, &["answers", "200"]);
    rows.count("responses", told, answered);
}

/// Compares every percentile that the number of samples supports.
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
            rows.time(&what, percentile.q, truth, measured(percentile.q));
        }
    }
}
