//! The mistakes of the field report (E-X1 to E-X17), each with arithmetic on its own figures and with our measurements.

use std::fmt::Write as _; // writing to a String cannot fail

use record::Deliveries;

use super::Parts;
use super::field::{EDITOR, NoServer};
use super::figures::{
    ceiling, ceiling_in_words, climb, converged, kb_per_user, late_test, levels, reported,
    reported_count, reported_in_ms, test, truth,
};
use crate::figures::{deliveries, level_at, range, whole};
use crate::telling::{Finding, cpu, memory, unsound};

mod advice;

/// All findings, in order.
pub(super) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    let mut all = vec![
        finding(
            "E-X1",
            "The \"latency\" is the time since the user's own last edit when somebody else joins",
            no_latency(parts),
        ),
        finding(
            "E-X2",
            "\"0 ms\" means no data, and is called EXCELLENT",
            no_data(parts),
        ),
        finding(
            "E-X3",
            "Percentiles of nine to ninety values, without stating so",
            few_samples(parts),
        ),
        finding(
            "E-X4",
            "Its own tests refute that broadcasting makes the server slow",
            broadcast(parts),
        ),
        finding(
            "E-X5",
            "\"Latency is slightly better than Test 3\": two of its three figures are worse",
            better(parts),
        ),
        finding(
            "E-X6",
            "\"Memory is the primary bottleneck\" uses the machine's figure, not the server's",
            memory_use(parts),
        ),
        finding(
            "E-X7",
            "\"CPU 19 %, well within capacity\" is also the machine's figure",
            cpu_use(parts),
        ),
        finding(
            "E-X8",
            "\"No throttling\" describes the tester's timers",
            timers(parts),
        ),
        finding(
            "E-X9",
            "\"Every message goes to 9 others\": the members of the rooms were not counted",
            occupancy(parts),
        ),
        finding(
            "E-X10",
            "\"10 users per room: poor latency\", although test 1 with 10 per room is the best of all",
            room_size(parts),
        ),
    ];
    all.extend(advice::all(parts));
    all
}

fn no_latency(parts: &Parts<'_>) -> String {
    let mut text = "Its tool measures a time in one place only: when `joined` arrives, it takes `now − time of this user's \
                    own last code-change`, if that is below 5 s. Users join every 101.4 ms and edit every 2 s, so it \
                    measures how far a user is between two own edits. By that arithmetic alone, a server that responds \
                    immediately gives:"
        .to_owned();
    for field in &EDITOR {
        match NoServer::of(field.users, field.rooms) {
            Some(none) => {
                let _ = write!(
                    text,
                    " test {}: mean {:.0} ms, p95 {:.0} ms, from about {:.0} values (reported: {} and {} ms);",
                    field.test,
                    none.mean_ms,
                    none.p95_ms,
                    none.samples,
                    field.mean_ms,
                    field.p95_ms
                );
            }
            None => {
                let _ = write!(
                    text,
                    " test {}: no value at all (reported: 0 ms);",
                    field.test
                );
            }
        }
    }
    for field in &EDITOR {
        if let Some(level) = test(parts, field.test) {
            let _ = write!(
                text,
                " here, test {}: {}, while the true p50 is {} ms and p95 {} ms;",
                field.test,
                reported_in_ms(level),
                truth(level, 0.5),
                truth(level, 0.95)
            );
        }
    }
    if let Some(level) = late_test(parts, 3) {
        let _ = write!(
            text,
            " and on a server that sends everything one second late, test 3: {}, while the true p50 is {} ms.",
            reported_in_ms(level),
            truth(level, 0.5)
        );
    }
    text.push_str(
        " The \"cliff\" is the length of the ramp-up. The bands, the capacity and the verdicts have no other basis.",
    );
    text
}

fn no_data(parts: &Parts<'_>) -> String {
    let mut text = "Ten users have joined after 10 × 0.1014 s = 1.0 s, but nobody has edited before 2.0 s. So there is no \
                    value. It is written as 0, and 0 < 100 ms makes the verdict EXCELLENT."
        .to_owned();
    if let Some(level) = test(parts, 1) {
        let _ = write!(
            text,
            " Here test 1 gave {} values of that kind, and {} true latencies: p95 {} ms.",
            reported_count(level),
            whole(deliveries(level).received() as f64),
            truth(level, 0.95)
        );
    }
    if let Some(level) = late_test(parts, 1) {
        let _ = write!(
            text,
            " On the server that is one second late it gave {} values again, that is \"0 ms, EXCELLENT\"; the true p50 is {} ms.",
            reported_count(level),
            truth(level, 0.5)
        );
    }
    text
}

fn few_samples(parts: &Parts<'_>) -> String {
    let mut text = "Two users in one room give a value if one joined at least 2 s after the other. On average:".to_owned();
    for field in &EDITOR {
        let samples = NoServer::of(field.users, field.rooms).map_or(0.0, |none| none.samples);
        let _ = write!(text, " test {}: {samples:.0} values;", field.test);
    }
    text.push_str(
        " in test 2, p95 and p99 are both 421 ms, the largest of nine values. Ten values beyond them take 1,000 for a p99, 200 for a p95.",
    );
    let counts: Vec<String> = (1..=EDITOR.len())
        .filter_map(|number| test(parts, number))
        .map(|level| reported_count(level).to_string())
        .collect();
    if !counts.is_empty() {
        let _ = write!(
            text,
            " Here the four tests gave {} values.",
            counts.join(", ")
        );
        let all: u64 = (1..=EDITOR.len())
            .filter_map(|number| test(parts, number))
            .map(|level| deliveries(level).received())
            .sum();
        let _ = write!(
            text,
            " Deliveries tracked in the same four runs: {}.",
            whole(all as f64)
        );
    }
    text
}

fn broadcast(parts: &Parts<'_>) -> String {
    let [_, _, third, fourth] = EDITOR;
    let mut text = format!(
        "Test 3 received {} messages, test 4 {}: ×{:.2} with the same senders. The \"latency\" is {} and {} ms: ×{:.2}. Twice \
         as much broadcasting changed nothing.",
        whole(third.received as f64),
        whole(fourth.received as f64),
        third.received as f64 / fourth.received as f64,
        third.mean_ms,
        fourth.mean_ms,
        third.mean_ms / fourth.mean_ms
    );
    if let (Some(third), Some(fourth)) = (test(parts, 3), test(parts, 4)) {
        let _ = write!(
            text,
            " Here: {} and {} deliveries, true p95 {} and {} ms, the server at {} and {} of a core.",
            whole(deliveries(third).received() as f64),
            whole(deliveries(fourth).received() as f64),
            truth(third, 0.95),
            truth(fourth, 0.95),
            cpu(third),
            cpu(fourth)
        );
    }
    text
}

fn better(parts: &Parts<'_>) -> String {
    let mut text = "Test 4 against test 3: mean 789.66 > 766.65 ms and p99 1943 > 1937 ms are worse; only p95 1741 < 1830 ms \
                    is lower. Both are random samples of the same phase between ramp-up and timer."
        .to_owned();
    let means = [3, 4]
        .into_iter()
        .filter_map(|number| reported(test(parts, number)?))
        .map(|metric| (metric.sum / metric.count as f64, metric.count))
        .collect::<Vec<_>>();
    if let [(third, of_third), (fourth, of_fourth)] = means[..] {
        let _ = write!(
            text,
            " Here its definition gives {third:.0} ms ({of_third} values) and {fourth:.0} ms ({of_fourth}): another random sample."
        );
    }
    text
}

fn memory_use(parts: &Parts<'_>) -> String {
    let mut text = "99.21 % is the figure of macOS for the whole machine, which fills free memory with cache. The only process \
                    whose memory was recorded is the tester itself (72.5 → 78.6 MB from 10 to 50 users). The server's memory \
                    was not measured, and there is no evidence for \"memory leak possible\"."
        .to_owned();
    if let Some(level) = test(parts, 3) {
        let used = memory(level).map_or("n/a".to_owned(), |used| format!("{used:.1} MB"));
        let _ = write!(
            text,
            " Here the server's process used {used} with 50 users."
        );
    }
    if let Some(level) = levels(parts.crowd).last()
        && let (Some(used), Some(each)) = (memory(level), kb_per_user(parts, level))
    {
        let _ = write!(
            text,
            " With {} users it used {used:.1} MB: {each:.1} KB per user.",
            whole(level.load.users as f64)
        );
    }
    text
}

fn cpu_use(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "19 % of 12 cores are 2.3 cores, used by everything on the machine. One saturated event loop would be {:.1} %. Neither \
         \"well within capacity\" nor \"limited to a single core\" follows.",
        100.0 / 12.0
    );
    if let Some(level) = test(parts, 3) {
        let _ = write!(
            text,
            " Here the server's own process used {} of one core in test 3.",
            cpu(level)
        );
    }
    text
}

fn timers(parts: &Parts<'_>) -> String {
    let mut text = "\"Code changes emit every 2 seconds per user, cursor moves every 500 ms, no throttling\" is listed as a \
                    cause, but these are the tester's setInterval. The real page sends the whole document and a caret for each \
                    key. The server received no more than 50 × (1/2 + 1/0.5) = 125 messages/s."
        .to_owned();
    if let Some(level) = climb(parts).last() {
        let sent = deliveries(level).messages as f64 / level.phases.duration_s;
        let _ = write!(
            text,
            " Here {} users at that pace sent {} messages/s.",
            whole(level.load.users as f64),
            whole(sent)
        );
    }
    text
}

fn occupancy(parts: &Parts<'_>) -> String {
    let mut text =
        "Received ÷ sent, and (users − 1) ÷ rooms, the average for random rooms:".to_owned();
    for field in &EDITOR {
        let _ = write!(
            text,
            " test {}: {:.2} and {:.2};",
            field.test,
            field.received as f64 / field.sent as f64,
            (field.users - 1) as f64 / field.rooms as f64
        );
    }
    text.push_str(
        " the rooms do not have 10 or 5 members, because members are assigned at random. A fuller room has more members and causes \
         more of the traffic, and `joined` is counted as received too.",
    );
    let seen: Vec<String> = (1..=EDITOR.len())
        .filter_map(|number| test(parts, number))
        .map(|level| {
            let all = deliveries(level);
            format!("{:.2}", all.expected as f64 / all.messages.max(1) as f64)
        })
        .collect();
    if !seen.is_empty() {
        let _ = write!(
            text,
            " Here each message had {} receivers on average, counted from the actual members of its room.",
            seen.join(", ")
        );
    }
    text
}

fn room_size(parts: &Parts<'_>) -> String {
    let mut text = "Test 1 has 10 users in a room and is called excellent; test 3 has 10 on average and is called poor. Twice as \
                    many members double the deliveries per message, but not those per receiver and sender."
        .to_owned();
    for users in [100, 1000, 5000] {
        let five = climb(parts).find(|level| level.load.users == users);
        let ten = parts.tens.and_then(|run| level_at(run, users));
        if let (Some(five), Some(ten)) = (five, ten) {
            let _ = write!(
                text,
                " here {} users: rooms of 5 p95 {} ms at {} of a core{}, rooms of 10 p95 {} ms at {}{};",
                whole(users as f64),
                truth(five, 0.95),
                cpu(five),
                unsound(five),
                truth(ten, 0.95),
                cpu(ten),
                unsound(ten)
            );
        }
    }
    if let Some(level) = levels(parts.fifty).next() {
        let _ = write!(
            text,
            " one room of 50: p95 {} ms at {}{}.",
            truth(level, 0.95),
            cpu(level),
            unsound(level)
        );
    }
    text
}

/// The deliveries of all levels on the healthy server.
fn healthy(parts: &Parts<'_>) -> Deliveries {
    let runs = [
        parts.report,
        parts.rooms,
        parts.crowd,
        parts.tens,
        parts.fifty,
    ];
    let levels = runs.into_iter().flat_map(levels).map(deliveries);
    levels.fold(Deliveries::default(), |mut all, one| {
        all.merge(&one);
        all
    })
}
