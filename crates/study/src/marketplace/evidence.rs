//! The mistakes of the field report (M-X1 to M-X15), each with arithmetic on its own figures and with our measurements.

use std::fmt::Write as _; // writing to a String cannot fail

use super::Parts;
use super::field::{TIMEOUT_S, TIMES};
use super::figures::{AtOnce, HASHED, HASHES, at, at_once, p95, share, time};
use super::hashing::{Hashing, threads};
use super::pages;
use crate::telling::Finding;

mod advice;

/// All findings, in order.
pub(super) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    let mut all = vec![
        finding(
            "M-X1",
            "Percentiles of all levels merged, compared with those of one level",
            pooled_levels(parts),
        ),
        finding(
            "M-X2",
            "\"p95 15,000 ms\" is the client's timeout",
            censored(parts),
        ),
        finding(
            "M-X3",
            "Later steps are timed only for the trades that reached them",
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
            "\"Stable at 20, 100 %\" has no time limit, and 20 of 20 does not prove 100 %",
            no_criterion(parts),
        ),
        finding(
            "M-X7",
            "16 threads on 6 cores: \"CPU saturation\" without a measurement of the CPU",
            cores(parts),
        ),
        finding(
            "M-X8",
            "\"32 flows × 4 hashes\": there are 8 hashes per flow",
            hashes(parts),
        ),
    ];
    all.extend(advice::all(parts));
    all
}

fn pooled_levels(parts: &Parts<'_>) -> String {
    let mut text = "\"p50 of logins jumps from 509 ms (C1) to 5,221 ms (C32 aggregate)\": the second figure is the median of levels 1, 2, \
                    4, 8, 16 and 32 together, half of which is level 32. It describes no single level."
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
            " Here, p50 of logins level by level: {}. No figure of this report merges several levels.",
            each.join(", ")
        );
    }
    text
}

fn censored(parts: &Parts<'_>) -> String {
    let [create, login, ..] = TIMES;
    let mut text = format!(
        "Its client waited for {TIMEOUT_S} s: p95 {} and {} ms, and p99 and maximum 15,002 ms of logins and creations are that limit, plus \
         the delay of the timer. The real times are unknown.",
        login.run2.1, create.run2.1
    );
    if let Some(one) = threads(parts.threads4, "4", 32) {
        let all = one.at.hashed(&HASHED);
        let over = all.response.count_above(model::Nanos::from_secs(15));
        let _ = write!(
            text,
            " Here the client does not stop waiting: at 32 trades with bcrypt 12, p95 of both together is {}, the longest \
            {}, and {over} of {} \
             took longer than 15 s. The report's client would have counted these trades as failed; nothing failed.",
            at(all.response_at(0.95)),
            all.longest().map_or("n/a".to_owned(), time),
            all.count
        );
    }
    text
}

fn survivors(parts: &Parts<'_>) -> String {
    let mut text = "Of 63 trades 40 passed the setup, and of 32 at once 10 did: \"offers.create p95 399 ms at C32\" describes about ten \
                    trades at once. And the p99 of 40 values is their maximum: 579 and 579, 512 and 512, 258 and 258, 129 and 129 ms."
        .to_owned();
    for (how, run) in [("in the flow", parts.report), ("beforehand", parts.pooled)] {
        let Some(one) = at_once(run, 32) else {
            continue;
        };
        let reached = |step: &str| one.reached(step).unwrap_or_default();
        let _ = write!(
            text,
            " Here, users created {how}: of {} trades {} reached offers.create, {} the payment, {} the confirmation.",
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
        "15 of 16 (a 500 of admin.create, which it later calls an artefact of the database) against 16 of 16: Fisher's exact test gives \
         p = {p:.2} two-sided, and 0.50 one-sided, so chance explains it. 20 at once was never run with 4 \
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
        " the levels differ (1 to 32 against 16 and 20), so even these are not comparable. The report only says \"no longer timeout\".",
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
        "A login of 8.2 s (p50) passes. The longest, 13,996 and 14,416 ms, are {:.0} % and {:.0} % below the limit of 15 s. With 95 % \
         confidence, 20 of 20 shows no more than {}.",
        (1.0 - 13.996 / TIMEOUT_S) * 100.0,
        (1.0 - 14.416 / TIMEOUT_S) * 100.0,
        share((20, 20))
    );
    for trades in [20, 64] {
        if let Some(one) = at_once(parts.report, trades) {
            let _ = write!(
                text,
                " Here {trades} at once: {}, logins p95 {}, other requests p95 {}.",
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
        "Hashing is CPU work: on 6 cores, 16 threads hash at most 6 / 4 = {:.1} times as much as 4, and take that time from the loop that \
         answers requests (see M-X5). The CPU was not measured.",
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
        "Each of the four users is created (one hash) and logs in (one comparison, which costs as much): {HASHES} per trade, \
         32 × {HASHES} = {}, not 128. This is inferred from the flow, because the source is not public.",
        32 * HASHES
    );
    if let Some(one) = at_once(parts.report, 32) {
        let _ = write!(
            text,
            " Here at 32 trades: {} requests that hash a password, {} per trade.",
            one.hashed(&HASHED).count,
            per_trade(&one)
        );
    }
    text
}

/// Requests that hash a password, per trade.
fn per_trade(one: &AtOnce) -> String {
    let (_, begun) = one.passed();
    format!(
        "{:.1}",
        one.hashed(&HASHED).count as f64 / begun.max(1) as f64
    )
}
