//! The data needed to repeat the run, and the lengths of the phases.

use format::{Column, Row, Table, count, megabytes, part, seconds};
use record::{Level, Run, Sources};

use super::{Block, Section, marked};

/// Lists the seed, script, versions, machine and limits.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let machine = &run.machine;
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let facts = [
        ("tool", known(&run.tool)),
        ("target", known(&run.target)),
        ("target version", run.target_version.clone()),
        ("script", known(&run.script.path)),
        ("script SHA-256", known(&run.script.sha256)),
        // A seed is an identifier, not an amount, so its digits are not grouped.
        ("seed", Some(run.seed.to_string())),
        ("started", known(&run.started_at)),
        ("ended", known(&run.ended_at)),
        (
            "workers",
            (run.workers > 0).then(|| count(u64::from(run.workers))),
        ),
        ("source addresses", run.sources.as_ref().map(sources)),
        ("generator's CPU", machine.cpu.clone()),
        ("cores", machine.cores.map(|cores| count(u64::from(cores)))),
        (
            "memory",
            machine.memory_mb.map(|amount| megabytes(amount as f64)),
        ),
        ("kernel", machine.kernel.clone()),
        ("descriptor limit", machine.fd_limit.map(count)),
        (
            "local ports",
            machine.local_ports.map(|ports| count(u64::from(ports))),
        ),
        (
            "options",
            Some(run.options.to_string()).filter(|options| options != "null"),
        ),
        ("variables", known(&run.script.env.join(", "))),
    ];
    let row = |(name, fact): (&str, Option<String>)| {
        fact.map(|fact| Row::plain(vec![Some(name.to_owned()), Some(fact)]))
    };
    let columns = vec![Column::words("item"), Column::name("value")];
    let table = Table::new(columns, facts.into_iter().filter_map(row).collect());
    Section::unless_empty("Environment", vec![Block::Table(table)])
}

/// Formats source addresses: `254 (127.0.0.0/24)`. Each user keeps one address.
fn sources(sources: &Sources) -> String {
    let given = sources.given.join(", ");
    format!("{} ({given})", count(sources.addresses))
}

/// Lists the lengths of the phases, and the events before the measured time.
pub(crate) fn phases(run: &Run) -> Option<Section> {
    let titles = [
        "ramp",
        "warm-up",
        "measured",
        "settling",
        "closing",
        "requests before",
        "failed before",
        "messages before",
        "iterations failed before",
    ];
    let columns = [
        vec![Column::words("load"), Column::words("group")],
        titles.map(Column::number).to_vec(),
    ]
    .concat();
    let table = Table::new(columns, run.levels.iter().map(phase_row).collect());
    Section::unless_empty("Phases", vec![Block::Table(table)])
}

fn phase_row(level: &Level) -> Row {
    let phases = &level.phases;
    let before = &level.measured.before;
    let group = match (level.load.group_size.as_str(), level.load.once) {
        ("", _) => None,
        (group, true) => Some(format!("{group}, once, all started together")),
        (group, false) => Some(group.to_owned()),
    };
    let spent = [
        phases.ramp_s,
        phases.warmup_s,
        phases.duration_s,
        phases.settle_s,
        phases.drain_s,
    ];
    let outside = [
        (before.requests > 0).then(|| count(before.requests)),
        (before.failed_requests > 0).then(|| part(before.failed_requests, before.requests)),
        (before.messages > 0).then(|| count(before.messages)),
        (before.iterations_failed > 0).then(|| count(before.iterations_failed)),
    ];
    let spent = spent.map(|time| (time > 0.0).then(|| seconds(time)));
    Row::plain(
        [Some(marked(level)), group]
            .into_iter()
            .chain(spent)
            .chain(outside)
            .collect(),
    )
}
