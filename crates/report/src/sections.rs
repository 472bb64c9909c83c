//! The sections of the full report, which Markdown and HTML share.

use record::Run;

use crate::section::levels::Lead;
use crate::section::{
    Block, ERROR, Section, agents, counts, deliveries, environment, failures, findings, funnel,
    levels, pass_rate, resources, setup, streams, target, thresholds, timings, verdict,
};

/// Returns all sections of the full report, in order.
pub(crate) fn all(run: &Run) -> Vec<Section> {
    let lead = Lead::of(run);
    let rates = if pass_rate::any(run) {
        format!(" {}.", pass_rate::ABOUT)
    } else {
        String::new()
    };
    let levels = vec![
        Block::Text(format!(
            "Rates are {}; times are {}; {ERROR}.{rates}",
            lead.rate_title(),
            lead.times_title()
        )),
        Block::Table(levels::table(run, true)),
    ];
    let levels = Section::unless_empty("Levels", levels).filter(|_| !run.levels.is_empty());
    let remarks = vec![Block::List(verdict::remarks(run))];
    let head = [
        Section::unless_empty("Remarks", remarks),
        levels,
        findings::section(run),
        thresholds::section(run),
        funnel::section(run),
        deliveries::section(run),
        streams::section(run),
    ];
    let tail = [
        counts::iterations(run),
        counts::checks(run),
        counts::converged(run),
        counts::metrics(run),
        failures::section(run),
        target::section(run),
        resources::generator(run),
        agents::section(run),
        setup::section(run),
        environment::phases(run),
        environment::section(run),
    ];
    let head = head.into_iter().flatten();
    head.chain(timings::sections(run))
        .chain(tail.into_iter().flatten())
        .collect()
}

/// Explains the figures, in Markdown.
pub(crate) const HOW_TO_READ: &str = "
## How to read it

- Response time counts from the planned start, service time from the actual start.
- `16.2 ms (15.8–16.9)` is a percentile and its 95 % interval. The interval accounts for the correlation between
  consecutive times, and between the deliveries of one message. `16.2 ms (n/a)`: no interval, because the run was too
  short or its times were too correlated.
- Intervals describe this run only. Two runs of the same system differ by more, so one run of each of two systems does
  not show whether the systems differ.
- A percentile with fewer than ten samples beyond it is `n/a`. `–` means not measured.
- `> 15 s`: the percentile lies among operations that had no response within that limit.
- A load that ends with `: succeeded` marks a row of the operations that succeeded. All other rows, and all thresholds,
  include failures.
- lost: not received by the end of the settling time. late: received after the deadline. duplicated: received more than
  once. reordered: received after a later message of the same sender. misdelivered: received by a member outside the
  audience.
- Setup, ramp-up and warm-up are not part of a level's figures. Figures are never pooled over levels.
- In an invalid level the generator was the limit: thresholds broken there do not count against the target.
- CPU is in percent of one core.
";
