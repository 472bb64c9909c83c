use record::{Level, Run};
use stats::{Difference, FEWEST_RUNS, SIGNIFICANCE, benjamini_hochberg, holm};

use crate::comparison::{ComparedFigure, Comparison, Effect, Judgement};
use crate::fail_if::FailIf;
use crate::figure::{Figure, Missing, Reading, Scale, figures_of};
use crate::method::{Method, Place, mean};
use crate::obstacle::{
    Obstacle, ObstacleKind, load_of, mixed_versions, obstacles, target_versions,
};
use crate::primary::Primary;

/// Maximum probability that a family of figures has a difference where there is none. The figures that decide and the
/// others are two families, so that at most one in twenty comparisons of identical runs has any difference.
const OF_EACH_FAMILY: f64 = SIGNIFICANCE / 2.0;

/// Differences that do not matter, as relative changes. For shares, they are percentage points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// For most figures: 0.05 is 5 %.
    pub usual: f64,
    /// For p99, which varies more from run to run.
    pub tail: f64,
}

impl Default for Margins {
    fn default() -> Self {
        Self {
            usual: 0.05,
            tail: 0.10,
        }
    }
}

/// What to compare, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The runs to compare with.
    pub base: &'a [Run],
    /// The runs to judge.
    pub new: &'a [Run],
    /// Whether the base is a history of several days.
    pub is_history: bool,
    /// Differences that do not matter.
    pub margins: Margins,
    /// Conditions of the command line, whose figures decide like those of thresholds.
    pub conditions: &'a [FailIf],
    /// What may differ between the runs.
    pub allowed: &'a [ObstacleKind],
}

/// Compares two sets of runs. Fails with everything in which the runs differ although it must be the same.
pub fn compare(request: &Request<'_>) -> Result<Comparison, Vec<Obstacle>> {
    let runs: Vec<&Run> = request.base.iter().chain(request.new).collect();
    let mut all = obstacles(&runs);
    all.extend(mixed_versions(request.new, request.base.len()));
    // A history has the versions of several days.
    all.extend(mixed_versions(request.base, 0).filter(|_| !request.is_history));
    let (allowed, forbidden): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|obstacle| request.allowed.contains(&obstacle.kind));
    if !forbidden.is_empty() {
        return Err(forbidden);
    }
    let places = places(request);
    let method = Method::of(&places, request.is_history);
    let levels = common_levels(&runs);
    let mut comparison = Comparison {
        method,
        base_runs: request.base.len(),
        new_runs: request.new.len(),
        target_versions: (target_versions(request.base), target_versions(request.new)),
        levels: levels.iter().map(|level| load_of(level[0])).collect(),
        figures: Vec::new(),
        left_out: Vec::new(),
        on_both_sides: on_both_sides(request),
        allowed,
    };
    let primary = runs.first().map(|run| Primary::of(run, request.conditions));
    for (index, level) in levels.iter().enumerate() {
        for figure in figures_of(index, level[0]) {
            let is_primary = primary.as_ref().is_some_and(|one| one.contains(&figure));
            let one = one_figure(figure, is_primary, level, (&places, method), request);
            comparison.figures.extend(one);
        }
    }
    if let Some(primary) = &primary {
        comparison.left_out = primary.left_out(&comparison.figures);
    }
    comparison.figures.sort_by_key(|one| !one.is_primary);
    adjust(&mut comparison.figures, request);
    Ok(comparison)
}

/// The number of runs on both sides. They make the sides more alike than they are.
fn on_both_sides(request: &Request<'_>) -> usize {
    let is_same =
        |one: &Run, other: &Run| (&one.started_at, one.seed) == (&other.started_at, other.seed);
    let new = request.new.iter();
    new.filter(|new| request.base.iter().any(|base| is_same(base, new)))
        .count()
}

/// The runs in order of time. Runs without a readable time keep their order.
fn places(request: &Request<'_>) -> Vec<Place> {
    let of = |runs: &[Run], is_new: bool| -> Vec<Place> {
        let each = runs.iter().enumerate();
        each.map(|(index, run)| Place {
            at: run.started_at.parse().unwrap_or_default(),
            is_new,
            index,
        })
        .collect()
    };
    let mut places = of(request.base, false);
    places.extend(of(request.new, true));
    places.sort();
    places
}

/// The levels with a load that every run has, each with the level of every run.
fn common_levels<'a>(runs: &[&'a Run]) -> Vec<Vec<&'a Level>> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let in_all = |level: &'a Level| {
        let load = load_of(level);
        let same = |run: &&'a Run| run.levels.iter().find(|other| load_of(other) == load);
        let mut all = vec![level];
        for run in others {
            all.push(same(run)?);
        }
        Some(all)
    };
    first.levels.iter().filter_map(in_all).collect()
}

/// Compares one figure, with an unadjusted p-value. `None` if no run measured it.
fn one_figure(
    figure: Figure,
    is_primary: bool,
    level: &[&Level],
    (places, method): (&[Place], Method),
    request: &Request<'_>,
) -> Option<ComparedFigure> {
    let base_runs = request.base.len();
    let read = |place: &Place| {
        let index = place.index + if place.is_new { base_runs } else { 0 };
        figure.read(level[index]).map(|reading| (*place, reading))
    };
    let readings: Vec<Result<(Place, Reading), Missing>> = places.iter().map(read).collect();
    let known: Vec<(Place, Reading)> = readings.iter().filter_map(|one| one.ok()).collect();
    let reason = readings.iter().find_map(|one| one.err());
    let none = known.is_empty();
    if none && (reason == Some(Missing::NotMeasured) || !is_primary) {
        return None;
    }
    let scale = figure.scale();
    let typical = |is_new: bool| {
        let side = known.iter().filter(|(place, _)| place.is_new == is_new);
        let values: Vec<f64> = side.map(|(_, one)| scale.scaled(one.value)).collect();
        scale.unscaled(mean(&values))
    };
    let (base, new) = (typical(false), typical(true));
    let margin = if figure.is_tail() {
        request.margins.tail
    } else {
        request.margins.usual
    };
    let difference = if reason.is_none() {
        method.difference(&known, |value| scale.scaled(value))
    } else {
        None
    };
    let judgement = match reason {
        Some(missing) => Judgement::NotCompared { missing },
        None => Judgement::CannotTell,
    };
    Some(ComparedFigure {
        effect: difference.map(|difference| scale.effect(difference, base, margin)),
        judgement,
        figure,
        base,
        new,
        is_primary,
        margin,
    })
}

/// Adjusts the p-values for the number of figures, and judges. The figures that decide are few, and all statements about
/// them may be right. Among the others, few of those called different may be wrong.
fn adjust(figures: &mut [ComparedFigure], request: &Request<'_>) {
    let enough = request.is_history || request.base.len().min(request.new.len()) >= FEWEST_RUNS;
    for is_primary in [true, false] {
        let mut compared: Vec<&mut ComparedFigure> = figures
            .iter_mut()
            .filter(|one| one.is_primary == is_primary && one.effect.is_some())
            .collect();
        let raw: Vec<f64> = compared
            .iter()
            .filter_map(|one| one.effect)
            .map(|effect| effect.p_value)
            .collect();
        let adjusted = if is_primary {
            holm(&raw)
        } else {
            benjamini_hochberg(&raw)
        };
        for (one, p_value) in compared.iter_mut().zip(adjusted) {
            if let Some(effect) = &mut one.effect {
                effect.p_value = p_value;
                one.judgement = judge(*effect, one.margin, enough);
            }
        }
    }
}

fn judge(effect: Effect, margin: f64, enough: bool) -> Judgement {
    if enough && effect.p_value < OF_EACH_FAMILY {
        Judgement::Different
    } else if enough && -margin < effect.low && effect.high < margin {
        Judgement::Same
    } else {
        Judgement::CannotTell
    }
}

impl Scale {
    /// Converts a value to the scale on which differences add up.
    pub(crate) fn scaled(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.ln(),
            Self::Share => value.sqrt(),
        }
    }

    fn unscaled(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.exp(),
            Self::Share => value * value.abs(),
        }
    }

    /// Converts a difference back: to a relative change, or to a difference of shares from `base`.
    fn effect(self, difference: Difference, base: f64, margin: f64) -> Effect {
        let (low, high) = difference.interval(SIGNIFICANCE);
        let back = |value: f64| match self {
            Self::Ratio => value.exp_m1(),
            // A share is never above 1.
            Self::Share => self.unscaled((base.sqrt() + value).clamp(0.0, 1.0)) - base,
        };
        Effect {
            estimate: back(difference.estimate),
            low: back(low),
            high: back(high),
            p_value: difference.p_value(),
            spread: difference.spread,
            needed: difference.runs_needed(
                match self {
                    Self::Ratio => margin.ln_1p(),
                    Self::Share => (base + margin).sqrt() - base.sqrt(),
                },
                OF_EACH_FAMILY,
            ),
        }
    }
}
