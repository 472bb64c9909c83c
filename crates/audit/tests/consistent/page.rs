//! A written report of a run: a choice of its figures and requests, printed with a choice of digits.

use std::fmt::Write as _;

use crate::common::percentile;
use crate::style::Style;
use crate::world::{Dice, Fate, Truth, World};

/// One table of the form: its keys with their values.
#[derive(Clone, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<(String, String)>,
    pub(crate) rows: Vec<Table>,
}

impl Table {
    pub(crate) fn put(&mut self, key: &str, text: impl Into<String>) {
        let text = text.into();
        match self.entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = text,
            None => self.entries.push((key.to_owned(), text)),
        }
    }

    pub(crate) fn has(&self, keys: &[&str]) -> bool {
        keys.iter()
            .all(|key| self.entries.iter().any(|(known, _)| known == key))
    }

    fn write(&self, kind: &str, text: &mut String) {
        let _ = writeln!(text, "[[{kind}]]");
        for (key, value) in &self.entries {
            let _ = writeln!(text, "\"{key}\" = {value}");
        }
        for row in &self.rows {
            row.write(&format!("{kind}.row"), text);
        }
    }
}

/// Figures before printing. Claims are made from these.
#[derive(Clone, Default)]
pub(crate) struct Figures {
    pub(crate) name: Option<String>,
    /// Values by the names used in claims. Times are in milliseconds, success is in per cent.
    pub(crate) all: Vec<(String, f64)>,
}

impl Figures {
    pub(crate) fn get(&self, of: &str) -> Option<f64> {
        self.all
            .iter()
            .find(|(name, _)| name == of)
            .map(|(_, value)| *value)
    }
}

/// A report: its tables, and the figures of each level before printing. Those of the whole level come first.
#[derive(Clone, Default)]
pub(crate) struct Page {
    pub(crate) head: Vec<(String, String)>,
    pub(crate) levels: Vec<Table>,
    pub(crate) claims: Vec<Table>,
    pub(crate) figures: Vec<Vec<Figures>>,
    pub(crate) users: Vec<usize>,
}

impl Page {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.head {
            let _ = writeln!(text, "{key} = {value}");
        }
        for level in &self.levels {
            level.write("level", &mut text);
        }
        for claim in &self.claims {
            claim.write("claim", &mut text);
        }
        text
    }
}

/// Edges of a histogram with few buckets, in milliseconds.
const EDGES: [f64; 8] = [0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 1000.0, 100_000.0];

/// The figures stated for each operation. They are the same in the whole report.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is told, or not")]
struct Told {
    count_is_ended: bool,
    ok: bool,
    failed: bool,
    unfinished: bool,
    kinds: bool,
    success: bool,
    /// Whether the times are those of successes only, instead of all ended operations.
    times_of_ok: bool,
    samples: bool,
    percentiles: bool,
    spread: bool,
    ramp: bool,
    whole: bool,
    edges: bool,
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

pub(crate) fn page(world: &World, style: Style, dice: &mut Dice) -> Page {
    let unit = dice.among(&["ms", "ms", "s"]);
    let mut half = |of: f64| dice.chance(of);
    let told = Told {
        count_is_ended: half(0.3),
        ok: half(0.7),
        failed: half(0.7),
        unfinished: half(0.3),
        kinds: half(0.3),
        success: half(0.5),
        times_of_ok: half(0.4),
        samples: half(0.3),
        percentiles: half(0.9),
        spread: half(0.5),
        ramp: half(0.7),
        whole: half(0.85),
        edges: half(0.1),
    };
    let mut page = Page::default();
    page.head.push(("unit".to_owned(), quoted(unit)));
    if half(0.8) {
        let shape = if world.closed { "closed" } else { "open" };
        page.head.push(("loop".to_owned(), quoted(shape)));
    }
    if told.edges {
        let list: Vec<String> = EDGES.iter().map(|edge| format!("\"{edge}ms\"")).collect();
        page.head
            .push(("bucket_edges".to_owned(), format!("[{}]", list.join(", "))));
    }
    for (index, truth) in world.levels.iter().enumerate() {
        let mut table = conditions(index, truth, (style, told), world.closed, dice);
        let figures = level(world.fan_out, truth, (style, unit, told), &mut table, dice);
        page.levels.push(table);
        page.figures.push(figures);
        page.users.push(truth.users);
    }
    page
}

/// Creates the table of a level with its load and conditions.
fn conditions(
    index: usize,
    truth: &Truth,
    (style, told): (Style, Told),
    closed: bool,
    dice: &mut Dice,
) -> Table {
    let mut level = Table::default();
    let seconds = |value: f64, digits: i32| format!("\"{}s\"", style.digits(value, digits));
    level.put("name", quoted(&format!("L{index}")));
    if closed || dice.chance(0.5) {
        level.put("users", truth.users.to_string());
    }
    level.put("duration", seconds(truth.duration_s, 3));
    if told.ramp {
        level.put("ramp", seconds(truth.ramp_s, 2));
    }
    if closed && dice.chance(0.5) {
        level.put("think", seconds(truth.pause_s, 1));
    }
    if !closed {
        level.put("offered", quoted(&style.number(truth.offered)));
    }
    let version = format!("{{ version = \"{}\" }}", truth.version);
    level.put("conditions", version);
    level
}

/// Adds the results of the whole level and of its operations.
fn level(
    fan_out: Option<u64>,
    truth: &Truth,
    (style, unit, told): (Style, &str, Told),
    level: &mut Table,
    dice: &mut Dice,
) -> Vec<Figures> {
    let put = |fate: &Fate, table: &mut Table, dice: &mut Dice| {
        row(fate, truth, (style, unit, told), table, dice)
    };
    let mut figures = vec![Figures::default()];
    if told.whole {
        figures[0] = put(&truth.whole, level, dice);
        if let Some(fan_out) = fan_out {
            let received = truth.whole.received;
            level.put("received", received.to_string());
            level.put("fan_out", fan_out.to_string());
            figures[0]
                .all
                .push(("received".to_owned(), received as f64));
        }
        // Windows count starts, so the whole must count starts too.
        if !told.count_is_ended && dice.chance(0.3) {
            let windows = truth.windows.map(|count| count.to_string());
            let window = style.digits(truth.window_s, 3);
            level.put("windows", format!("[{}]", windows.join(", ")));
            level.put("window", format!("\"{window}s\""));
        }
    }
    let rows = truth.rows.iter().enumerate();
    for (index, fate) in rows.filter(|(_, row)| row.ended() > 0) {
        if told.whole && truth.rows.len() == 1 {
            break;
        }
        let mut inner = Table::default();
        inner.put("name", quoted(&format!("op{index}")));
        let mut of = put(fate, &mut inner, dice);
        of.name = Some(format!("op{index}"));
        figures.push(of);
        level.rows.push(inner);
    }
    figures
}

fn row(
    fate: &Fate,
    truth: &Truth,
    (style, unit, told): (Style, &str, Told),
    table: &mut Table,
    dice: &mut Dice,
) -> Figures {
    let mut figures = Figures::default();
    let count = if told.count_is_ended {
        fate.ended()
    } else {
        fate.started
    };
    table.put("count", style.count(count, dice));
    figures.all.push(("count".to_owned(), count as f64));
    if told.ok {
        table.put("ok", style.count(fate.ok, dice));
        figures.all.push(("ok".to_owned(), fate.ok as f64));
    }
    if told.failed {
        table.put("failed", style.count(fate.failed(), dice));
        figures
            .all
            .push(("failed".to_owned(), fate.failed() as f64));
    }
    if told.unfinished && !told.count_is_ended {
        table.put("unfinished", fate.unfinished.to_string());
    }
    if told.kinds {
        table.put(
            "failures",
            format!(
                "{{ \"500\" = {}, timeout = {} }}",
                fate.kinds[0], fate.kinds[1]
            ),
        );
    }
    if fate.ended() > 0 {
        let success = 100.0 * fate.ok as f64 / fate.ended() as f64;
        figures.all.push(("success".to_owned(), success));
        if told.success {
            table.put("success", format!("\"{}%\"", style.percent(success)));
        }
    }
    let rate = count as f64 / truth.duration_s;
    table.put("rate", quoted(&style.number(rate)));
    figures.all.push(("rate".to_owned(), rate));
    times(fate, (style, unit, told), table, &mut figures);
    figures
}

fn times(
    fate: &Fate,
    (style, unit, told): (Style, &str, Told),
    table: &mut Table,
    figures: &mut Figures,
) {
    let edges = told.edges.then_some(&EDGES[..]);
    let timed = fate.times.iter().filter(|(_, ok)| *ok || !told.times_of_ok);
    let times: Vec<f64> = timed.map(|(time, _)| *time).collect();
    let n = times.len() as f64;
    let Some(longest) = times.last() else { return };
    if told.samples {
        table.put("samples", times.len().to_string());
    }
    let mean = times.iter().sum::<f64>() / n;
    let mut named = vec![("mean".to_owned(), mean), ("max".to_owned(), *longest)];
    if told.spread {
        named.push(("min".to_owned(), times[0]));
        let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
        table.put(
            "stdev",
            style.time((squares / (n - 1.0).max(1.0)).sqrt(), unit),
        );
    }
    if told.percentiles {
        for (name, q) in [
            ("p50", 0.5),
            ("p90", 0.9),
            ("p95", 0.95),
            ("p99", 0.99),
            ("p99.9", 0.999),
        ] {
            let exact = percentile(&times, q, style.definition);
            let above = edges.and_then(|edges| edges.iter().copied().find(|edge| *edge >= exact));
            named.push((name.to_owned(), above.unwrap_or(exact)));
        }
    }
    for (name, time) in named {
        let on_edge = edges.is_some() && name.starts_with('p');
        let text = if on_edge {
            format!("\"{time}ms\"")
        } else {
            style.time(time, unit)
        };
        table.put(&name, text);
        // The report shows only the edge, so no claim is made about the true figure.
        if !on_edge {
            figures.all.push((name, time));
        }
    }
}
