//! Reads the `[[level]]` and `[[level.row]]` tables of `audit.toml`.

use super::sort::Sort;
use super::table::Table;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Loop, Method, Row, Times};

/// The values at the top of the form, which are the defaults of all levels.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    pub(super) source: String,
    pub(super) unit: String,
    shape: Option<Loop>,
    timeout_ms: Option<Figure>,
    edges_ms: Vec<Figure>,
    method: Method,
    repetitions: Option<Figure>,
    ramp_s: Option<Figure>,
}

impl Defaults {
    pub(super) fn read(top: &mut Table<'_>, source: String) -> Result<Self, ImportError> {
        let unit = top.text("unit")?.unwrap_or_else(|| "ms".to_owned());
        Ok(Self {
            shape: shape(top)?,
            timeout_ms: top.number("timeout", Sort::Time, &unit)?,
            edges_ms: top.numbers("bucket_edges", Sort::Time, &unit)?,
            method: match top.text("percentiles")?.as_deref() {
                None | Some("samples") => Method::Samples,
                Some("sketch") => Method::Sketch,
                Some(other) => {
                    let why =
                        format!("`percentiles` must be \"samples\" or \"sketch\", not `{other}`");
                    return Err(top.refuse(why));
                }
            },
            repetitions: top.number("repetitions", Sort::Count, "")?,
            ramp_s: top.number("ramp", Sort::Seconds, "s")?,
            source,
            unit,
        })
    }
}

pub(super) fn level(
    mut table: Table<'_>,
    defaults: &Defaults,
    known: &[Level],
) -> Result<Level, ImportError> {
    let at = table.place(&defaults.source)?;
    let name = table
        .text("name")?
        .ok_or_else(|| table.refuse("a level needs a `name`"))?;
    if known.iter().any(|level| level.name == name) {
        return Err(table.refuse(format!("a level named `{name}` already exists")));
    }
    let mut total = row(&mut table, defaults)?;
    total.at.clone_from(&at);
    let mut level = Level {
        at,
        name,
        users: table.number("users", Sort::Count, "")?,
        duration_s: table.number("duration", Sort::Seconds, "s")?,
        ramp_s: table
            .number("ramp", Sort::Seconds, "s")?
            .or_else(|| defaults.ramp_s.clone()),
        offered_per_s: table.number("offered", Sort::Measured, "")?,
        answered_per_s: None,
        dropped: table.number("dropped", Sort::Count, "")?,
        shape: shape(&mut table)?.or(defaults.shape),
        think_ms: table.number("think", Sort::Time, "s")?,
        fan_out: table.number("fan_out", Sort::Measured, "")?,
        sessions: table.number("sessions", Sort::Count, "")?,
        repetitions: table
            .number("repetitions", Sort::Count, "")?
            .or_else(|| defaults.repetitions.clone()),
        generator_cpu_percent: table.number("generator_cpu", Sort::Percent, "")?,
        windows: table.numbers("windows", Sort::Count, "")?,
        window_s: table.number("window", Sort::Seconds, "s")?,
        pooled: table.texts("pooled")?,
        conditions: table.map("conditions")?,
        flow: table.flag("flow")?,
        total,
        rows: Vec::new(),
    };
    for mut inner in table.tables("row")? {
        let at = inner.place(&defaults.source)?;
        let name = inner
            .text("name")?
            .ok_or_else(|| inner.refuse("a row needs a `name`"))?;
        if level.rows.iter().any(|row| row.name == name) {
            return Err(inner.refuse(format!("this level already has a row named `{name}`")));
        }
        let mut read = row(&mut inner, defaults)?;
        (read.name, read.at) = (name, at);
        inner.close()?;
        level.rows.push(read);
    }
    table.close()?;
    Ok(level)
}

/// The assumed error of percentiles and means: 1 %, as in a histogram with two digits. Reports rarely state their
/// error.
const RESOLUTION: f64 = 0.01;

fn row(table: &mut Table<'_>, defaults: &Defaults) -> Result<Row, ImportError> {
    let unit = defaults.unit.as_str();
    let counts = Counts {
        sent: table.number("count", Sort::Count, "")?,
        received: table.number("received", Sort::Count, "")?,
        ok: table.number("ok", Sort::Count, "")?,
        failed: table.number("failed", Sort::Count, "")?,
        unfinished: table.number("unfinished", Sort::Count, "")?,
        failures: table.named_counts("failures")?,
        success_percent: table.number("success", Sort::Percent, "")?,
        unanswered: None,
    };
    let samples_unknown = table.says_unknown("samples");
    let times = Times {
        samples_unknown,
        min: table.number("min", Sort::Time, unit)?,
        mean: table.number("mean", Sort::Time, unit)?,
        stdev: table.number("stdev", Sort::Time, unit)?,
        max: table.number("max", Sort::Time, unit)?,
        percentiles: table.percentiles(unit)?,
        samples: if samples_unknown {
            None
        } else {
            table.number("samples", Sort::Count, "")?
        },
        method: defaults.method,
        resolution: RESOLUTION,
        ..Times::default()
    };
    let edges = table.numbers("bucket_edges", Sort::Time, unit)?;
    let empty = times.is_empty();
    Ok(Row {
        counts,
        rate_per_s: table.number("rate", Sort::Measured, "")?,
        times,
        timeout_ms: table
            .number("timeout", Sort::Time, unit)?
            .or_else(|| defaults.timeout_ms.clone().filter(|_| !empty)),
        edges_ms: if edges.is_empty() {
            defaults.edges_ms.clone()
        } else {
            edges
        },
        carries_ms: table.number("carries", Sort::Time, unit)?,
        ..Row::default()
    })
}

fn shape(table: &mut Table<'_>) -> Result<Option<Loop>, ImportError> {
    match table.text("loop")?.as_deref() {
        None => Ok(None),
        Some("closed") => Ok(Some(Loop::Closed)),
        Some("open") => Ok(Some(Loop::Open)),
        Some(other) => Err(table.refuse(format!(
            "`loop` must be \"closed\" or \"open\", not `{other}`"
        ))),
    }
}
