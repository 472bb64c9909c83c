use record::{Level, Run, Validity};
use serde::Serialize;
use serde_json::Value;

/// Something in which runs differ although it must be the same, so that a difference of figures has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// What differs.
    pub kind: ObstacleKind,
    /// The value in the first run, or the value that every run must have.
    pub base: String,
    /// The first value that differs.
    pub other: String,
    /// Positions of the two runs with these values, among all runs that were given. The same position twice, if one run is
    /// the obstacle.
    pub runs: (usize, usize),
}

/// What must be the same in all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// The source of the scenario.
    Script,
    /// The options, apart from target, thresholds, seed and levels.
    Options,
    /// The loads, group sizes, arrivals and durations of the levels.
    Load,
    /// The number of workers.
    Workers,
    /// Processor, cores and kernel of the generator's machine.
    Machine,
    /// The version of headcount.
    Version,
    /// The validity of the levels.
    Validity,
    /// The version of the target, among the runs of one side. The two sides may have different versions.
    TargetVersion,
}

impl ObstacleKind {
    /// Whether only some levels differ in this. The loads that both runs have, and that are valid in both, are comparable.
    pub fn is_about_levels(self) -> bool {
        matches!(self, Self::Load | Self::Validity)
    }
}

/// Options that do not affect the load on the target, or that are compared as something else.
const IGNORED: [&str; 6] = ["target", "thresholds", "seed", "load", "watch", "source"];

/// Describes a run in one respect. Runs with equal descriptions are comparable in it.
type Description = fn(&Run) -> String;

/// Returns everything in which the runs differ although it must be the same.
pub fn obstacles(runs: &[&Run]) -> Vec<Obstacle> {
    let all: [(ObstacleKind, Description); 6] = [
        (ObstacleKind::Script, |run| {
            run.script.sha256.chars().take(12).collect()
        }),
        (ObstacleKind::Options, |run| options(&run.options)),
        (ObstacleKind::Load, loads),
        (ObstacleKind::Workers, |run| run.workers.to_string()),
        (ObstacleKind::Machine, machine),
        (ObstacleKind::Version, |run| run.tool.clone()),
    ];
    all.into_iter()
        .filter_map(|(kind, text)| differing(kind, runs, text))
        .chain(invalid(runs))
        .collect()
}

/// Returns the versions of the target in the runs of one side if there are several. Runs without a version agree with
/// all others. `before` is the number of runs of the sides before this one.
pub(crate) fn mixed_versions(side: &[Run], before: usize) -> Option<Obstacle> {
    let each = side.iter().enumerate();
    let mut known =
        each.filter_map(|(index, run)| Some((before + index, run.target_version.as_ref()?)));
    let (first, base) = known.next()?;
    let (second, other) = known.find(|(_, version)| *version != base)?;
    Some(Obstacle {
        kind: ObstacleKind::TargetVersion,
        base: base.clone(),
        other: other.clone(),
        runs: (first, second),
    })
}

/// Returns the known versions of the target, each once, in the order of the runs.
pub(crate) fn target_versions(side: &[Run]) -> Vec<String> {
    let mut versions: Vec<String> = Vec::new();
    for version in side.iter().filter_map(|run| run.target_version.as_ref()) {
        if !versions.contains(version) {
            versions.push(version.clone());
        }
    }
    versions
}

fn differing(kind: ObstacleKind, runs: &[&Run], text: Description) -> Option<Obstacle> {
    let base = text(runs.first()?);
    let mut others = runs.iter().map(|run| text(run)).enumerate();
    let (position, other) = others.find(|(_, other)| *other != base)?;
    Some(Obstacle {
        kind,
        base,
        other,
        runs: (0, position),
    })
}

fn options(options: &Value) -> String {
    let Value::Object(all) = options else {
        return String::new();
    };
    let kept = all
        .iter()
        .filter(|(key, _)| !IGNORED.contains(&key.as_str()));
    let mut kept: Vec<String> = kept.map(|(key, value)| format!("{key}: {value}")).collect();
    kept.sort();
    kept.join(", ")
}

fn loads(run: &Run) -> String {
    let each: Vec<String> = run.levels.iter().map(load_of).collect();
    each.join("; ")
}

/// Identifies the load of a level. Levels of different runs are compared if this is the same.
pub(crate) fn load_of(level: &Level) -> String {
    let load = &level.load;
    let amount = match (&load.rate, load.rate_per_s) {
        (Some(rate), _) => rate.clone(),
        (None, Some(per_s)) => format!("{per_s}/s"),
        (None, None) => format!("{} users", load.users),
    };
    let arrivals = load
        .arrivals
        .as_ref()
        .map(|arrivals| format!("{arrivals} arrivals"));
    let groups = (load.group_size != "1").then(|| format!("groups of {}", load.group_size));
    let duration = if load.once {
        "once".to_owned()
    } else {
        // The measured duration varies by milliseconds.
        format!("{} s", level.phases.duration_s.round())
    };
    let parts = [Some(amount), arrivals, groups, Some(duration)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let cores = machine.cores.unwrap_or_default();
    let kernel = machine.kernel.as_deref().unwrap_or("unknown kernel");
    format!("{cpu}, {cores} cores, {kernel}")
}

/// Returns the first run with invalid levels. Their figures do not describe the target, so they are an obstacle even if
/// every run has them. Valid and questionable levels have usable figures.
fn invalid(runs: &[&Run]) -> Option<Obstacle> {
    runs.iter().enumerate().find_map(|(position, run)| {
        let levels = invalid_levels(run);
        (!levels.is_empty()).then(|| Obstacle {
            kind: ObstacleKind::Validity,
            base: "valid".to_owned(),
            other: format!("level {} invalid", levels.join(", ")),
            runs: (position, position),
        })
    })
}

/// Returns the numbers of a run's invalid levels, as readers count them: from 1.
fn invalid_levels(run: &Run) -> Vec<String> {
    let levels = run.levels.iter();
    let invalid = levels.filter(|level| level.validity() == Validity::Invalid);
    invalid.map(|level| (level.index + 1).to_string()).collect()
}
