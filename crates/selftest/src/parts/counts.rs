use model::{FaultKind, MisdeliveryReason};

use crate::compare::Rows;
use crate::evidence::Evidence;

/// Twenty users are in rooms of ten. Each user sends eight messages every ten milliseconds to nine others.
pub(crate) const DELIVERIES_PER_S: u64 = 20 * 800 * 9;

pub(crate) fn deliveries(found: &Evidence, rows: &mut Rows) {
    let said = found.deliveries("said");
    let sum = |name: &str| found.told(&["websocket", "sum", name]);
    rows.count("messages", sum("messages"), said.messages);
    rows.count("deliveries that were due", sum("deliveries"), said.expected);
    rows.count("lost", sum("dropped") + sum("unsent"), said.lost_count());
    rows.count(
        "delivered",
        sum("deliveries").saturating_sub(sum("dropped") + sum("unsent")),
        said.received(),
    );
    rows.count("duplicated", sum("duplicated"), said.duplicated);
    rows.count("reordered", sum("swapped"), said.reordered);
    rows.count("misdelivered", sum("strayed"), said.misdelivered_count());
    let other_group = said.misdelivered.get(&MisdeliveryReason::AnotherGroup);
    rows.count(
        "misdelivered from the other room",
        sum("strayed"),
        other_group.copied().unwrap_or_default(),
    );
}

pub(crate) fn failures(found: &Evidence, rows: &mut Rows) {
    let seen = |name: &str| found.requests(name);
    rows.count(
        "requests, every 7th of which fails",
        300,
        seen("error").count,
    );
    let told = found.route("/error/7", &["answers", "500"]);
    rows.count("responses with status 500 (300 / 7)", 42, told);
    rows.count("500s", told, found.failures(FaultKind::Status, "error"));
    let told = found.route("/limit/100/1m", &["answers", "429"]);
    rows.count("429s after 100 of 300 requests", 200, told);
    rows.count(
        "429s",
        told,
        found.failures(FaultKind::RateLimited, "limit"),
    );
    rows.count(
        "resets",
        found.route("/reset", &["reset"]),
        found.failures(FaultKind::Reset, "reset"),
    );
    rows.count(
        "refused without a listener",
        50,
        found.failures(FaultKind::Refused, "refused"),
    );
    rows.count(
        "timed out without a response",
        found.route("/hang", &["hanging"]),
        seen("hang").timed_out,
    );
}
