//! Changes one figure or claim of a consistent report by more than any rounding.

use audit::Severity;

use crate::page::{Figures, Page, Table};
use crate::style::Style;
use crate::world::Dice;

pub(crate) struct Lie {
    pub(crate) rule: &'static str,
    pub(crate) what: &'static str,
    pub(crate) at_least: Severity,
    /// Minimum share of these reports in which the rule must find the change, in per cent.
    pub(crate) percent: usize,
    /// Changes the report. `None` if it lacks the necessary figures.
    pub(crate) tell: fn(&mut Page, Style, &mut Dice) -> Option<()>,
}

/// Rules that can call a report impossible.
pub(crate) const IMPOSSIBLE: [&str; 13] = [
    "mean-out-of-reach",
    "not-ascending",
    "deviation-out-of-reach",
    "counts-do-not-add-up",
    "success-beside-failures",
    "little-s-law",
    "fan-out",
    "scaling",
    "cliff",
    "change",
    "better",
    "target-met",
    "within-capacity",
];

/// Whether the rule's figures may be printed in whole seconds. Rounding then explains some of the changes.
const fn coarse(rule: &str) -> bool {
    matches!(
        rule.as_bytes(),
        b"cliff" | b"change" | b"better" | b"target-met"
    )
}

const fn lie(
    rule: &'static str,
    what: &'static str,
    at_least: Severity,
    tell: fn(&mut Page, Style, &mut Dice) -> Option<()>,
) -> Lie {
    Lie {
        rule,
        what,
        at_least,
        percent: if coarse(rule) { 80 } else { 95 },
        tell,
    }
}

use Severity::{Doubtful, Impossible, Unsupported};

pub(crate) const LIES: &[Lie] = &[
    lie(
        "mean-out-of-reach",
        "a mean near the maximum",
        Impossible,
        mean,
    ),
    lie("not-ascending", "p50 above p99", Impossible, order),
    lie(
        "deviation-out-of-reach",
        "twice the range",
        Impossible,
        deviation,
    ),
    lie(
        "counts-do-not-add-up",
        "more ended than began",
        Unsupported,
        counts,
    ),
    lie(
        "counts-do-not-add-up",
        "five points of success",
        Impossible,
        share,
    ),
    lie(
        "counts-do-not-add-up",
        "a window too many",
        Unsupported,
        windows,
    ),
    lie(
        "success-beside-failures",
        "a share that is not reached",
        Impossible,
        success,
    ),
    lie("little-s-law", "three times the rate", Impossible, little),
    lie("fan-out", "twice what can be received", Impossible, fan_out),
    lie(
        "rate-and-duration",
        "three times the duration",
        Unsupported,
        duration,
    ),
    lie(
        "told-twice",
        "a third more in the text",
        Doubtful,
        told_twice,
    ),
    lie("scaling", "flat, and called linear", Impossible, linear),
    lie("cliff", "the wrong way", Impossible, cliff),
    lie("change", "twice the change", Impossible, change),
    lie("better", "the worse one", Impossible, better),
    lie("target-met", "a limit that is not kept", Impossible, limit),
    lie("within-capacity", "full and not full", Impossible, capacity),
];

fn ms(value: f64) -> String {
    format!("\"{value:.4}ms\"")
}

/// Returns the first table that has these keys and whose figures satisfy `fits`.
fn table<'a>(
    page: &'a mut Page,
    keys: &[&str],
    fits: impl Fn(&Figures) -> bool,
) -> Option<(&'a mut Table, Figures)> {
    for (level, figures) in page.levels.iter_mut().zip(&page.figures) {
        if level.has(keys) && fits(&figures[0]) {
            return Some((level, figures[0].clone()));
        }
        for (row, figures) in level.rows.iter_mut().zip(&figures[1..]) {
            if row.has(keys) && fits(figures) {
                return Some((row, figures.clone()));
            }
        }
    }
    None
}

fn number(table: &Table, key: &str) -> Option<f64> {
    let (_, text) = table.entries.iter().find(|(known, _)| known == key)?;
    text.trim_matches(['"', '~', 's', '%']).parse().ok()
}

fn mean(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let spread = |of: &Figures| {
        let get = |name: &str| of.get(name).unwrap_or(f64::NAN);
        get("count") > 300.0 && get("max") > 4.0 * get("p95") && get("count") > 2.0 * get("failed")
    };
    let exact = page.head.iter().all(|(key, _)| key != "bucket_edges");
    let keys = ["ok", "failed", "max", "p95", "mean"];
    let (table, figures) = table(page, &keys, spread).filter(|_| exact)?;
    // The number of samples is known only if no count is rounded.
    counted(table)?;
    (figures.get("ok")? > 300.0).then_some(())?;
    table.put("mean", ms(0.9 * figures.get("max")?));
    Some(())
}

/// Returns `None` if a count is rounded.
fn counted(table: &Table) -> Option<()> {
    let count = |key: &str| table.entries.iter().find(|(known, _)| known == key);
    for key in ["count", "ok", "failed"] {
        count(key)?.1.parse::<u64>().ok()?;
    }
    Some(())
}

fn order(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["p50", "p99"], |of| of.get("p99").is_some())?;
    table.put("p50", ms(1.5 * figures.get("p99")? + 1000.0));
    table.put("p99", ms(figures.get("p99")?));
    Some(())
}

fn deviation(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["stdev", "mean", "max"], |of| {
        of.get("max") > Some(0.5)
    })?;
    // A true deviation is at most half of the range, or slightly more for two samples. The change exceeds any rounding.
    table.put("stdev", ms(3.0 * figures.get("max")? + 3000.0));
    Some(())
}

fn counts(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["count", "ok"], |of| of.get("ok") > Some(300.0))?;
    table.put(
        "ok",
        format!("{}", (1.2 * figures.get("count")?).ceil() + 100.0),
    );
    Some(())
}

fn share(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["success", "ok", "failed"], |of| {
        of.get("ok") > Some(300.0)
    })?;
    let most = figures.get("ok")? / (figures.get("ok")? + figures.get("failed")?);
    let other = figures.get("ok")? / figures.get("count")?;
    let least = most
        .min(other)
        .min(1.0 - figures.get("failed")? / figures.get("count")?);
    table.put("success", format!("\"{:.1}%\"", 100.0 * least - 7.0));
    (least > 0.1).then_some(())
}

fn windows(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["windows"], |of| of.get("count") > Some(100.0))?;
    let each = (figures.get("count")? / 3.0).ceil();
    table.put(
        "windows",
        format!("[{each}, {each}, {each}, {each}, {each}]"),
    );
    Some(())
}

fn claim(page: &mut Page, kind: &str, more: &[(&str, String)]) {
    let mut table = Table::default();
    table.put("kind", format!("\"{kind}\""));
    table.put("text", "\"a lie\"");
    for (key, value) in more {
        table.put(key, value.clone());
    }
    page.claims.push(table);
}

fn success(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let few = |of: &Figures| of.get("success") < Some(97.0) && of.get("failed") > Some(0.0);
    let (table, _) = table(page, &["name", "ok", "failed"], few)?;
    let name = number_of_level(table)?;
    claim(
        page,
        "success",
        &[("value", "\"99.9%\"".to_owned()), ("levels", name)],
    );
    Some(())
}

/// The name of a level. `None` if the table is a row.
fn number_of_level(table: &Table) -> Option<String> {
    let (_, name) = table.entries.iter().find(|(key, _)| key == "name")?;
    name.starts_with("\"L").then(|| name.clone())
}

fn little(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let closed = page.head.iter().any(|(_, value)| value == "\"closed\"");
    closed.then_some(())?;
    let keys = [
        "users", "ramp", "duration", "max", "mean", "ok", "failed", "rate", "name",
    ];
    let (table, figures) = table(page, &keys, |of| of.get("rate").is_some())?;
    counted(table)?;
    let (users, ramp, duration) = (
        number(table, "users")?,
        number(table, "ramp")?,
        number(table, "duration")?,
    );
    let share = figures.get("ok")?.min(figures.get("count")?) / figures.get("count")?;
    let room = 1.0 + (figures.get("max")? / 1e3 + ramp) / duration;
    (share > 0.3 && duration > 0.05 && ramp < duration).then_some(())?;
    let mean = figures.get("mean")?.max(0.01);
    table.put("mean", ms(mean));
    table.put("max", ms(figures.get("max")?.max(mean)));
    table.put(
        "rate",
        format!("{:.3}", 3.0 * users * room / share / (mean / 1e3)),
    );
    Some(())
}

fn fan_out(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let brief = |of: &Figures| of.get("count") > Some(50.0);
    let (table, figures) = table(page, &["fan_out", "received", "max"], brief)?;
    let room = 1.0 + figures.get("max")? / 1e3 / number(table, "duration")?.max(0.01);
    let most = figures.get("count")? * number(table, "fan_out")? * room;
    table.put("received", format!("{}", (2.5 * most).ceil()));
    Some(())
}

fn duration(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, _) = table(page, &["duration", "rate", "count", "ramp"], |of| {
        of.get("rate") > Some(2.0)
    })?;
    let longer = 3.0 * (number(table, "duration")? + number(table, "ramp")?);
    table.put("duration", format!("\"{:.3}s\"", longer + 1.0));
    Some(())
}

fn told_twice(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (table, figures) = table(page, &["name", "rate"], |of| of.get("rate") > Some(100.0))?;
    let name = number_of_level(table)?;
    let value = format!("\"{:.2}\"", 1.34 * figures.get("rate")?);
    claim(
        page,
        "states",
        &[
            ("of", "\"rate\"".to_owned()),
            ("levels", name),
            ("value", value),
        ],
    );
    Some(())
}

/// Returns the first of the figures `of` that satisfies `fits` in the first two levels: its name, the levels and both
/// values.
fn pair(
    page: &Page,
    of: &[&str],
    fits: impl Fn(f64, f64) -> bool,
) -> Option<(String, String, f64, f64)> {
    let (before, after) = (
        page.figures.first()?.first()?,
        page.figures.get(1)?.first()?,
    );
    of.iter().find_map(|of| {
        let (one, other) = (before.get(of)?, after.get(of)?);
        let told = page.levels[0].has(&[of]) && page.levels[1].has(&[of]);
        (told && fits(one, other))
            .then(|| ((*of).to_owned(), "[\"L0\", \"L1\"]".to_owned(), one, other))
    })
}

const TIMES: [&str; 4] = ["mean", "p50", "p95", "max"];

fn linear(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let more = page.users.get(1)? >= &(2 * page.users[0])
        && page.levels.iter().all(|one| one.has(&["users"]));
    more.then_some(())?;
    let (of, levels, ..) = pair(page, &["rate"], |one, other| {
        one > 20.0 && other < 0.9 * one
    })?;
    claim(
        page,
        "linear",
        &[("of", format!("\"{of}\"")), ("levels", levels)],
    );
    Some(())
}

fn cliff(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (of, levels, ..) = pair(page, &TIMES, |one, other| one > 20.0 && other < 0.7 * one)?;
    claim(
        page,
        "cliff",
        &[("of", format!("\"{of}\"")), ("levels", levels)],
    );
    Some(())
}

fn change(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (of, levels, one, other) = pair(page, &TIMES, |one, other| one > 30.0 && other > 30.0)?;
    let by = format!("\"{:.3}x\"", 2.0 * other / one);
    claim(
        page,
        "change",
        &[("of", format!("\"{of}\"")), ("levels", levels), ("by", by)],
    );
    Some(())
}

fn better(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (of, levels, ..) = pair(page, &TIMES, |one, other| one > 20.0 && other > 1.4 * one)?;
    claim(
        page,
        "better",
        &[("of", format!("\"{of}\"")), ("levels", levels)],
    );
    Some(())
}

fn limit(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let (of, levels, one, other) = pair(page, &TIMES, |one, other| one > 30.0 && other > 30.0)?;
    let limit = format!("\"< {:.3}ms\"", 0.6 * one.min(other));
    claim(
        page,
        "meets",
        &[
            ("of", format!("\"{of}\"")),
            ("levels", levels),
            ("limit", limit),
        ],
    );
    Some(())
}

fn capacity(page: &mut Page, _: Style, _: &mut Dice) -> Option<()> {
    let name = number_of_level(&page.levels[0])?;
    let users = |users: usize| ("users", users.to_string());
    let of = |count: usize| [users(count), ("levels", name.clone())];
    let few = page.users[0];
    claim(page, "saturated", &of(few));
    claim(page, "within-capacity", &of(2 * few));
    Some(())
}
