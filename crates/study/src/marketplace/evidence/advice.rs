//! The mistakes that follow from the others: causes, people, setup, advice (M-X9 to M-X15).

use std::fmt::Write as _; // writing to a String cannot fail

use super::{AtOnce, Finding, Parts, at_once, p95, pages, share, threads};
use crate::marketplace::field::THINK_S;
use crate::marketplace::figures::{HASHED, levels};
use crate::marketplace::rate;
use crate::telling::unsound;

pub(super) fn all(parts: &Parts<'_>) -> Vec<Finding> {
    let finding = Finding::new;
    vec![
        finding(
            "M-X9",
            "Responses with status 500 are called an artefact of the test, and then a ceiling",
            errors(parts),
        ),
        finding(
            "M-X10",
            "\"The 500s triggered degraded health\" is a coincidence in time",
            health(),
        ),
        finding(
            "M-X11",
            "\"500 to 1,500 users, 5,000 to 8,000 a day\" has no derivation",
            people(parts),
        ),
        finding(
            "M-X12",
            "The first run measures the rate limiter; the others measure a system without it",
            limiter(parts),
        ),
        finding(
            "M-X13",
            "Starting all trades at once is not an arrival rate, and trades per second are not stated",
            burst(parts),
        ),
        finding(
            "M-X14",
            "\"bcrypt 10 is above OWASP's minimum\": it is the minimum",
            rounds(parts),
        ),
        finding(
            "M-X15",
            "\"Full E2E\" omits the payment, and the money was not checked",
            payment(parts),
        ),
    ]
}

fn errors(parts: &Parts<'_>) -> String {
    let mut text = "\"Likely a unique constraint or a write conflict\" was not checked. A server that answers a collision with 500 has a \
                    fault: it should answer 409, and different addresses should not collide. \"In production 24 users don't register at \
                    once\" dismisses the errors, but the summary calls them the soft ceiling. The same 500 occurred at 16 trades."
        .to_owned();
    let (mut requests, mut errors) = (0, 0);
    for level in [parts.report, parts.threads4, parts.threads16]
        .into_iter()
        .flat_map(levels)
    {
        for name in HASHED {
            if let Some(timings) = level.measured.requests.get(name) {
                requests += timings.count;
                errors += timings.failed;
            }
        }
    }
    if requests > 0 {
        let _ = write!(
            text,
            " Here: {requests} creations and logins at up to 64 trades at once, {errors} failed"
        );
        if errors == 0 {
            let bound = stats::zero_failures_bound(requests).unwrap_or(1.0) * 100.0;
            let _ = write!(
                text,
                ", which allows at most {bound:.2} % if failures are independent"
            );
        }
        text.push('.');
    }
    text
}

fn health() -> String {
    "The alarm and the errors occurred in the same minutes, and so did 24 × 8 passwords that kept every core busy. The report does not \
     state which of them the health check saw. This study does not measure it; the marketplace here gives its reasons with `degraded`."
        .to_owned()
}

fn people(parts: &Parts<'_>) -> String {
    let model = |r: f64| THINK_S.map(|think| 20.0 * (r + think) / r);
    let (quick, slow) = (model(0.5), model(8.2));
    let mut text = format!(
        "No derivation is given. If 20 active users take R each, X = 20 / R and N = X·(R + Z). With R = 0.5 s and Z = {} to {} s that is \
         {:.0} to {:.0}; with its own p50 of a login, R = 8.2 s, it is {:.0} to {:.0}. Users per day need a peak factor, \
         which is missing. And \
         nobody creates four accounts for each purchase.",
        THINK_S[0], THINK_S[1], quick[0], quick[1], slow[0], slow[1]
    );
    if let Some(own) = rate::people(parts.rate) {
        let _ = write!(text, " Here: {own}");
    }
    text
}

fn limiter(parts: &Parts<'_>) -> String {
    format!(
        "100 requests in 15 minutes per address, with all load from one address: level 1 used up the budget of level 2, so \"0 % at C4 to \
         C32\" is not a result of those levels. With the bypass, a part of the production system is missing. Runner, server and database \
         shared 6 cores. {}",
        pages::limiter(parts)
    )
}

fn burst(parts: &Parts<'_>) -> String {
    let mut text = "All trades start at the same moment: all setups meet in one queue, and nothing arrives later. There is one run per \
                    level, no rate and no steady state. Run 4 has no times at all, and runs 3 and 4 omit the lower levels."
        .to_owned();
    let took = |one: &AtOnce| format!("{:.2} s for {} trades at once", one.took_s, one.trades);
    let each: Vec<String> = [32, 64]
        .into_iter()
        .filter_map(|trades| at_once(parts.pooled, trades))
        .map(|one| format!("{} (run {} times)", took(&one), one.runs))
        .collect();
    if !each.is_empty() {
        let _ = write!(
            text,
            " Here, with users created beforehand: {}.",
            each.join(", ")
        );
    }
    let _ = write!(text, " At an arrival rate: {}", rate::in_words(parts.rate));
    text
}

fn rounds(parts: &Parts<'_>) -> String {
    let mut text = "OWASP's cheat sheet names 10 as the minimum for bcrypt, and argon2id first. \"4 times faster\" is right: 2^(12 − 10)."
        .to_owned();
    if let (Some(bcrypt), Some(argon)) = (
        threads(parts.threads4, "4", 32),
        threads(parts.report, "", 32),
    ) {
        let _ = write!(
            text,
            " Here a single login takes {:.0} ms with bcrypt 12 and {:.0} ms with argon2id (19 MiB, 2 passes, OWASP's first choice); \
             logins at 32 trades at once have a p95 of {} and {}{}.",
            bcrypt.hashing.cost_s * 1e3,
            argon.hashing.cost_s * 1e3,
            p95(&bcrypt.at.hashed(&["auth.login"])),
            p95(&argon.at.hashed(&["auth.login"])),
            levels(parts.threads4).last().map_or("", unsound)
        );
    }
    let _ = write!(text, " {}", pages::full(parts));
    text
}

fn payment(parts: &Parts<'_>) -> String {
    let mut text = "`PAYMENT_MODE=status` marks a trade as paid. The chain or provider, the slowest part, is not included, and not in this \
                    study either. That a trade was \"confirmed\" does not show where the money is."
        .to_owned();
    let passed: Vec<String> = [("in the flow", parts.report), ("beforehand", parts.pooled)]
        .into_iter()
        .filter_map(|(how, run)| Some((how, at_once(run, 64)?)))
        .map(|(how, one)| format!("64 {how} {}", share(one.passed())))
        .collect();
    if !passed.is_empty() {
        let _ = write!(
            text,
            " Here the ledger is checked after every part ({}); the table above has the sums.",
            passed.join(", ")
        );
    }
    let _ = write!(text, " {}", pages::lost(parts));
    text
}
