//! Writes a run as each tool would, with the tool's format, definition of a percentile and rounding.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::common::{Definition, percentile};
use crate::systems::{Dice, Run};

const INTERPOLATED: Definition = Definition::HyndmanFan(7);
const HDR: Definition = Definition::Hdr;

fn mean(sorted: &[f64]) -> f64 {
    sorted.iter().sum::<f64>() / sorted.len() as f64
}

fn last(sorted: &[f64]) -> f64 {
    sorted[sorted.len() - 1]
}

fn rounded(value: f64, places: i32) -> f64 {
    let unit = 10f64.powi(places);
    (value * unit).round() / unit
}

fn seconds(run: &Run) -> f64 {
    run.load.length_ms / 1e3
}

/// k6's `--summary-export`. With `whole`, the object that `handleSummary` receives.
pub(crate) fn k6(run: &Run, whole: bool) -> String {
    let trend = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let q = |q| percentile(&times, q, INTERPOLATED);
        json!({"avg": mean(&times), "min": times[0], "med": q(0.5), "max": last(&times), "p(90)": q(0.9), "p(95)": q(0.95)})
    };
    let iterations: Vec<f64> = run
        .requests
        .iter()
        .filter(|request| request.began + request.took + request.pause <= run.load.length_ms)
        .map(|request| request.took + request.pause)
        .collect();
    let (count, failed) = (run.requests.len(), run.failed());
    let done = iterations.len();
    if done == 0 {
        return String::new();
    }
    let mut metrics = Map::new();
    let mut metric = |name: &str, values: Value| {
        let values = if whole {
            json!({"values": values})
        } else {
            values
        };
        metrics.insert(name.to_owned(), values);
    };
    metric("http_req_duration", trend(run.sorted()));
    metric("iteration_duration", trend(iterations));
    metric(
        "iterations",
        json!({"count": done, "rate": done as f64 / seconds(run)}),
    );
    metric(
        "http_reqs",
        json!({"count": count, "rate": count as f64 / seconds(run)}),
    );
    metric(
        "http_req_failed",
        json!({"passes": failed, "fails": count - failed, "value": failed as f64 / count as f64}),
    );
    metric(
        "vus_max",
        json!({"value": run.load.users, "min": run.load.users, "max": run.load.users}),
    );
    let mut summary = json!({"metrics": metrics, "root_group": {}});
    if whole {
        summary["state"] = json!({"testRunDurationMs": run.load.length_ms});
    }
    summary.to_string()
}

/// Locust's `_stats.csv`: percentiles of rounded times, with two digits from 100 ms on.
pub(crate) fn locust(run: &Run) -> String {
    let rough = |time: f64| match time {
        _ if time < 100.0 => time.round(),
        _ if time < 1000.0 => rounded(time, -1),
        _ if time < 10_000.0 => rounded(time, -2),
        _ => rounded(time, -3),
    };
    let times: Vec<f64> = run.sorted();
    let rounded_times: Vec<f64> = times.iter().map(|time| rough(*time)).collect();
    let mut text = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,\
        Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%\n"
        .to_owned();
    let (count, failed) = (times.len(), run.failed());
    let span = run
        .requests
        .iter()
        .map(|one| one.began + one.took)
        .fold(0.0, f64::max)
        / 1e3;
    for name in ["GET,/", ",Aggregated"] {
        let q = |q| percentile(&rounded_times, q, Definition::Index);
        let _ = write!(
            text,
            "{name},{count},{failed},{},{},{},{}",
            q(0.5),
            mean(&times),
            times[0],
            last(&times)
        );
        let _ = write!(
            text,
            ",12.0,{},{}",
            count as f64 / span.max(1.0),
            failed as f64 / span.max(1.0)
        );
        for percent in [
            50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9, 99.99, 100.0,
        ] {
            let _ = write!(text, ",{}", q(percent / 100.0));
        }
        text.push('\n');
    }
    text
}

/// HDR histogram of whole numbers with three digits: returns the highest value of the bin.
fn hdr(times: &[f64], q: f64) -> f64 {
    let rank = (times.len() as f64 * q + 0.5)
        .floor()
        .clamp(1.0, times.len() as f64);
    let time = times[rank as usize - 1];
    let width = 2f64.powf((time.max(1.0).log2().floor() - 10.0).max(0.0));
    (time / width).floor() * width + width - 1.0
}

/// autocannon's JSON: whole milliseconds in an HDR histogram, and sampled rates per second.
pub(crate) fn autocannon(run: &Run) -> String {
    let times: Vec<f64> = run.sorted().into_iter().map(f64::floor).collect();
    let whole_seconds = (seconds(run).floor() as usize).max(1);
    let ends = run.requests.iter().map(|one| (one.began + one.took) / 1e3);
    let sampled = ends.filter(|end| *end < whole_seconds as f64).count();
    let mut latency = json!({
        "mean": rounded(mean(&times), 2), "min": times[0], "max": last(&times), "totalCount": times.len(),
    });
    let keys = [
        ("p2_5", 0.025),
        ("p10", 0.1),
        ("p25", 0.25),
        ("p50", 0.5),
        ("p75", 0.75),
        ("p90", 0.9),
        ("p97_5", 0.975),
        ("p99", 0.99),
        ("p99_9", 0.999),
    ];
    for (key, q) in keys {
        latency[key] = hdr(&times, q).into();
    }
    let rate = sampled as f64 / whole_seconds as f64;
    json!({
        "connections": run.load.users, "pipelining": 1, "duration": rounded(seconds(run) + 0.02, 2), "latency": latency,
        "requests": {"mean": rounded(rate, 2), "total": times.len()}, "5xx": run.failed(), "4xx": 0, "errors": 0, "timeouts": 0,
    })
    .to_string()
}

/// oha's JSON: seconds with all digits, percentiles by the plain index of a sorted list.
pub(crate) fn oha(run: &Run) -> String {
    let times = run.sorted();
    let mut listed = Map::new();
    for percent in [10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99] {
        let time = percentile(&times, percent / 100.0, Definition::Index);
        listed.insert(format!("p{percent}"), (time / 1e3).into());
    }
    let total = seconds(run);
    json!({
        "summary": {
            "successRate": 1.0, "total": total, "slowest": last(&times) / 1e3, "fastest": times[0] / 1e3,
            "average": mean(&times) / 1e3, "requestsPerSec": times.len() as f64 / total,
        },
        "latencyPercentiles": listed, "statusCodeDistribution": {"200": times.len()},
    })
    .to_string()
}

/// hey's text: seconds with four decimals.
pub(crate) fn hey(run: &Run) -> String {
    let times = run.sorted();
    let total = seconds(run);
    let mut text = format!(
        "\nSummary:\n  Total:\t{total:.4} secs\n  Slowest:\t{:.4} secs\n  Fastest:\t{:.4} secs\n  Average:\t{:.4} secs\n  Requests/sec:\t{:.4}\n  \n\n",
        last(&times) / 1e3,
        times[0] / 1e3,
        mean(&times) / 1e3,
        times.len() as f64 / total
    );
    text += "\nLatency distribution:\n";
    for percent in [10, 25, 50, 75, 90, 95, 99] {
        // hey takes the first time whose share of all times, cut off to whole per cent, reaches the percentile.
        let found = (0..times.len()).find(|index| index * 100 / times.len() >= percent);
        if let Some(index) = found.filter(|index| times[*index] > 0.0) {
            let _ = writeln!(text, "  {percent}% in {:.4} secs", times[index] / 1e3);
        }
    }
    let _ = write!(
        text,
        "\nStatus code distribution:\n  [200]\t{} responses\n\n",
        times.len()
    );
    text
}

/// wrk's text: two decimals in the largest unit with a value of at least 1.
pub(crate) fn wrk(run: &Run) -> String {
    let times = run.sorted();
    let print = |ms: f64| match ms {
        _ if ms < 1.0 => format!("{:.2}us", ms * 1e3),
        _ if ms < 1000.0 => format!("{ms:.2}ms"),
        _ => format!("{:.2}s", ms / 1e3),
    };
    let average = mean(&times);
    let squares: f64 = times.iter().map(|time| (time - average).powi(2)).sum();
    let deviation = (squares / (times.len() as f64 - 1.0).max(1.0)).sqrt();
    let total = seconds(run);
    let mut text = format!(
        "Running {total}s test @ http://127.0.0.1/\n  1 threads and {} connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   {}   {}   {}   90.00%\n    Req/Sec     1.00k    10.00     1.10k    70.00%\n  Latency Distribution\n",
        run.load.users,
        print(average),
        print(deviation),
        print(last(&times))
    );
    for percent in [50, 75, 90, 99] {
        let time = percentile(&times, f64::from(percent) / 100.0, Definition::Index);
        let _ = writeln!(text, "     {percent}%  {}", print(time));
    }
    let rate = times.len() as f64 / total;
    let _ = write!(
        text,
        "  {} requests in {total:.2}s, 1.00MB read\nRequests/sec: {rate:.2}\nTransfer/sec: 1.00MB\n",
        times.len()
    );
    text
}

/// vegeta's JSON: percentiles from a sketch, here with a rank error of up to 2.5 percentage points.
pub(crate) fn vegeta(run: &Run, dice: &mut Dice) -> String {
    let times = run.sorted();
    let nanos = |ms: f64| (ms * 1e6).round();
    let mut latencies =
        json!({"mean": nanos(mean(&times)), "max": nanos(last(&times)), "min": nanos(times[0])});
    let mut least: f64 = 0.0;
    for (key, q) in [("50th", 0.5), ("90th", 0.9), ("95th", 0.95), ("99th", 0.99)] {
        let off = (q + 0.05 * (dice.next() - 0.5)).clamp(0.0, 1.0);
        least = least.max(percentile(&times, off, INTERPOLATED));
        latencies[key] = nanos(least).into();
    }
    let (count, ok) = (times.len(), times.len() - run.failed());
    json!({
        "latencies": latencies, "requests": count, "duration": nanos(run.load.length_ms), "rate": count as f64 / seconds(run),
        "success": ok as f64 / count as f64, "status_codes": {"200": ok, "500": count - ok}, "errors": [],
    })
    .to_string()
}

/// Artillery's JSON: whole milliseconds in a sketch with an error of 1 %, printed with one decimal.
pub(crate) fn artillery(run: &Run, dice: &mut Dice) -> String {
    let times: Vec<f64> = run.sorted().into_iter().map(f64::round).collect();
    let mut values = json!({"min": times[0], "max": last(&times), "count": times.len(), "mean": rounded(mean(&times), 1)});
    let off = 1.0 + 0.019 * (dice.next() - 0.5);
    for (key, q) in [
        ("median", 0.5),
        ("p75", 0.75),
        ("p90", 0.9),
        ("p95", 0.95),
        ("p99", 0.99),
        ("p999", 0.999),
    ] {
        let rank = (q * (times.len() as f64 - 1.0)).floor() as usize;
        values[key] = rounded(times[rank] * off, 1).into();
    }
    json!({"aggregate": {
        "counters": {"http.requests": times.len(), "http.codes.200": times.len()},
        "firstMetricAt": 1000, "lastMetricAt": 1000.0 + run.load.length_ms.round(), "summaries": {"http.response_time": values},
    }})
    .to_string()
}

/// `JMeter`'s log: whole milliseconds, with decimals cut off.
pub(crate) fn jmeter(run: &Run) -> String {
    let mut text =
        "timeStamp,elapsed,label,responseCode,success,grpThreads,allThreads\n".to_owned();
    for request in &run.requests {
        let code = if request.failed {
            "500,false"
        } else {
            "200,true"
        };
        let began = 1_700_000_000_000.0 + request.began.floor();
        let _ = writeln!(
            text,
            "{began},{},get,{code},{1},{1}",
            request.took.floor(),
            run.load.users
        );
    }
    text
}

/// A careful written report, with any definition of a percentile, any rounding, and only supported percentiles.
pub(crate) fn report(run: &Run, dice: &mut Dice) -> String {
    let times = run.sorted();
    let all: Vec<Definition> = (1..=9)
        .map(Definition::HyndmanFan)
        .chain([Definition::Index, HDR])
        .collect();
    let definition = dice.among(&all);
    let places = dice.among(&[0usize, 1, 3]);
    let print = |ms: f64| {
        if ms >= 1000.0 {
            format!("{:.2}s", ms / 1e3)
        } else {
            format!("{ms:.places$}ms")
        }
    };
    let mut text = format!(
        "[[level]]\nname = \"run\"\nrepetitions = 3\nduration = \"{:.0}s\"\n",
        seconds(run)
    );
    if run.load.users > 0 {
        let _ = write!(
            text,
            "users = {}\nloop = \"closed\"\nthink = \"{:.2}ms\"\n",
            run.load.users, run.load.pause_ms
        );
    }
    let (count, failed) = (times.len(), run.failed());
    let _ = write!(
        text,
        "count = {count}\nok = {}\nfailed = {failed}\n",
        count - failed
    );
    let success = 100.0 * (count - failed) as f64 / count as f64;
    let _ = write!(
        text,
        "success = \"{success:.1}%\"\nrate = {:.1}\n",
        count as f64 / seconds(run)
    );
    let _ = write!(
        text,
        "min = \"{}\"\nmean = \"{}\"\nmax = \"{}\"\n",
        print(times[0]),
        print(mean(&times)),
        print(last(&times))
    );
    for q in [0.5, 0.9, 0.95, 0.99]
        .into_iter()
        .filter(|q| count as f64 * (1.0 - q) >= 10.0)
    {
        let _ = writeln!(
            text,
            "p{} = \"{}\"",
            (q * 100.0_f64).round(),
            print(percentile(&times, q, definition))
        );
    }
    text
}
