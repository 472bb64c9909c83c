//! The mistakes that follow from the others: bands, capacity, advice (E-X11 to E-X17).

use std::fmt::Write as _; // writing to a String cannot fail

use super::{
    EDITOR, Finding, Parts, ceiling, ceiling_in_words, climb, converged, cpu, deliveries, healthy,
    levels, range, test, truth, unsound, whole,
};

pub(super) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    vec![
        finding(
            "E-X11",
            "Bands of users and rooms that were never tested",
            bands(parts),
        ),
        finding(
            "E-X12",
            "\"1,000 users: not achievable, requires a complete rewrite\" was not tested",
            thousand(parts),
        ),
        finding(
            "E-X13",
            "\"Zero errors\" counts failed connections only; deliveries were not checked",
            zero_errors(parts),
        ),
        finding(
            "E-X14",
            "Messages/s is computed over the ramp-up and the clean-up too",
            rate(),
        ),
        finding(
            "E-X15",
            "Generator and server on one machine, one run each, no warm-up",
            one_run(parts),
        ),
        finding(
            "E-X16",
            "The proposed fixes break the system, or fix nothing that was measured",
            fixes(),
        ),
        finding(
            "E-X17",
            "\"3 % of claimed capacity\" compares an artefact with an unsourced claim",
            share_of_claim(parts),
        ),
    ]
}

fn bands(parts: &Parts<'_>) -> String {
    let mut text = "\"1–25 users below 100 ms\": only 10 were tested, without a value. \"30–40: interpolated\". \"8–10 sessions\", \
                    \"15+ per room\", \"5–8 per room\", \"6–8 rooms\": there is no such test. All are interpolated between \
                    phases of a timer."
        .to_owned();
    let p95s: Vec<String> = climb(parts)
        .map(|level| {
            format!(
                "{} users in {} rooms {} ms{}",
                whole(level.load.users as f64),
                whole(level.load.groups as f64),
                truth(level, 0.95),
                unsound(level)
            )
        })
        .collect();
    if !p95s.is_empty() {
        let _ = write!(
            text,
            " Here, p95 of the levels that were run: {}.",
            p95s.join(", ")
        );
    }
    text
}

fn thousand(parts: &Parts<'_>) -> String {
    let [_, _, third, _] = EDITOR;
    let wall = third.sent as f64 / third.sent_per_s;
    let mut text = format!(
        "Nothing above 50 users was tested, and 50 users were {} messages/s in and {} out.",
        whole(third.sent_per_s),
        whole(third.received as f64 / wall)
    );
    if let Some(level) = climb(parts).find(|level| level.load.users == 1000) {
        let _ = write!(
            text,
            " Here 1,000 users: p95 {} ms, {} of {} delivered, {} of a core{}.",
            truth(level, 0.95),
            whole(deliveries(level).delivered as f64),
            whole(deliveries(level).expected as f64),
            cpu(level),
            unsound(level)
        );
    }
    let _ = write!(text, " {}", ceiling_in_words(parts));
    text
}

fn zero_errors(parts: &Parts<'_>) -> String {
    let mut text = "Only `connect_error` is counted. The report did not check whether messages arrived, in order, once and in \
                    the right room, whether connections dropped, or whether all users see the same text in the end. The texts \
                    have at most 60 bytes."
        .to_owned();
    let all = healthy(parts);
    if all.expected > 0 {
        let rooms = [
            parts.rooms,
            parts.crowd,
            parts.tens,
            parts.fifty,
            parts.whole,
            parts.crdt,
        ];
        let (same, of) = rooms
            .into_iter()
            .flat_map(levels)
            .map(converged)
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let _ = write!(
            text,
            " Here, over all levels of the healthy server up to 10,000 users: {} deliveries expected, {} delivered, {} late, {} lost, {} \
             duplicated, {} out of order, {} in a wrong room; {} of {} rooms converged to one text.",
            whole(all.expected as f64),
            whole(all.delivered as f64),
            whole(all.late as f64),
            all.lost_count(),
            all.duplicated,
            all.reordered,
            all.misdelivered_count(),
            whole(same as f64),
            whole(of as f64)
        );
        if all.lost_count() == 0 {
            let bound = stats::zero_failures_bound(all.messages).unwrap_or(1.0) * 100.0;
            let _ = write!(
                text,
                " No loss in {} messages allows at most {bound:.5} % if losses are independent.",
                whole(all.messages as f64)
            );
        }
    }
    text
}

fn rate() -> String {
    let mut text =
        "Sent ÷ messages/s is the time of the division, which is more than the 30 s of test:"
            .to_owned();
    for field in &EDITOR {
        let wall = field.sent as f64 / field.sent_per_s;
        let _ = write!(
            text,
            " test {}: {} / {} = {wall:.1} s, of which {:.1} s are ramp-up and 1 s is clean-up ({} users at full pace send {:.1}/s);",
            field.test,
            whole(field.sent as f64),
            field.sent_per_s,
            field.users as f64 * 0.1014,
            field.users,
            field.users as f64 * 2.5
        );
    }
    text.push_str(
        " the more users, the longer the ramp-up, and the lower the figure for the same server.",
    );
    text
}

fn one_run(parts: &Parts<'_>) -> String {
    let mut text = "Whether tester or server was the limit is unknown, and so is the spread between runs. \"Fast connection \
                    times 2–3 ms\" come from a clock with whole milliseconds."
        .to_owned();
    let busiest = climb(parts).filter_map(|level| level.generator.busiest_worker_percent);
    if let Some((low, high)) = range(busiest) {
        let sound = climb(parts).filter(|level| !level.is_invalid()).count();
        let _ = write!(
            text,
            " Here the generator's busiest worker was busy for {low:.0} to {high:.0} % of the time over the levels in rooms of 5, \
             and {sound} of {} levels are valid.",
            climb(parts).count()
        );
    }
    if let Some(level) = test(parts, 3) {
        let mut connections = level.measured.connections.values();
        let mean = connections.find_map(|times| times.response.mean());
        if let Some(mean) = mean {
            let _ = write!(
                text,
                " Opening a connection took {:.2} ms on average in test 3.",
                mean.as_millis_f64()
            );
        }
    }
    text
}

fn fixes() -> String {
    "\"PM2 cluster mode, 60–90 users\": rooms and names are stored per process, so members of one room on two processes no longer \
     receive each other's messages, and polling needs sticky sessions. \"Redis adapter persists state\": it relays and stores \
     nothing. \"Throttle code changes to 500 ms\" does not affect a sender that sends every 2,000 ms. \"executeCode blocks the \
     server\": it is a child process. 100–150 users at $30–50, 1,000+ at $200–500, \"40×\": none has a measurement behind it. They \
     were not measured here either, because there was nothing to fix at 50 users."
        .to_owned()
}

fn share_of_claim(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "30 / 1,000 = {:.0} %: the 30 come from E-X1, and the 1,000 have no source. The published result files have fields that the \
         published tool does not write, so another version produced them.",
        30.0 / 1000.0 * 100.0
    );
    if let (Some(level), _) = ceiling(climb(parts)) {
        let _ = write!(
            text,
            " By the same division, the {} users that met the thresholds here would be {:.0} %, which means as little.",
            whole(level.load.users as f64),
            level.load.users as f64 / 1000.0 * 100.0
        );
    }
    text
}
