//! The agents of a fleet.

use format::{Column, Row, Table, count, millis, percent};
use record::{Agent, AgentUse, Run};

use super::{Block, Section};
use crate::words::issue::loss_of_agent;

/// Explains the columns.
const COLUMNS: &str = "Busy is the highest share of the time in which a worker of the agent was busy, of all levels. \
    Quota is the longest time in a level for which a CPU quota stopped the agent, and stolen the highest share of the \
    time that the host of its virtual machine took. A clock counts from the start of \
    its process. The clock offset is by how much the agent's clock was ahead of the coordinator's; the agent's times are \
    corrected by it. The true offset differs from it by at most the error. Drift is \
    how much faster the agent's clock was, in parts per million.";

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
        Column::number("quota").minor(2),
        Column::number("stolen").minor(2),
        Column::number("clock offset"),
        Column::number("error"),
        Column::number("drift").minor(1),
        Column::words("version"),
        Column::words("lost"),
    ];
    Table::new(
        columns,
        run.agents.iter().map(|agent| row(run, agent)).collect(),
    )
}

fn signed(figure: f64, unit: fn(f64) -> String) -> String {
    let sign = if figure < 0.0 { "−" } else { "" };
    format!("{sign}{}", unit(figure.abs()))
}

fn drift(rate_ppm: f64) -> String {
    let shown = (rate_ppm * 10.0).round() / 10.0; // so that no zero has a sign
    signed(shown, |rate| format!("{rate:.1} ppm"))
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

/// The highest figure of an agent in a level. `None` if it is unknown in all levels.
fn highest(run: &Run, agent: &Agent, figure: fn(&AgentUse) -> Option<f64>) -> Option<f64> {
    let uses = run.levels.iter().flat_map(|level| &level.generator.agents);
    let own = uses.filter(|one| one.agent == agent.name);
    own.filter_map(figure).reduce(f64::max)
}

fn row(run: &Run, agent: &Agent) -> Row {
    let clock = agent.clock.as_ref();
    let highest = |figure| highest(run, agent, figure);
    Row::plain(vec![
        Some(agent.name.clone()),
        Some(count(u64::from(agent.workers))),
        agent.cores.map(|cores| count(u64::from(cores))),
        highest(|one| Some(one.busiest_worker_percent)).map(percent),
        highest(|one| one.throttled_ms).map(millis),
        highest(|one| one.stolen_percent).map(percent),
        clock.map(|clock| signed(clock.offset_ms, millis)),
        clock.map(|clock| millis(clock.error_ms)),
        clock.and_then(|clock| clock.drift_ppm).map(drift),
        Some(agent.version.clone()),
        agent.lost.map(|loss| loss_of_agent(loss).to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_of_nearly_zero_has_no_sign() {
        assert_eq!(drift(-0.02), "0.0 ppm");
        assert_eq!(drift(-12.34), "−12.3 ppm");
    }
}
