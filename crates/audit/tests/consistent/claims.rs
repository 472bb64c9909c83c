//! True claims about a report, in every form that a claim has.

use crate::page::{Figures, Page, Table};
use crate::style::Style;
use crate::world::Dice;

/// One figure in two levels, before printing.
struct Pair<'a> {
    of: &'a str,
    row: Option<&'a str>,
    levels: (usize, usize),
    values: (f64, f64),
}

fn is_time(of: &str) -> bool {
    of.starts_with('p') || matches!(of, "min" | "mean" | "max")
}

fn more_is_better(of: &str) -> bool {
    !is_time(of) && of != "failed"
}

fn names(levels: &[usize]) -> String {
    let all: Vec<String> = levels.iter().map(|level| format!("\"L{level}\"")).collect();
    format!("[{}]", all.join(", "))
}

fn claim(kind: &str, more: &[(&str, String)]) -> Table {
    let mut table = Table::default();
    table.put("kind", format!("\"{kind}\""));
    table.put("text", format!("\"{kind}\""));
    for (key, value) in more {
        table.put(key, value.clone());
    }
    table
}

fn about(kind: &str, pair: &Pair<'_>) -> Table {
    let mut table = claim(
        kind,
        &[
            ("of", format!("\"{}\"", pair.of)),
            ("levels", names(&[pair.levels.0, pair.levels.1])),
        ],
    );
    if let Some(row) = pair.row {
        table.put("row", format!("\"{row}\""));
    }
    table
}

/// Returns a random figure of a level: its row, its name and its value.
fn any_figure<'a>(
    page: &'a Page,
    level: usize,
    dice: &mut Dice,
) -> Option<(&'a Figures, &'a str, f64)> {
    let told: Vec<&Figures> = page.figures[level]
        .iter()
        .filter(|row| !row.all.is_empty())
        .collect();
    let row = *told.get(dice.below(told.len().max(1)))?;
    let (of, value) = &row.all[dice.below(row.all.len())];
    Some((row, of.as_str(), *value))
}

fn any_pair<'a>(page: &'a Page, dice: &mut Dice) -> Option<Pair<'a>> {
    if page.levels.len() < 2 {
        return None;
    }
    let first = dice.below(page.levels.len() - 1);
    let second = first + 1 + dice.below(page.levels.len() - first - 1);
    let (row, of, value) = any_figure(page, first, dice)?;
    let same = page.figures[second]
        .iter()
        .find(|other| other.name == row.name)?;
    Some(Pair {
        of,
        row: row.name.as_deref(),
        levels: (first, second),
        values: (value, same.get(of)?),
    })
}

/// Prints the change as `+42%`, `1.4x` or `1-2x`.
fn by(pair: &Pair<'_>, style: Style, dice: &mut Dice) -> Option<String> {
    let factor = pair.values.1 / pair.values.0;
    let printed = match dice.below(4) {
        // Changes of shares are often stated in percentage points.
        0 if pair.of == "success" => {
            let points = pair.values.1 - pair.values.0;
            (points > 0.0).then(|| format!("+{}%", style.percent(points)))?
        }
        0 | 1 if factor > 1.0 => format!("+{}%", style.percent(100.0 * (factor - 1.0))),
        2 if factor > 1.0 => format!("{:.0}-{:.0}x", factor.floor(), factor.ceil()),
        _ => format!("{}x", style.number(factor)),
    };
    (factor.is_finite() && factor > 0.0).then(|| format!("\"{printed}\""))
}

/// Returns a limit that the figure meets, with or without a sign.
fn limit(of: &str, value: f64, dice: &mut Dice) -> String {
    let least = more_is_better(of);
    let far = 1.0 + dice.among(&[1e-6, 0.01, 0.3, 2.0]);
    let bound = if least {
        value / far
    } else {
        value * far + 1e-9
    };
    let (unit, digits) = if is_time(of) { ("ms", 6) } else { ("", 6) };
    let sign = match (dice.below(3), least) {
        (0, true) => "> ",
        (1, true) => "\u{2265} ",
        (0, false) => "< ",
        (1, false) => "\u{2264}",
        _ => "",
    };
    // Rounds away from the figure, so that the limit stays met.
    let scale = 10f64.powi(digits);
    let bound = if least {
        (bound * scale).floor()
    } else {
        (bound * scale).ceil()
    } / scale;
    match of {
        "count" | "ok" | "received" => format!("{}", bound.floor()),
        "failed" => format!("{}", bound.ceil()),
        _ => format!("\"{sign}{bound:.6}{unit}\""),
    }
}

/// Adds some claims. Each is true of the figures before printing.
pub(crate) fn add(page: &mut Page, style: Style, dice: &mut Dice) {
    let mut claims = Vec::new();
    for _ in 0..=dice.below(5) {
        let found = match dice.below(4) {
            0 => one_figure(page, style, dice),
            1 => shares(page, style, dice),
            2 => trend(page, dice),
            _ => two_figures(page, style, dice),
        };
        claims.extend(found);
    }
    if dice.chance(0.3) {
        claims.push(words(page, dice));
    }
    if dice.chance(0.1) {
        claims.extend(capacity(page));
    }
    page.claims = claims;
}

/// A claim that repeats a figure, or compares it with a limit.
fn one_figure(page: &Page, style: Style, dice: &mut Dice) -> Option<Table> {
    let level = dice.below(page.levels.len());
    let (row, of, value) = any_figure(page, level, dice)?;
    let kind = dice.among(&["states", "meets"]);
    let text = match (kind, of) {
        ("meets", _) => limit(of, value, dice),
        (_, "success") => format!("\"{}%\"", style.percent(value)),
        (_, "count" | "ok" | "failed" | "received") => format!("{value}"),
        (_, "rate") => format!("\"{}\"", style.number(value)),
        _ => style
            .time(value, "ms")
            .replace("ms", "")
            .replace('"', "")
            .parse::<f64>()
            .ok()
            .map_or_else(
                || style.time(value, "ms"),
                |_| format!("\"{}ms\"", style.number(value)),
            ),
    };
    let key = if kind == "meets" { "limit" } else { "value" };
    let mut table = claim(
        kind,
        &[
            ("of", format!("\"{of}\"")),
            ("levels", names(&[level])),
            (key, text),
        ],
    );
    if let Some(row) = &row.name {
        table.put("row", format!("\"{row}\""));
    }
    Some(table)
}

/// A claim about success or failure in a row, a level or the whole run.
fn shares(page: &Page, style: Style, dice: &mut Dice) -> Option<Table> {
    let level = dice.below(page.levels.len());
    let rows = &page.figures[level];
    let row = &rows[dice.below(rows.len())];
    let (success, failed) = (row.get("success")?, row.get("failed"));
    let mut table = match dice.below(3) {
        0 if failed.is_some() => {
            let share = 100.0 - success;
            let printed = format!("\"< {:.4}%\"", (share * 1.01 + 1e-4) + 5e-5);
            claim(
                "meets",
                &[("of", "\"failed\"".to_owned()), ("limit", printed)],
            )
        }
        1 if row.name.is_none() => {
            // The whole run: all ended operations, in all levels together.
            let each = page
                .figures
                .iter()
                .map(|rows| Some((rows[0].get("ok")?, rows[0].get("failed")?)));
            let each: Option<Vec<(f64, f64)>> = each.collect();
            let (ok, failed) = each?
                .iter()
                .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let share = 100.0 * ok / (ok + failed);
            return Some(claim(
                "success",
                &[("value", format!("\"{}%\"", style.percent(share)))],
            ));
        }
        _ => claim(
            "success",
            &[("value", format!("\"{}%\"", style.percent(success)))],
        ),
    };
    table.put("levels", names(&[level]));
    if let Some(row) = &row.name {
        table.put("row", format!("\"{row}\""));
    }
    Some(table)
}

/// A claim of linear or sub-linear growth, if the figures grow in that way.
fn trend(page: &Page, dice: &mut Dice) -> Option<Table> {
    let levels: Vec<usize> = (0..page.levels.len()).collect();
    let users: Vec<f64> = page.users.iter().map(|users| *users as f64).collect();
    if levels.len() < 2 || users.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    let (row, of, _) = any_figure(page, 0, dice)?;
    let value = |level: &usize| {
        page.figures[*level]
            .iter()
            .find(|other| other.name == row.name)?
            .get(of)
    };
    let values: Option<Vec<f64>> = levels.iter().map(value).collect();
    let values = values?;
    let mut steps = 1..levels.len();
    let slope = |step: usize| (values[step] - values[step - 1]) / (users[step] - users[step - 1]);
    let proportional = steps.clone().all(|step| {
        let efficiency = values[step] / values[step - 1] * users[step - 1] / users[step];
        (0.9..1.1).contains(&efficiency)
    });
    let first = slope(1);
    let line =
        is_time(of) && first > 0.0 && steps.all(|step| (0.9..1.1).contains(&(slope(step) / first)));
    let last = levels.len() - 1;
    let sub = values[last] / values[0] < 0.999 * users[last] / users[0];
    let kind = match (proportional || line, sub) {
        (true, true) => dice.among(&["linear", "sub-linear"]),
        (true, false) => "linear",
        (false, true) => "sub-linear",
        (false, false) => return None,
    };
    let mut table = claim(
        kind,
        &[("of", format!("\"{of}\"")), ("levels", names(&levels))],
    );
    if let Some(row) = &row.name {
        table.put("row", format!("\"{row}\""));
    }
    Some(table)
}

/// A claim about the change of a figure between two levels.
fn two_figures(page: &Page, style: Style, dice: &mut Dice) -> Option<Table> {
    let pair = any_pair(page, dice)?;
    let (before, after) = pair.values;
    let better = if more_is_better(pair.of) {
        after > before
    } else {
        after < before
    };
    let cliff = match pair.of {
        "success" => after < before - 5.0,
        of if more_is_better(of) => after < 0.6 * before,
        _ => after > 2.0 * before,
    };
    let same = (after / before - 1.0).abs() < 0.05;
    match dice.below(5) {
        0 if cliff => Some(about("cliff", &pair)),
        1 if better => Some(about("better", &pair)),
        2 if same => Some(about("same", &pair)),
        3 => {
            let mut table = about("depends-on", &pair);
            table.put("on", "\"rate\"");
            Some(table)
        }
        _ => {
            let mut table = about("change", &pair);
            table.put("by", by(&pair, style, dice)?);
            Some(table)
        }
    }
}

/// A claim of a kind that figures alone can hardly refute.
fn words(page: &Page, dice: &mut Dice) -> Table {
    let level = dice.below(page.levels.len());
    let users = page.users[level].to_string();
    let levels = ("levels", names(&[level]));
    match dice.below(8) {
        0 => claim("handles", &[("users", users)]),
        1 => claim("concurrent", &[("users", users), levels]),
        2 => claim("expected", &[("levels", names(&[level, level]))]),
        3 => claim("peak", &[levels]),
        4 => claim("cause", &[("measured", "\"process\"".to_owned())]),
        5 => claim("no-overhead", &[levels]),
        6 => claim(
            "people",
            &[
                ("users", "[1, 100000]".to_owned()),
                ("think", "\"1-30s\"".to_owned()),
                levels,
            ],
        ),
        _ => claim("verdict", &[levels]),
    }
}

/// Claims that the system handles the lowest load, and is saturated at twice the highest. With two versions under the
/// same load: the first version is saturated, the second has spare capacity.
fn capacity(page: &Page) -> [Table; 2] {
    let last = page.users.len() - 1;
    let (few, many) = (page.users[0], 2 * page.users[last]);
    let about = |kind: &str, users: usize, level: usize| {
        claim(
            kind,
            &[("users", users.to_string()), ("levels", names(&[level]))],
        )
    };
    if last == 1 && page.users[0] == page.users[1] {
        [
            about("saturated", few, 0),
            about("within-capacity", many, 1),
        ]
    } else {
        [
            about("within-capacity", few, 0),
            about("saturated", many, last),
        ]
    }
}
