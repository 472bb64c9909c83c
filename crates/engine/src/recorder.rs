use std::sync::Arc;

use delivery::Tally;
use model::{Fault, FaultKind, Nanos, Side, Timing};
use plan::SubjectKind;
use record::{
    Convergence, Example, Failure, Iterations, Measured, Metric, MetricKind, Mismatch, OpenWindow,
    Timings, note_failure, shortened,
};
use rustc_hash::FxHashMap;

use crate::deliveries::deliveries_of;
use crate::funnel::FunnelCounts;
use crate::level::Span;
use crate::limited::LimitedSamples;
use crate::self_monitoring::SelfMonitoring;

mod courses;
mod measured_time;
mod names;
mod unmeasured;

use courses::Courses;
use names::Named;

pub(crate) use measured_time::Iteration;
pub(crate) use names::{NAMES_LIMIT, OTHER_NAMES};
pub(crate) use unmeasured::Unmeasured;

/// Maximum number of kinds of failure that are stored, each with an example.
const FAILURES_LIMIT: usize = 200;

/// The kind of a timed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Connection,
    Request,
    RoundTrip,
}

impl Family {
    /// The kind as a word for reports.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Request => "request",
            Self::RoundTrip => "round trip",
        }
    }
}

const FAMILIES: usize = 3;

/// The way in which a timed operation ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// The operation got a response, which may be a failure.
    Answered { failed: bool },
    /// The operation broke without a response.
    Broke,
    /// The operation exceeded this time limit.
    RanOut(Nanos),
}

impl Ending {
    fn is_failure(self) -> bool {
        !matches!(self, Self::Answered { failed: false })
    }
}

/// The measurements of one worker in one level. Their size does not grow with the number of requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    /// The measured time. It may end earlier than planned.
    pub(crate) hold: Span,
    timings: [Named<Timings>; FAMILIES],
    pub(crate) measured: Measured,
    pub(crate) funnel: FunnelCounts,
    /// Iteration counts of each scenario, if there is a mix.
    scenarios: Vec<Iterations>,
    pub(crate) windows: Windows,
    pub(crate) monitoring: SelfMonitoring,
    pub(crate) channels: Channels,
    /// The tally of each channel.
    pub(crate) tallies: Vec<Tally>,
    /// Responses with status 429; `None` until the first one.
    pub(crate) limited: Option<Box<LimitedSamples>>,
    courses: Courses,
    unmeasured: Unmeasured,
}

/// The channels, in the order of their tallies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels {
    names: Named<()>,
    /// For each tally, how the message with the first misplaced stamp differed from what the channel looks for.
    pub(crate) mismatches: FxHashMap<usize, Mismatch>,
}

impl Channels {
    fn name(&self, tally: usize) -> Option<&str> {
        let named = self.names.values.get(tally);
        named.map(|(name, ())| name.as_str())
    }
}

/// The windows of one second each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    pub(crate) open: OpenWindow,
    /// Number of requests in closed windows.
    closed_requests: u64,
}

/// The circumstances of a failure, for the example that is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    pub(crate) what: String,
    pub(crate) at: Nanos,
    pub(crate) user: Option<String>,
    pub(crate) step: Option<String>,
}

impl Recorder {
    /// The index under which a name of a family is timed.
    pub(crate) fn name(&mut self, family: Family, name: &str) -> usize {
        let names = &mut self.timings[family as usize];
        match family {
            Family::Request => names.tagged_entry(name, Timings::default),
            Family::Connection | Family::RoundTrip => names.entry(name, Timings::default),
        }
    }

    pub(crate) fn name_of(&self, family: Family, index: usize) -> &str {
        &self.timings[family as usize].values[index].0
    }

    /// Counts an operation of the measured time.
    fn count(
        &mut self,
        family: Family,
        index: usize,
        timing: Timing,
        ending: Ending,
    ) -> &mut Timings {
        let timings = &mut self.timings[family as usize].values[index].1;
        match ending {
            Ending::Answered { failed } => {
                timings.answered(timing.response_time(), timing.service_time(), failed);
            }
            Ending::Broke => timings.broke(),
            Ending::RanOut(limit) => timings.ran_out(limit),
        }
        let window = &mut self.windows.open;
        match family {
            Family::Request => window.requests += 1,
            Family::RoundTrip => window.round_trips += 1,
            Family::Connection => return timings,
        }
        window.failed += u64::from(ending.is_failure());
        match ending {
            Ending::Answered { .. } => window.response.record(timing.response_time()),
            Ending::Broke => {}
            Ending::RanOut(_) => window.timed_out += 1,
        }
        timings
    }

    /// Counts a request as failed whose response, after this time, was counted as a success.
    pub(crate) fn fail_answered(&mut self, request: usize, response: Nanos) {
        let requests = &mut self.timings[Family::Request as usize].values;
        requests[request].1.fail_answered(response);
        self.windows.open.failed += 1;
    }

    /// Counts an operation of the measured time that is in flight, `age` after its planned start.
    pub(crate) fn left_open(&mut self, family: Family, index: usize, age: Nanos) {
        self.timings[family as usize].values[index].1.left_open(age);
    }

    /// Adds to the iteration counts, in total and for the scenario.
    pub(crate) fn iterations(&mut self, scenario: usize, count: impl Fn(&mut Iterations)) {
        count(&mut self.measured.iterations);
        if self.scenarios.len() <= scenario {
            self.scenarios
                .resize_with(scenario + 1, Iterations::default);
        }
        count(&mut self.scenarios[scenario]);
    }

    /// The index of the tally of a channel.
    pub(crate) fn tally(&mut self, channel: &str) -> usize {
        let index = self.channels.names.entry(channel, || ());
        if self.tallies.len() <= index {
            self.tallies.resize_with(index + 1, Tally::default);
        }
        index
    }

    /// Counts a check. Returns whether it is measured.
    pub(crate) fn check(&mut self, name: &str, ok: bool, now: Nanos) -> bool {
        let measured = self.hold.contains(now);
        if measured {
            let checks = &mut self.measured.checks;
            let full = checks.len() >= NAMES_LIMIT && !checks.contains_key(name);
            let name = if full { OTHER_NAMES } else { name };
            let check = match checks.get_mut(name) {
                Some(known) => known,
                None => checks.entry(name.to_owned()).or_default(),
            };
            check.passed += u64::from(ok);
            check.failed += u64::from(!ok);
        } else {
            self.unmeasured.note(SubjectKind::Check, name);
        }
        measured
    }

    /// The convergence counts of a user state.
    pub(crate) fn convergence(&mut self, name: &str) -> &mut Convergence {
        let documents = &mut self.measured.converged;
        let full = documents.len() >= NAMES_LIMIT && !documents.contains_key(name);
        let name = if full { OTHER_NAMES } else { name };
        documents.entry(name.to_owned()).or_default()
    }

    /// Adds a value to a metric of the script.
    pub(crate) fn metric(&mut self, kind: MetricKind, name: &str, value: f64, at: Nanos) {
        if !self.hold.contains(at) {
            return self.unmeasured.note(SubjectKind::Metric, name);
        }
        if let Some(metric) = self.measured.metrics.get_mut(name) {
            metric.record(value, at.as_secs_f64());
            return;
        }
        let name = if self.measured.metrics.len() >= NAMES_LIMIT {
            OTHER_NAMES
        } else {
            name
        };
        let metric = self
            .measured
            .metrics
            .entry(name.to_owned())
            .or_insert_with(|| Metric::new(kind));
        metric.record(value, at.as_secs_f64());
    }

    /// Whether no failure of this side, kind and name has been counted. If so, the failure's example is worth some
    /// effort.
    pub(crate) fn is_first(&self, (side, kind): (Side, FaultKind), what: &str) -> bool {
        let mut failures = self.measured.failures.iter();
        !failures.any(|known| known.side == side && known.kind == kind && known.what == what)
    }

    /// Whether a check that fails now would be the first failure of its name.
    pub(crate) fn is_first_failed_check(&self, name: &str, now: Nanos) -> bool {
        self.hold.contains(now) && self.is_first((Side::Target, FaultKind::Check), name)
    }

    /// Counts a failure of the measured time, and stores the first example of its kind.
    pub(crate) fn fail(
        &mut self,
        fault: &Fault,
        scene: Scene,
        location: Option<String>,
        frame: Option<String>,
    ) {
        let known = self.measured.failures.iter_mut().find(|known| {
            known.side == fault.side && known.kind == fault.kind && known.what == scene.what
        });
        if let Some(known) = known {
            known.count += 1;
            return;
        }
        let what = if self.measured.failures.len() >= FAILURES_LIMIT {
            OTHER_NAMES.to_owned()
        } else {
            scene.what
        };
        let first = Example {
            at_s: scene.at.as_secs_f64(),
            user: scene.user,
            step: scene.step,
            detail: shortened(&fault.detail),
            location,
            frame,
        };
        let failure = Failure {
            side: fault.side,
            kind: fault.kind,
            what,
            count: 1,
            first,
        };
        note_failure(&mut self.measured.failures, failure);
    }

    /// The number of requests that have ended since the level began, with any result.
    pub(crate) fn ended(&self) -> u64 {
        let windows = &self.windows;
        self.measured.before.requests + windows.closed_requests + windows.open.requests
    }

    /// The number of deliveries found to be lost so far. It falls if such a delivery arrives after all.
    pub(crate) fn lost(&self) -> u64 {
        self.tallies.iter().map(Tally::lost_total).sum()
    }

    /// Takes the open window, and starts a new one.
    pub(crate) fn take_window(&mut self) -> OpenWindow {
        self.windows.closed_requests += self.windows.open.requests;
        std::mem::take(&mut self.windows.open)
    }

    /// The names that occurred outside the measured time, as far as they may be missing from the measurements.
    pub(crate) fn unmeasured_names(&self) -> Unmeasured {
        let mut names = self.unmeasured.clone();
        for (family, kind) in [
            (Family::Connection, SubjectKind::Connection),
            (Family::Request, SubjectKind::Request),
            (Family::RoundTrip, SubjectKind::RoundTrip),
        ] {
            let all = self.timings[family as usize].values.iter();
            let idle = all.filter(|(_, timings)| timings.count + timings.unfinished == 0);
            idle.for_each(|(name, _)| names.note(kind, name));
        }
        let steps = self.funnel.not_begun();
        steps.for_each(|name| names.note(SubjectKind::Step, &name));
        names
    }

    /// All measurements, keyed by name. `mix` has the names of the scenarios if there are several.
    pub(crate) fn into_measured(mut self, mix: &[Arc<str>]) -> Measured {
        let mut measured = self.measured;
        let mut courses = self.courses;
        // Blocks are matched by position, so they must be assigned before names without samples are left out.
        courses.give_iterations(&mut measured.iterations, &mut self.scenarios);
        let scenarios = mix.iter().map(ToString::to_string).zip(self.scenarios);
        measured.scenarios.extend(scenarios);
        self.funnel.tell(mix, &mut measured);
        courses.give_timings(&mut self.timings);
        measured.before.quickest = self.unmeasured.quickest(|index| {
            let name = self.timings[Family::Request as usize].values.get(index);
            let limited = self.limited.as_ref().zip(name);
            limited.is_some_and(|(limited, (name, _))| limited.has_refused(name))
        });
        let [connections, requests, round_trips] = self.timings;
        for (named, map) in [
            (connections, &mut measured.connections),
            (requests, &mut measured.requests),
            (round_trips, &mut measured.round_trips),
        ] {
            map.extend(
                named
                    .values
                    .into_iter()
                    .filter(|(_, timings)| timings.count + timings.unfinished > 0),
            );
        }
        let Channels {
            names,
            mut mismatches,
        } = self.channels;
        let channels = names.values.into_iter().map(|(name, ())| name);
        let tallies = self.tallies.into_iter().enumerate();
        let mut deliveries: Vec<_> = tallies
            .map(|(at, tally)| deliveries_of(tally, mismatches.remove(&at)))
            .collect();
        courses.give_deliveries(&mut deliveries);
        measured.deliveries.extend(channels.zip(deliveries));
        measured
    }
}

/// The kind of ending under which a request with this fault is counted.
pub(crate) fn ending_of(fault: &Fault, limit: Nanos) -> Ending {
    match fault.kind {
        FaultKind::TimedOut => Ending::RanOut(limit),
        FaultKind::Status | FaultKind::Grpc | FaultKind::RateLimited => {
            Ending::Answered { failed: true }
        }
        _ => Ending::Broke,
    }
}

#[cfg(test)]
mod tests;
