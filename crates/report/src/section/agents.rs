//! The agents of a fleet.

use format::{Column, Row, Table, count, millis};
use record::{Agent, Run};

use super::{Block, Section};
use crate::words::issue::loss_of_agent;

/// Explains the columns of clocks.
const CLOCKS: &str = "The clock offset is by how much the agent's clock was ahead of the coordinator's; the agent's times \
    are corrected by it. The true offset differs from it by at most the error.";

/// Lists the agents with their workers and clocks. `None` if the run had only one process.
pub(crate) fn section(run: &Run) -> Option<Section> {
    if run.agents.is_empty() {
        return None;
    }
    let blocks = vec![Block::Text(CLOCKS.to_owned()), Block::Table(table(run))];
    Section::unless_empty("Agents", blocks)
}

/// The table of the agents, without an explanation.
pub(crate) fn table(run: &Run) -> Table {
    let columns = vec![
        Column::name("agent"),
        Column::number("workers"),
        Column::number("cores"),
        Column::number("clock offset"),
        Column::number("error"),
        Column::words("version"),
        Column::words("lost"),
    ];
    Table::new(columns, run.agents.iter().map(row).collect())
}

fn signed(offset_ms: f64) -> String {
    let sign = if offset_ms < 0.0 { "−" } else { "" };
    format!("{sign}{}", millis(offset_ms.abs()))
}

fn row(agent: &Agent) -> Row {
    let clock = agent.clock;
    Row::plain(vec![
        Some(agent.name.clone()),
        Some(count(u64::from(agent.workers))),
        agent.cores.map(|cores| count(u64::from(cores))),
        clock.map(|clock| signed(clock.offset_ms)),
        clock.map(|clock| millis(clock.error_ms)),
        Some(agent.version.clone()),
        agent.lost.map(|loss| loss_of_agent(loss).to_owned()),
    ])
}
