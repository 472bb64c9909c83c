//! The report of the marketplace study, for a terminal and as Markdown.

use std::fmt::Write as _; // writing to a String cannot fail

use super::Parts;
use super::figures::{IN_A_TRADE, at_once, levels, p95, rate_limited, share};
use super::hashing::{Hashing, threads, verdict};
use super::tables;
use super::{evidence, rate};
use crate::figures::whole;
use crate::telling::{chapter, claims, environment};

pub(super) fn headline(parts: &Parts<'_>) -> String {
    let mut text = "The field report: stable up to 20 trades at once, which 16 hashing threads raised from 8, and a hard ceiling at 32 \
                    (44 %)."
        .to_owned();
    for trades in [32, 64] {
        let flow = at_once(parts.report, trades);
        let pooled = at_once(parts.pooled, trades);
        if let (Some(flow), Some(pooled)) = (flow, pooled) {
            let _ = write!(
                text,
                " {trades} trades at once here: {} with users created in the flow, {} with users created beforehand.",
                share(flow.passed()),
                share(pooled.passed())
            );
        }
    }
    if let Some(top) = threads(parts.report, "", 64) {
        let _ = write!(
            text,
            " Logins with {} passwords at once: p95 {}, where {} is the physical limit ({:.1} s for all); other requests \
             meanwhile: p95 {}.",
            top.at.trades * super::figures::HASHES,
            p95(&top.at.hashed(&["auth.login"])),
            top.hashing.words(),
            top.hashing.least_s(64),
            p95(&top.at.others())
        );
    }
    let _ = write!(text, " {}", rate::in_words(parts.rate));
    let _ = write!(text, " {}", books(parts));
    text
}

/// Whether the ledger adds up after every part.
fn books(parts: &Parts<'_>) -> String {
    let balanced = |run: &record::Run| run.thresholds.iter().all(|one| one.held == Some(true));
    let wrong: Vec<&str> = parts
        .ledgers
        .iter()
        .filter(|(_, run)| run.levels.is_empty() || !balanced(run))
        .map(|(part, _)| *part)
        .collect();
    match (parts.ledgers.len(), wrong.as_slice()) {
        (0, _) => "The ledger was not checked.".to_owned(),
        (all, []) => format!("The ledger added up after each of {all} parts."),
        (_, wrong) => format!("THE LEDGER DID NOT ADD UP after: {}.", wrong.join(", ")),
    }
}

/// Whether the report's fix had an effect, in a sentence.
pub(super) fn fix(parts: &Parts<'_>) -> String {
    let four = threads(parts.threads4, "4", 32);
    let sixteen = threads(parts.threads16, "16", 32);
    match (&four, &sixteen) {
        (Some(four), Some(sixteen)) => verdict(four, sixteen),
        _ => "4 threads against 16: not measured.".to_owned(),
    }
}

/// The full queue, in a sentence.
pub(super) fn full(parts: &Parts<'_>) -> String {
    let Some((refused, let_in, longest, seconds)) = tables::refused(parts) else {
        return "A full queue: not measured.".to_owned();
    };
    format!(
        "64 logins at once, bcrypt 12, with room for 8 in the queue: {let_in} let in, {refused} answered 503 with \
        `Retry-After: {seconds:.0}`, \
         the last of them after {longest:.0} ms. This is better than a wait of 15 s."
    )
}

/// The rate limit in a sentence, with the limit that headcount derived from the responses alone.
pub(super) fn limiter(parts: &Parts<'_>) -> String {
    let refused: u64 = levels(parts.limiter).map(rate_limited).sum();
    let Some(first) = levels(parts.limiter).find(|level| rate_limited(level) > 0) else {
        return "The rate limit: not measured, or it refused nothing.".to_owned();
    };
    let found = parts.limiter.and_then(|run| run.findings.first());
    let found = match found {
        Some(finding) => format!(
            "Derived from its responses: {} (confidence: {}).",
            report::finding_sentence(finding),
            finding.confidence.as_str()
        ),
        None => "ITS LIMIT WAS NOT FOUND.".to_owned(),
    };
    format!(
        "With the limit of 100 requests in 15 minutes: {refused} responses with status 429, the first at {} trades at once. From there \
         on, the limiter is measured and not the marketplace. {found}",
        first.load.groups
    )
}

/// The lost notification, in a sentence.
pub(super) fn lost(parts: &Parts<'_>) -> String {
    let Some(level) = levels(parts.lost).next() else {
        return "The lost notification: not measured.".to_owned();
    };
    let all = &level.measured.iterations;
    let mut causes = level.measured.funnel.first_failures.iter();
    let is_it = |step: &Vec<String>| {
        step.last()
            .is_some_and(|name| name == "offer-accepted seen")
    };
    match causes.find(|cause| cause.step.as_ref().is_some_and(is_it)) {
        Some(cause) => format!(
            "With the report's first bug (the selected seller is never notified): {} of {} trades fail, and the first failure \
             is named: in {} of them the step `offer-accepted seen`, \"{}\".",
            all.failed, all.started, cause.failed, cause.first.detail
        ),
        None => format!(
            "THE LOST NOTIFICATION WAS NOT FOUND: {} of {} trades failed, none because of it.",
            all.failed, all.started
        ),
    }
}

pub(super) fn terminal(parts: &Parts<'_>) -> String {
    format!(
        "{}\n\nTrades at once: the report's, and ours (argon2id)\n{}\n\
         Passwords: their cost, and the best possible rate\n{}\n{}\n{}\n\n\
         Trades at an arrival rate (users created beforehand)\n{}\n{}\n\n{}\n{}\n\nThe ledger (minor units)\n{}\n{}",
        headline(parts),
        tables::trades(parts).terminal(),
        tables::hashing(parts).terminal(),
        fix(parts),
        full(parts),
        tables::rates(parts).terminal(),
        rate::people(parts.rate).unwrap_or_else(|| "In people: not measured.".to_owned()),
        limiter(parts),
        lost(parts),
        tables::ledgers(parts).terminal(),
        claims(&evidence::all(parts))
    )
}

pub(super) fn markdown(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "# The marketplace, measured again\n\n{}\n\n\
 The field report (\"Concurrency & Performance Test Results\", 6 June 2026) tested a Node server in a container on a \
 machine with 6 virtual ARM cores; its source is not public. This study runs its flow on headcount's own marketplace, which \
 was built from the report. The comparison is about the method. As in the report's runs 2 to 4, the rate limit is bypassed, \
 except in the part about it.\n\n\
         ## Trades at once\n\n",
        headline(parts)
    );
    text.push_str(&tables::trades(parts).markdown());
    text.push_str(&at_once_notes(parts));
    text.push_str("\n## Step by step\n\n");
    text.push_str(&tables::steps(parts).markdown());
    text.push_str(
        "\nReached: the number of trades that began the step, which shows whether its times cover all trades. 32 trades were run twice \
         with users created in the flow. With users created beforehand, 32 were run seven times and 64 four times, so that each step has \
         the 200 values that a p95 requires. A step of several users ends with the last of them.\n\n\
         ## Operation by operation, beside the report\n\n",
    );
    text.push_str(&tables::operations(parts).markdown());
    text.push_str(
        "\nThe report merges levels in its percentiles and stops waiting after 15 s. Here each column covers one level, and the client \
         does not stop waiting.\n\n## Passwords\n\n",
    );
    text.push_str(&tables::hashing(parts).markdown());
    let _ = write!(
        text,
        "\nOne login alone: the fastest of eight consecutive logins before the measurement. No number of threads hashes more than the \
         cores can; `all passwords at the limit` is 8 × trades ÷ that limit.\n\n{}\n\n{}\n\n## Trades at an arrival rate\n\n",
        fix(parts),
        full(parts)
    );
    text.push_str(&tables::rates(parts).markdown());
    let _ = write!(
        text,
        "\nThresholds: every trade completes, p95 of the requests below 50 ms. Users for 128 trades were created beforehand (with bcrypt \
         4, because no password is hashed while trades arrive). Arrivals are random.\n\n{}\n\n{}\n\n",
        rate::in_words(parts.rate),
        rate::people(parts.rate).unwrap_or_else(|| "In people: not measured.".to_owned())
    );
    let _ = write!(text, "## Its rate limit\n\n{}\n\n", limiter(parts));
    text.push_str(&tables::limited(parts).markdown());
    let _ = write!(
        text,
        "\n## The lost notification\n\n{}\n\n## The ledger\n\n{}\n\n",
        lost(parts),
        books(parts)
    );
    text.push_str(&tables::ledgers(parts).markdown());
    text.push_str(
        "\nIn minor units of one currency, from the marketplace's own check of everything that it stores: double entries, escrow, trades, \
         and lists of notifications without a gap.\n\n",
    );
    text.push_str(&chapter(&evidence::all(parts)));
    let run = parts.report.or(parts.pooled).or(parts.rate);
    text.push_str(&environment(run, "marketplace"));
    text
}

/// The notes below the first table.
fn at_once_notes(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "\nIn brackets: the lower bound or the range of the true share, with 95 % confidence (Clopper-Pearson), if trades fail \
         independently. `≤`: the longest of 59 to 199 values, which is above the p95 with 95 % confidence if they are independent. \
         `n/a`: fewer values. Here passwords are hashed with argon2id (19 MiB, 2 \
         passes), {} per trade. bcrypt 12 as in the report would take more than five minutes of CPU time on one core for the levels of \
         this table, so it is measured separately below.",
        super::figures::HASHES
    );
    if let Some(hashing) = Hashing::of(parts.report) {
        let _ = write!(
            text,
            " The physical limit of passwords here: {}.",
            hashing.words()
        );
    }
    if let Some(setup) = parts.pooled.and_then(|run| run.setup.as_ref()) {
        let _ = write!(
            text,
            " Creating {} users beforehand took {:.1} s, which is not part of the trades' figures.",
            whole((64 * IN_A_TRADE) as f64),
            setup.took_s
        );
    }
    text.push('\n');
    text
}
