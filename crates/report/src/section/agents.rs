//! The agents of a fleet.

use format::{Column, Row, Table, count, millis, percent};
use record::{Agent, Run};

use super::{Block, Section};
use crate::words::issue::loss_of_agent;

/// Explains the columns.
const COLUMNS: &str = "Busy is the highest share of the time in which a worker of the agent was busy, of all levels. The \
    clock offset is by how much the agent's clock was ahead of the coordinator's; the agent's times are corrected by it. \
    The true offset differs from it by at most the error.";

/// Lists the agents with their workers and clocks. `None` if the run had only one process.
pub(crate) fn section(run: &Run) -> Option<Section> {
    if run.agents.is_empty() {
        return None;
    }
    let text = format!("{COLUMNS}{}", start_skew(run));
    let blocks = vec![Block::Text(text), Block::Table(table(run))];
    Section::unless_empty("Agents", blocks)
}

/// The table of the agents, without an explanation.
pub(crate) fn table(run: &Run) -> Table {
    let columns = vec![
        Column::name("agent"),
        Column::number("workers"),
        Column::number("cores"),
        Column::number("busy"),
        Column::number("clock offset"),
        Column::number("error"),
        Column::words("version"),
        Column::words("lost"),
    ];
    Table::new(
        columns,
        run.agents.iter().map(|agent| row(run, agent)).collect(),
    )
}

fn signed(offset_ms: f64) -> String {
    let sign = if offset_ms < 0.0 { "−" } else { "" };
    format!("{sign}{}", millis(offset_ms.abs()))
}

/// States how far apart the agents began the levels. Empty if unknown.
fn start_skew(run: &Run) -> String {
    let skews = run
        .levels
        .iter()
        .filter_map(|level| level.generator.start_skew_ms);
    let largest = skews.reduce(f64::max);
    largest.map_or_else(String::new, |skew| {
        let skew = millis(skew);
        format!(
            " All agents began each level within {skew}, which includes the errors of their clocks."
        )
    })
}

/// The highest busy share of an agent's workers, in percent.
fn busiest(run: &Run, agent: &Agent) -> Option<f64> {
    let uses = run.levels.iter().flat_map(|level| &level.generator.agents);
    let own = uses.filter(|one| one.agent == agent.name);
    own.map(|one| one.busiest_worker_percent).reduce(f64::max)
}

fn row(run: &Run, agent: &Agent) -> Row {
    let clock = agent.clock;
    Row::plain(vec![
        Some(agent.name.clone()),
        Some(count(u64::from(agent.workers))),
        agent.cores.map(|cores| count(u64::from(cores))),
        busiest(run, agent).map(percent),
        clock.map(|clock| signed(clock.offset_ms)),
        clock.map(|clock| millis(clock.error_ms)),
        Some(agent.version.clone()),
        agent.lost.map(|loss| loss_of_agent(loss).to_owned()),
    ])
}
