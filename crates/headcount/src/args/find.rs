use std::collections::BTreeSet;
use std::path::PathBuf;

use capacity::search::Quantity;
use clap::ValueEnum;

use super::fleet::FleetArgs;
use super::run::{GeneratorArgs, ScreenArgs};

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount find room.ts
  headcount find api.ts --search rate --budget 8m
  headcount find room.ts --search groups --most 500
  headcount find room.ts --by group-size=2,5,10,50 --budget 12m
  headcount find api.ts --resume headcount-run-20261121T120000 --budget 2m
  headcount find api.ts --target http://127.0.0.1:5000 --json > find.json
  headcount find room.ts --fleet nats://10.0.0.5:4222

The search is a series of trials. Each trial is a run with `setup` and
`teardown`, and keeps the scenario's `ramp` and `warmup`. The search chooses the
load and the duration.

Exit codes:
  0 ceiling found, or the largest load held · 1 bug · 2 usage · 3 script error
  4 target not reachable · 130 interrupted
  99 no load holds, or the target did not recover or became slower
  98 no ceiling found: the generator was the limit, the time ran out, or a
  threshold could not be decided, such as one for which nothing was measured
  With --by, 130 if interrupted, else that of the first size without a ceiling")]
pub(crate) struct FindArgs {
    /// Scenario file, in TypeScript or JavaScript
    pub(crate) scenario: PathBuf,
    /// Folder from which the scenario may read and import files [default: the scenario's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Environment variable that the scenario may read, as for `headcount run`. Can be repeated
    #[arg(long, value_name = "NAME[=VALUE]", allow_hyphen_values = true)]
    pub(crate) env: Vec<String>,
    /// Base URL of the system under test; overrides the scenario's `target`
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) target: Option<String>,
    /// Prometheus endpoint of the target, to read its CPU and memory when it runs on another machine
    #[arg(long, value_name = "URL", help_heading = "Target")]
    pub(crate) watch_metrics: Option<String>,
    /// Quantity to vary [default: rate if the load has one, groups if users form groups, else users]
    #[arg(long, value_enum, value_name = "QUANTITY", help_heading = "Search")]
    pub(crate) search: Option<Searched>,
    /// Search once for each of these group sizes (at most 20), and compare them: `group-size=2,5,10,50`. The searches
    /// share the budget [default: 3m for each]
    #[arg(long, value_name = "group-size=N,N,…", value_parser = parse_group_sizes, help_heading = "Search",
          conflicts_with_all = ["resume", "search"])]
    pub(crate) by: Option<GroupSizes>,
    #[command(flatten)]
    pub(crate) range: SearchArgs,
    /// Continue the search that was saved in this folder, with the same scenario, target and thresholds. `--budget` then
    /// adds time
    #[arg(
        long, value_name = "DIR", help_heading = "Search",
        conflicts_with_all = ["out", "search", "precision", "first", "most", "seed"]
    )]
    pub(crate) resume: Option<PathBuf>,
    /// Send every request exactly once, as for `headcount run`
    #[arg(long, help_heading = "Search")]
    pub(crate) no_repeat: bool,
    /// Seed for all random choices of the first trial; each further trial adds 1 [default: a new one]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) generator: GeneratorArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,

    /// Folder for find.json; it must not contain a run or be in use by another run [default: a new
    /// headcount-run-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// Time, precision and range of a search.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SearchArgs {
    /// Time limit of the whole search, at least 20s [default: 4m]
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    pub(crate) budget: Option<String>,
    /// Wanted precision of the stable ceiling in percent, from 1 to 50 [default: 5]
    #[arg(
        long, value_name = "PERCENT", help_heading = "Search", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u8).range(1..=50)
    )]
    pub(crate) precision: Option<u8>,
    /// First load to try: a rate per second, or a number of groups, users or connections [default: 10/s, or as few
    /// as possible]
    #[arg(
        long,
        value_name = "LOAD",
        help_heading = "Search",
        allow_negative_numbers = true
    )]
    pub(crate) first: Option<f64>,
    /// Largest load to try [default: 1,000,000/s, or 1,000,000 users or connections]
    #[arg(
        long,
        value_name = "LOAD",
        help_heading = "Search",
        allow_negative_numbers = true
    )]
    pub(crate) most: Option<f64>,
    /// Time between two iterations of a real person, such as `5m`; the report then says how many people the target can
    /// serve
    #[arg(long, value_name = "TIME", help_heading = "Production")]
    pub(crate) person_every: Option<String>,
    /// Expected growth of the load in percent; the production limit leaves room for it
    #[arg(long, value_name = "PERCENT", help_heading = "Production", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) growth: Option<u32>,
    /// Number of equal nodes of the target; the production limit leaves room for the loss of one
    #[arg(long, value_name = "N", help_heading = "Production", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub(crate) nodes: Option<u32>,
}

impl SearchArgs {
    /// Whether any option is given.
    pub(crate) fn any(&self) -> bool {
        self.budget.is_some()
            || self.precision.is_some()
            || self.first.is_some()
            || self.most.is_some()
            || self.person_every.is_some()
            || self.growth.is_some()
            || self.nodes.is_some()
    }
}

/// Group sizes, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupSizes(pub(crate) Vec<u64>);

fn parse_group_sizes(text: &str) -> Result<GroupSizes, String> {
    const MOST: usize = 20;
    let refused = || format!("`{text}` is not a list of group sizes, such as group-size=2,5,10");
    let list = text.strip_prefix("group-size=").ok_or_else(refused)?;
    let sizes: Result<BTreeSet<u64>, _> = list.split(',').map(|size| size.trim().parse()).collect();
    let sizes = sizes.map_err(|_| refused())?;
    if sizes.contains(&0) {
        return Err("a group has at least one user".to_owned());
    }
    if sizes.len() > MOST {
        return Err(format!("at most {MOST} group sizes can be compared"));
    }
    Ok(GroupSizes(sizes.into_iter().collect()))
}

/// The quantity that a search varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Searched {
    /// Iterations started per second
    Rate,
    /// Concurrent users
    Users,
    /// Concurrent groups
    Groups,
}

impl From<Searched> for Quantity {
    fn from(searched: Searched) -> Self {
        match searched {
            Searched::Rate => Self::Rate,
            Searched::Users => Self::Users,
            Searched::Groups => Self::Groups,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_sizes_are_sorted_and_checked() {
        assert_eq!(
            parse_group_sizes("group-size=50, 2,5,2"),
            Ok(GroupSizes(vec![2, 5, 50]))
        );
        for wrong in ["2,5", "group-size=", "group-size=2,x", "group-size=0,2"] {
            assert!(parse_group_sizes(wrong).is_err(), "{wrong}");
        }
    }
}
