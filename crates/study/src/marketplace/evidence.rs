//! The field report's mistakes (M-X1 to M-X15), each with arithmetic on its own figures and with what was measured here.

use std::fmt::Write as _; // writing to a String cannot fail

use super::Parts;
use super::field::{TIMEOUT_S, TIMES};
use super::figures::{AtOnce, HASHED, HASHES, at, at_once, p95, share, time};
use super::hashing::{Hashing, threads};
use super::pages;
use crate::telling::Finding;

mod advice;

/// All of them, in order.
pub(super) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    let mut all = vec![
        finding(
            "M-X1",
            "Percentiles of all levels together, compared with those of one",
            pooled_levels(parts),
        ),
        finding(
            "M-X2",
            "\"p95 15,000 ms\" is when the client stopped waiting",
            censored(parts),
        ),
        finding(
            "M-X3",
            "Later steps are timed on those who got there",
            survivors(parts),
        ),
        finding(
            "M-X4",
            "\"16 threads moved the ceiling from 8 to 20\" rests on one trade of sixteen",
            one_of_sixteen(parts),
        ),
        finding(
            "M-X5",
            "Everything became slower after the \"fix\"",
            slower(parts),
        ),
        finding(
            "M-X6",
            "\"Stable at 20, 100 %\" has no limit of time, and 20 of 20 is no 100 %",
            no_criterion(parts),
        ),
        finding(
            "M-X7",
            "16 threads on 6 cores: \"CPU saturation\" without a look at the CPU",
            cores(parts),
        ),
        finding("M-X8", "\"32 flows × 4 hashes\" are 8 each", hashes(parts)),
    ];
    all.extend(advice::all(parts));
    all
}

fn pooled_levels(parts: &Parts<'_>) -> String {
    let mut text = "\"p50 of logins jumps from 509 ms (C1) to 5,221 ms (C32 aggregate)\": the second is the median of the levels 1, 2, \
                    4, 8, 16 and 32 together, of which 32 makes half. It says nothing of any level."
        .to_owned();
    let each: Vec<String> = [16, 32, 64]
        .into_iter()
        .filter_map(|trades| {
            let logins = at_once(parts.report, trades)?.hashed(&["auth.login"]);
            Some(format!("{trades} trades {}", at(logins.response_at(0.5))))
        })
        .collect();
    if !each.is_empty() {
        let _ = write!(
            text,
            " Here, p50 of logins level by level: {}; and no figure of this report is of several levels.",
            each.join(", ")
        );
    }
    text
}

fn censored(parts: &Parts<'_>) -> String {
    let [create, login, ..] = TIMES;
    let mut text = format!(
        "Its client waited for {TIMEOUT_S} s: p95 {} and {} ms, p99 and maximum 15,002 ms of logins and creations are that limit, with \
         what the timer adds. How long it would have taken is not known.",
        login.run2.1, create.run2.1
    );
    if let Some(one) = threads(parts.threads4, "4", 32) {
        let all = one.at.hashed(&HASHED);
        let over = all.response.count_above(model::Nanos::from_secs(15));
        let _ = write!(
            text,
            " Here nobody stops waiting: at 32 trades with bcrypt 12, p95 of both together is {}, the longest {}, and {over} of {} took \
             longer than 15 s. Its client would have called these trades failed; nothing failed.",
            at(all.response_at(0.95)),
            all.longest().map_or("n/a".to_owned(), time),
            all.count
        );
    }
    text
}

fn survivors(parts: &Parts<'_>) -> String {
    let mut text = "Of 63 trades 40 came past the set-up, of 32 at once 10: \"offers.create p95 399 ms at C32\" is what about ten trades \
                    at once felt. And p99 of 40 values is their maximum: 579 and 579, 512 and 512, 258 and 258, 129 and 129 ms."
        .to_owned();
    for (how, run) in [("in the flow", parts.report), ("beforehand", parts.pooled)] {
        let Some(one) = at_once(run, 32) else {
            continue;
        };
        let reached = |step: &str| one.reached(step).unwrap_or_default();
        let _ = write!(
            text,
            " Here, users made {how}: of {} trades {} reached offers.create, {} the payment, {} the confirmation.",
            one.passed().1,
            reached("offers.create"),
            reached("status.payment"),
            reached("delivery.confirm")
        );
    }
    text
}

fn one_of_sixteen(parts: &Parts<'_>) -> String {
    let p = stats::fisher((15, 16), (16, 16));
    format!(
        "15 of 16 (a 500 of admin.create, which it later calls an artefact of the database) against 16 of 16: by Fisher's exact test \
         p = {p:.2} two-sided, and 0.50 one-sided: that is chance. 20 at once was never run with 4 \
         threads, and the version changed too. {}",
        pages::fix(parts)
    )
}

fn slower(parts: &Parts<'_>) -> String {
    let mut text = "p50 and p95 in ms, run 2 to run 3:".to_owned();
    for field in &TIMES {
        if let Some(after) = field.run3 {
            let before = field.run2;
            let _ = write!(
                text,
                " {} {} → {} and {} → {};",
                field.operation, before.0, after.0, before.1, after.1
            );
        }
    }
    text.push_str(
        " the levels differ (1 to 32 against 16 and 20), so that not even this can be compared; only \"no longer timeout\" is told.",
    );
    if let (Some(four), Some(sixteen)) = (
        threads(parts.threads4, "4", 32),
        threads(parts.threads16, "16", 32),
    ) {
        let _ = write!(text, " Here: {}. {}.", four.words(), sixteen.words());
    }
    text
}

fn no_criterion(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "A login of 8.2 s (p50) passes; the longest, 13,996 and 14,416 ms, end {:.0} % and {:.0} % below the limit of 15 s. And 20 of 20 \
         shows with 95 % confidence no more than {}.",
        (1.0 - 13.996 / TIMEOUT_S) * 100.0,
        (1.0 - 14.416 / TIMEOUT_S) * 100.0,
        share((20, 20))
    );
    for trades in [20, 64] {
        if let Some(one) = at_once(parts.report, trades) {
            let _ = write!(
                text,
                " Here {trades} at once: {}, logins p95 {}, everything else p95 {}.",
                share(one.passed()),
                p95(&one.hashed(&["auth.login"])),
                p95(&one.others())
            );
        }
    }
    text
}

fn cores(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "Hashing is work of a CPU: on 6 cores 16 threads hash at most 6 / 4 = {:.1} times what 4 do, and take it from the loop that \
         answers (see M-X5). CPU was not measured.",
        6.0 / 4.0
    );
    for (threads, run) in [("4", parts.threads4), ("16", parts.threads16)] {
        let (Some(hashing), Some(one)) = (Hashing::of(run), at_once(run, 32)) else {
            continue;
        };
        let level = super::figures::levels(run).find(|level| level.load.groups == 32);
        let _ = write!(
            text,
            " Here with {threads} threads: {:.2} passwords/s of at most {}; the marketplace used {} of a core.",
            one.hashes_per_s(),
            hashing.words(),
            level.map_or("n/a".to_owned(), crate::telling::cpu)
        );
    }
    text
}

fn hashes(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "Each of the four is made (one hash) and logs in (one comparison, which costs as much): {HASHES} for a trade, 32 × {HASHES} = {} \
         and not 128. Inferred from the flow; its source is not public.",
        32 * HASHES
    );
    if let Some(one) = at_once(parts.report, 32) {
        let _ = write!(
            text,
            " Here at 32 trades: {} requests that hash a password, {} for each trade.",
            one.hashed(&HASHED).count,
            per_trade(&one)
        );
    }
    text
}

/// Password requests for each trade.
fn per_trade(one: &AtOnce) -> String {
    let (_, begun) = one.passed();
    format!(
        "{:.1}",
        one.hashed(&HASHED).count as f64 / begun.max(1) as f64
    )
}
