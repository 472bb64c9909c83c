//! The mistakes of the field report (B-X1 to B-X12), each with arithmetic on its own figures and with our measurements.

use std::fmt::Write as _; // writing to a String cannot fail

use record::{Level, Run};

use super::Parts;
use super::field::BRIDGE;
use crate::story::{deliveries, level_at, levels_at, millis, per_s, range, requests, whole};
use crate::telling::Finding;

/// All findings, in order.
pub(crate) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    vec![
        finding(
            "B-X1",
            "\"Throughput scales linearly\": its own figures show that it does not",
            linear(parts),
        ),
        finding(
            "B-X2",
            "\"Latency scales sub-linearly\": in a closed loop, latency only restates throughput",
            closed_loop(parts),
        ),
        finding(
            "B-X3",
            "\"Well within capacity\" and \"saturated at ~10+ users\" contradict each other",
            contradiction(parts),
        ),
        finding(
            "B-X4",
            "Runs of 15 and 29 ms measure start-up, not the server",
            short_runs(parts),
        ),
        finding(
            "B-X5",
            "Wall times with two digits cannot support \"+42 % against +43 %\"",
            false_precision(),
        ),
        finding(
            "B-X6",
            "The generator was not measured, so the limit may have been its own",
            generator(parts),
        ),
        finding(
            "B-X7",
            "\"Isolation adds minimal overhead\" has no control without isolation",
            no_control(),
        ),
        finding(
            "B-X8",
            "30 sessions for 20 users is a leak, not \"all sessions active\"",
            leftovers(parts),
        ),
        finding(
            "B-X9",
            "\"Zero errors\" in 400 messages allows an error rate of 0.75 %",
            zero_errors(parts),
        ),
        finding(
            "B-X10",
            "\"20 users\" are 20 loops with 686 messages a second each, not people",
            people(parts),
        ),
        finding(
            "B-X11",
            "Requests were counted as messages; deliveries to listeners were not measured",
            deliveries_not_measured(parts),
        ),
        finding(
            "B-X12",
            "Hardware, percentile method and half of the baseline are not stated",
            unstated(parts),
        ),
    ]
}

fn linear(parts: &Parts<'_>) -> String {
    let [five, ten, twenty] = BRIDGE.map(|row| row.per_s);
    let mut text = format!(
        "Its table: {:+.0} % from 5 to 10 users, for +100 % of users, and {:+.1} % from 10 to 20. The text below the \
             heading itself mentions a plateau.",
        (ten / five - 1.0) * 100.0,
        (twenty / ten - 1.0) * 100.0
    );
    if let Some([five, ten, twenty]) = ours(parts) {
        let _ = write!(
            text,
            " Here: {} → {} → {} messages/s, {:+.0} % and {:+.0} %.",
            whole(per_s(five)),
            whole(per_s(ten)),
            whole(per_s(twenty)),
            (per_s(ten) / per_s(five) - 1.0) * 100.0,
            (per_s(twenty) / per_s(ten) - 1.0) * 100.0
        );
    }
    text
}

fn closed_loop(parts: &Parts<'_>) -> String {
    let mut text =
        "For N users without a pause, N = throughput × mean response time (Little's law). The mean therefore \
         follows from the throughput:"
            .to_owned();
    for row in BRIDGE {
        let _ = write!(
            text,
            " {} / {} = {:.2} ms;",
            row.users,
            whole(row.per_s),
            row.users as f64 / row.per_s * 1e3
        );
    }
    text.push_str(
        " p50 from 10 to 20 users is 0.63 → 1.28 ms, or ×2.03 for twice the users: exactly linear, as expected \
         once throughput no longer grows.",
    );
    if let Some(levels) = ours(parts) {
        text.push_str(" Here, N ÷ throughput and the measured mean:");
        for level in levels {
            let mean = requests(level)
                .response
                .mean()
                .map_or(0.0, model::Nanos::as_millis_f64);
            let _ = write!(
                text,
                " {} users: {:.3} and {mean:.3} ms;",
                level.load.users,
                level.load.users as f64 / per_s(level) * 1e3
            );
        }
        text.push_str(
            " the small difference is the time that the generator needs between a response and the next \
             message.",
        );
    }
    text
}

fn contradiction(parts: &Parts<'_>) -> String {
    let mut text = "A loop that is saturated at ten users has no capacity left at twenty, and +0.8 % shows the same. \
         Capacity is the load up to which thresholds hold, and none was stated.".to_owned();
    if let Some(level) = parts.http.and_then(|run| level_at(run, 20)) {
        let busiest = level
            .target
            .as_ref()
            .and_then(|target| target.busiest_thread.as_ref());
        if let Some(thread) = busiest {
            let _ = write!(
                text,
                " Here the bridge's busiest thread was at {:.0} % of a core at 20 users.",
                thread.cpu_percent
            );
        }
    }
    text
}

fn short_runs(parts: &Parts<'_>) -> String {
    let mut text = "200 messages in 15 ms and 400 in 29 ms, once each: the runs consist of start-up, p99 rests on the \
         largest 2 and 4 samples, and there is no spread.".to_owned();
    let Some(run) = parts.short else { return text };
    text.push_str(" The same test here, with ten runs per size:");
    for users in [5, 10, 20] {
        let rates = range(levels_at(run, users).map(per_s));
        let worst = range(
            levels_at(run, users)
                .filter_map(|level| requests(level).response.quantile(0.99))
                .map(model::Nanos::as_millis_f64),
        );
        let held = range(levels_at(run, users).map(|level| level.phases.duration_s * 1e3));
        if let (Some(rates), Some(worst), Some(held)) = (rates, worst, held) {
            let _ = write!(
                text,
                " {users} users: {} to {} messages/s ({:.1} times), \"p99\" {:.2} to {:.2} ms, run time {:.1} to \
                     {:.1} ms;",
                whole(rates.0),
                whole(rates.1),
                rates.1 / rates.0,
                worst.0,
                worst.1,
                held.0,
                held.1
            );
        }
    }
    text.push_str(" a single run like this can show almost anything.");
    text
}

fn false_precision() -> String {
    let mut text =
        "13,605.2 and 13,711.8 messages/s have six digits, but the wall times have two:".to_owned();
    for row in &BRIDGE[1..] {
        let wall = row.wall_s.unwrap_or(f64::NAN);
        let _ = write!(
            text,
            " {} / {wall} s = {} (any rate from {} to {} gives that wall time);",
            row.messages,
            whole(row.messages as f64 / wall),
            whole(row.messages as f64 / (wall + 0.0005)),
            whole(row.messages as f64 / (wall - 0.0005))
        );
    }
    text.push_str(" the two ranges overlap, so not even the sign of the difference is known.");
    text
}

fn generator(parts: &Parts<'_>) -> String {
    let mut text = "\"The aiohttp event loop is saturated\": the generator ran on the same machine, probably in \
         a loop of its own, and was not measured. There was no profile.".to_owned();
    if let Some(level) = parts.http.and_then(|run| level_at(run, 20)) {
        let busy = level.generator.busiest_worker_percent.unwrap_or(f64::NAN);
        let target = level
            .target
            .as_ref()
            .and_then(|target| target.cpu_percent)
            .unwrap_or(f64::NAN);
        let _ = write!(
            text,
            " Here at 20 users: the generator's busiest worker was busy for {busy:.0} % of the time, and the \
                 bridge used {target:.0} % of a core; the level is {}.",
            if !level.is_invalid() {
                "valid"
            } else {
                "invalid, so its throughput is a lower bound"
            }
        );
    }
    text
}

fn no_control() -> String {
    "To measure the cost of isolation, the same server must run without it. Neither the report nor this study did that, \
     because the bridge cannot run without isolation. Not measured."
        .to_owned()
}

fn leftovers(parts: &Parts<'_>) -> String {
    let mut text = "10 sessions after the first test, 30 after the second one with 20 users: the sessions of the first \
         test still existed. The runs are not independent. Since the 10-user run shows exactly 10, the 5-user run was \
         made on another server process and is not a baseline."
        .to_owned();
    let seen = |run: &Run| {
        run.levels
            .iter()
            .map(|level| level.leftovers.unwrap_or(0.0))
            .collect::<Vec<_>>()
    };
    if let Some(found) = parts.short.map(seen).filter(|found| found.len() > 2) {
        let _ = write!(
            text,
            " Run the same way here, headcount found {} sessions before the second level, {} before the third \
                 and {} before the last.",
            found[1],
            found[2],
            found[found.len() - 1]
        );
    }
    if let Some(most) = parts
        .http
        .map(seen)
        .and_then(|found| range(found.into_iter()))
    {
        let _ = write!(
            text,
            " In the measured levels every conversation ends its session: at most {} sessions were left before a level.",
            most.1
        );
    }
    text
}

fn zero_errors(parts: &Parts<'_>) -> String {
    let mut text = "With 0 failures in n independent operations, the failure rate is below 3/n with 95 % confidence: \
         0 of 200 allows 1.5 %, 0 of 400 allows 0.75 %. And a run of 29 ms cannot reach a timeout.".to_owned();
    if let Some(level) = parts.http.and_then(|run| level_at(run, 20)) {
        let all = requests(level);
        if all.failed == 0 {
            let _ = write!(
                text,
                " Here: 0 of {}, which allows at most {:.5} % if failures are independent.",
                whole(all.count as f64),
                stats::zero_failures_bound(all.count).unwrap_or(1.0) * 100.0
            );
        } else {
            let _ = write!(
                text,
                " Here: {} of {} failed.",
                all.failed,
                whole(all.count as f64)
            );
        }
    }
    text
}

fn people(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "{} messages/s from 20 users is {} per second for each. People do not write like that.",
        whole(BRIDGE[2].per_s),
        whole(BRIDGE[2].per_s / 20.0)
    );
    if let Some(level) = parts.rooms.and_then(|run| run.levels.last()) {
        let messages = deliveries(level).messages as f64 / level.phases.duration_s;
        let _ = write!(
            text,
            " At one message in 5 s, {} people send {messages:.0} messages/s, and each message reaches up \
                 to {} listeners. That was measured, in the table above.",
            whole(level.load.users as f64),
            level.load.users / level.load.groups
        );
    }
    text
}

fn deliveries_not_measured(parts: &Parts<'_>) -> String {
    let mut text = "A \"message\" of the report is a request and its response. The report did not check whether, when \
         and in which order the others in the room received it. It does not state how the users were spread over the \
         rooms.".to_owned();
    let levels = parts
        .rooms
        .map(|run| run.levels.as_slice())
        .unwrap_or_default();
    if !levels.is_empty() {
        let all = levels.iter().map(deliveries).reduce(|mut all, one| {
            all.merge(&one);
            all
        });
        if let Some(all) = all {
            let _ = write!(
                text,
                " Here every message is tracked to all members of its room: {} deliveries expected over all \
                     levels, {} delivered, {} late, {} lost, {} duplicated, {} out of order, {} delivered to a \
                     wrong room.",
                whole(all.expected as f64),
                whole(all.delivered as f64),
                all.late,
                all.lost_count(),
                all.duplicated,
                all.reordered,
                all.misdelivered_count()
            );
        }
    }
    text
}

fn unstated(parts: &Parts<'_>) -> String {
    let p95 = parts
        .http
        .and_then(|run| level_at(run, 5))
        .map(|level| millis(requests(level).response_at(0.95)));
    let mut text = "\"macOS, local aiohttp server\" is the only description of the machine. The baseline's p95 must \
         be derived from \"+19 %\" (1.10 ms). How percentiles were computed is not stated.".to_owned();
    if let Some(p95) = p95 {
        let _ = write!(
            text,
            " Here: machine, versions, seed and script are in each run.json. Percentiles come from HDR \
                 histograms (three digits), and need at least ten samples beyond them. p95 at 5 users \
                 is {p95} ms."
        );
    }
    text
}

fn ours<'a>(parts: &Parts<'a>) -> Option<[&'a Level; 3]> {
    let run = parts.http?;
    Some([level_at(run, 5)?, level_at(run, 10)?, level_at(run, 20)?])
}
