//! Reads the `[[claim]]` tables of `audit.toml`.

use super::levels::Defaults;
use super::printed;
use super::sort::Sort;
use super::table::{Table, meant, percentile};
use crate::claim::{Claim, Kind};
use crate::import_error::ImportError;
use crate::measure::Measure;
use crate::results::Level;

pub(super) fn claim(
    mut table: Table<'_>,
    defaults: &Defaults,
    levels: &[Level],
) -> Result<Claim, ImportError> {
    let at = table.place(&defaults.source)?;
    let kind = kind(&mut table)?;
    let text = table
        .text("text")?
        .ok_or_else(|| table.refuse("a claim needs `text`, the wording in the report"))?;
    let of = table.texts("of")?;
    let in_percent = |key: &str| {
        table
            .words(key)
            .is_some_and(|words| words.trim_end().ends_with('%'))
    };
    let percent = in_percent("value") || in_percent("limit");
    let sort = sort(&table, kind, &of, percent)?;
    let side = table.words("limit").and_then(printed::side);
    let by = table.span_and_cut("by", Sort::Factor)?;
    let claim = Claim {
        kind,
        text,
        at,
        of,
        row: table.text("row")?,
        levels: table.texts("levels")?,
        by: by.map(|(span, _)| span),
        cut: by.map_or(0.0, |(_, cut)| cut),
        users: table.span("users", Sort::Count)?,
        think_s: table.span("think", Sort::Seconds)?,
        value: table.number("value", sort, &defaults.unit)?,
        limit: table.number("limit", sort, &defaults.unit)?,
        side,
        percent,
        on: table.text("on")?,
        measured: table.text("measured")?,
        conditions: table.map("conditions")?,
    };
    table.close()?;
    check(&table, &claim, levels)?;
    Ok(claim)
}

/// Returns the quantity of `value` and `limit`, which is the quantity of the figures that the claim is about.
fn sort(table: &Table<'_>, kind: Kind, of: &[String], percent: bool) -> Result<Sort, ImportError> {
    if kind == Kind::Success && of.is_empty() {
        return Ok(Sort::Percent);
    }
    let sort = |of: &String| match Measure::of(of) {
        Measure::Time => Sort::Time,
        Measure::Rate => Sort::Measured,
        Measure::Success => Sort::Percent,
        Measure::Failed | Measure::Work if percent => Sort::Percent,
        Measure::Failed | Measure::Work | Measure::Population => Sort::Count,
    };
    let mut sorts = of.iter().map(sort);
    let first = sorts.next().unwrap_or(Sort::Time);
    let told = table.words("value").or(table.words("limit")).is_some() || kind == Kind::Meets;
    if told && sorts.any(|other| other != first) {
        let why = "`of` names figures of different kinds (time, rate, count): write a separate claim for each kind";
        return Err(table.refuse(why));
    }
    if percent
        && of
            .iter()
            .any(|of| matches!(of.as_str(), "sent" | "count" | "received"))
    {
        return Err(table.refuse("only `success`, `ok` and `failed` can be stated in per cent"));
    }
    Ok(first)
}

fn kind(table: &mut Table<'_>) -> Result<Kind, ImportError> {
    let words = || Kind::ALL.map(|(word, _)| word).join(", ");
    let Some(given) = table.text("kind")? else {
        return Err(table.refuse(format!("a claim needs a `kind`: {}", words())));
    };
    let known = Kind::ALL.iter().find(|(word, _)| *word == given);
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        table.refuse(format!(
            "unknown `kind` `{given}`; expected one of {}",
            words()
        ))
    })
}

/// The names of figures that claims may use, in addition to percentiles.
const FIGURES: [&str; 12] = [
    "rate", "mean", "min", "max", "success", "sent", "count", "received", "ok", "failed", "users",
    "sessions",
];

/// Checks that the names in a claim exist, and that the claim has the keys that its kind requires.
fn check(table: &Table<'_>, claim: &Claim, levels: &[Level]) -> Result<(), ImportError> {
    for name in &claim.levels {
        if !levels.iter().any(|level| &level.name == name) {
            return Err(table.refuse(format!("no level above is named `{name}`")));
        }
    }
    if let Some(row) = &claim.row {
        let has = |level: &Level| level.rows.iter().any(|known| &known.name == row);
        if !levels.iter().any(has) {
            return Err(table.refuse(format!("no level has a row `{row}`")));
        }
    }
    for of in claim.of.iter().chain(&claim.on) {
        if !FIGURES.contains(&of.as_str()) && percentile(of).is_none() {
            let (known, hint) = (FIGURES.join(", "), meant(&FIGURES, of));
            let why = format!("unknown figure `{of}`; expected {known}, p50, p95, p99.9{hint}");
            return Err(table.refuse(why));
        }
    }
    let missing = match claim.kind {
        Kind::Cliff | Kind::Better | Kind::Same
            if claim.levels.len() < 2 || claim.of.is_empty() =>
        {
            "`of` and at least two `levels`"
        }
        Kind::Linear | Kind::SubLinear | Kind::Change
            if claim.levels.is_empty() || claim.of.is_empty() =>
        {
            "`of` and `levels`"
        }
        Kind::DependsOn if claim.levels.len() < 2 || claim.of.is_empty() || claim.on.is_none() => {
            "`of`, `on` and at least two `levels`"
        }
        Kind::Handles | Kind::Saturated if claim.users.is_none() => "`users`",
        Kind::Concurrent | Kind::People if claim.users.is_none() || claim.levels.is_empty() => {
            "`users` and `levels`"
        }
        Kind::Peak | Kind::Verdict if claim.levels.is_empty() => "`levels`",
        Kind::WithinCapacity if claim.users.is_none() && claim.levels.len() < 2 => {
            "`users`, or at least two `levels`"
        }
        Kind::Meets if claim.limit.is_none() || claim.levels.is_empty() => "`levels` and a `limit`",
        Kind::States if claim.value.is_none() || claim.levels.is_empty() || claim.of.is_empty() => {
            "`of`, `levels` and a `value`"
        }
        _ => return Ok(()),
    };
    Err(table.refuse(format!("this kind of claim needs {missing}")))
}
