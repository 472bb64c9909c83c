//! Checks whether the counts add up. A record that contradicts itself is a bug in headcount, and the report says so.

use std::fmt;

use stats::Histogram;

use crate::{Deliveries, FunnelStep, Iterations, Level, Run, StepFunnel, Timings};

/// A contradiction between the counts of a level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("level {}: {}{identity}", level + 1, Prefix(.of))]
pub struct Inconsistency {
    /// Index of the level, from 0.
    pub level: usize,
    /// The kind and name of the measured operation. `None` for iterations.
    pub of: Option<(&'static str, String)>,
    /// The identity that the counts break.
    pub identity: BrokenIdentity,
}

struct Prefix<'a>(&'a Option<(&'static str, String)>);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((family, name)) => write!(f, "{family}({name}): "),
            None => f.write_str("iterations: "),
        }
    }
}

/// An identity that the counts of a record should satisfy, but break.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the counts")]
pub enum BrokenIdentity {
    /// planned = started + dropped.
    #[error("{planned} planned, but {started} started + {dropped} dropped")]
    Planned {
        planned: u64,
        started: u64,
        dropped: u64,
    },
    /// Each dropped start has a cause.
    #[error("{dropped} dropped, but {explained} of them have a cause")]
    DropCauses { dropped: u64, explained: u64 },
    /// started = succeeded + failed + unfinished.
    #[error(
        "{started} started, but {succeeded} succeeded + {failed} failed + {unfinished} unfinished"
    )]
    Started {
        started: u64,
        succeeded: u64,
        failed: u64,
        unfinished: u64,
    },
    /// Every operation that timed out also failed.
    #[error("{timed_out} timed out, but only {failed} failed")]
    TimedOut { timed_out: u64, failed: u64 },
    /// At most as many ages were recorded as operations were in flight.
    #[error("{ages} ages recorded, but {open} in flight")]
    Ages { ages: u64, open: u64 },
    /// Each failed iteration has a first failure.
    #[error("{failed} iterations failed, but a first failure is recorded for {causes}")]
    FirstFailures { failed: u64, causes: u64 },
    /// The number of successful iterations with failures is at most the number of successful iterations.
    #[error("{succeeded} succeeded, but {with_failures} succeeded with failures")]
    SucceededWithFailures { succeeded: u64, with_failures: u64 },
    /// Each unfinished iteration is counted once in the step funnel.
    #[error("{unfinished} unfinished, but places recorded for {places}")]
    Places { unfinished: u64, places: u64 },
    /// reached = passed + failed + unfinished.
    #[error(
        "{reached} reached the step, but {passed} passed ({with_failures} with failures) + {failed} failed + \
         {unfinished} unfinished"
    )]
    Reached {
        reached: u64,
        passed: u64,
        with_failures: u64,
        failed: u64,
        unfinished: u64,
    },
    /// At most as many iterations reach a step as were started.
    #[error("{reached} iterations reached the step, but {started} were started")]
    ReachedOfStarted { reached: u64, started: u64 },
    /// A step ends at most once for each time it begins.
    #[error("begun {begun} times, but ended {ended} times")]
    Begun { begun: u64, ended: u64 },
    /// expected = delivered + late + lost + cut off.
    #[error(
        "{expected} expected, but {delivered} delivered + {late} late + {lost} lost + {cut_off} cut off"
    )]
    Expected {
        expected: u64,
        delivered: u64,
        late: u64,
        lost: u64,
        cut_off: u64,
    },
    /// Each delivery that arrived has a latency.
    #[error("{latencies} latencies, but {delivered} delivered + {late} late")]
    Latencies {
        latencies: u64,
        delivered: u64,
        late: u64,
    },
    /// At most as many messages reach their whole audience as were sent.
    #[error("{whole} messages reached their whole audience, but {messages} were sent")]
    WholeAudience { whole: u64, messages: u64 },
    /// Timed-out operations are part of the failed ones, which are part of the ended ones.
    #[error("{timed_out} timed out, but {failed} failed and {ended} ended")]
    Ended {
        timed_out: u64,
        failed: u64,
        ended: u64,
    },
    /// At most as many times of failures were recorded as operations failed without a timeout.
    #[error("{times} times of failures and {timed_out} timeouts, but {failed} failed")]
    FailedTimes {
        times: u64,
        timed_out: u64,
        failed: u64,
    },
    /// At most as many times were recorded as operations ended without a timeout.
    #[error("{times} times and {timed_out} timeouts, but {ended} ended")]
    Times {
        times: u64,
        timed_out: u64,
        ended: u64,
    },
}

use BrokenIdentity as Broken;

impl Run {
    /// Returns all broken identities. A correct record has none.
    pub fn inconsistencies(&self) -> Vec<Inconsistency> {
        self.levels
            .iter()
            .flat_map(Level::inconsistencies)
            .collect()
    }
}

impl Level {
    /// Returns all broken identities of this level.
    pub fn inconsistencies(&self) -> Vec<Inconsistency> {
        let measured = &self.measured;
        let mut found = Vec::new();
        let mut add = |of: Option<(&'static str, &str)>, broken: Vec<Broken>| {
            found.extend(broken.into_iter().map(|identity| Inconsistency {
                level: self.index,
                of: of.map(|(family, name)| (family, name.to_owned())),
                identity,
            }));
        };
        add(None, measured.iterations.broken_identities());
        for (name, iterations) in &measured.scenarios {
            add(Some(("iteration", name)), iterations.broken_identities());
        }
        add(
            None,
            measured.funnel.broken_identities(&measured.iterations),
        );
        for step in &measured.funnel.steps {
            let broken = step.broken_identities(&measured.iterations);
            add(Some(("step", &step.name())), broken);
        }
        for (channel, deliveries) in &measured.deliveries {
            add(Some(("delivery", channel)), deliveries.broken_identities());
        }
        for (family, timings) in [
            ("connection", &measured.connections),
            ("request", &measured.requests),
            ("roundTrip", &measured.round_trips),
            ("step", &measured.steps),
            ("eventually", &measured.eventually),
        ] {
            for (name, timings) in timings {
                add(Some((family, name)), timings.broken_identities());
            }
        }
        for (name, streams) in &measured.streams {
            for timings in [&streams.lag, &streams.first, &streams.last] {
                add(Some(("stream", name)), timings.broken_identities());
            }
        }
        found
    }
}

/// Checks that there are no more ages than operations in flight. Records of version 1 have no ages.
fn too_many_ages(ages: &Histogram, open: u64) -> Option<Broken> {
    let ages = ages.count();
    (ages > open).then_some(Broken::Ages { ages, open })
}

/// Returns the identities whose condition is true, which means that they are broken.
fn of<const N: usize>(conditions: [(bool, Broken); N]) -> Vec<Broken> {
    let broken = conditions.into_iter().filter(|(is_broken, _)| *is_broken);
    broken.map(|(_, identity)| identity).collect()
}

impl Iterations {
    /// Returns the broken identities of these counts.
    pub fn broken_identities(&self) -> Vec<Broken> {
        let Self {
            planned,
            started,
            succeeded,
            failed,
            unfinished,
            dropped,
            timed_out,
            ..
        } = *self;
        let explained: u64 = self.dropped_by_cause.values().sum();
        let mut broken = of([
            (
                planned != started + dropped,
                Broken::Planned {
                    planned,
                    started,
                    dropped,
                },
            ),
            (
                explained != dropped && !self.dropped_by_cause.is_empty(),
                Broken::DropCauses { dropped, explained },
            ),
            (
                started != succeeded + failed + unfinished,
                Broken::Started {
                    started,
                    succeeded,
                    failed,
                    unfinished,
                },
            ),
            (timed_out > failed, Broken::TimedOut { timed_out, failed }),
        ]);
        broken.extend(too_many_ages(&self.open, unfinished));
        broken
    }
}

impl StepFunnel {
    /// Returns the broken identities of these counts. Without a step funnel, there are none.
    pub fn broken_identities(&self, iterations: &Iterations) -> Vec<Broken> {
        if self.is_empty() {
            return Vec::new();
        }
        let Iterations {
            failed,
            succeeded,
            unfinished,
            ..
        } = *iterations;
        let causes = self.first_failures.iter().map(|cause| cause.failed).sum();
        let with_failures = self
            .first_failures
            .iter()
            .map(|cause| cause.succeeded)
            .sum();
        let places = self.unfinished.iter().map(|left| left.count).sum();
        of([
            (failed != causes, Broken::FirstFailures { failed, causes }),
            (
                with_failures > succeeded,
                Broken::SucceededWithFailures {
                    succeeded,
                    with_failures,
                },
            ),
            (unfinished != places, Broken::Places { unfinished, places }),
        ])
    }
}

impl FunnelStep {
    /// Returns the broken identities of these counts.
    pub fn broken_identities(&self, iterations: &Iterations) -> Vec<Broken> {
        let Self {
            reached,
            passed,
            passed_with_failures: with_failures,
            failed,
            unfinished,
            begun,
            ..
        } = *self;
        let started = iterations.started;
        let ended = self.passed_time.count() + self.failed_time.count() + self.timed_out;
        let mut broken = of([
            (
                reached != passed + failed + unfinished || with_failures > passed,
                Broken::Reached {
                    reached,
                    passed,
                    with_failures,
                    failed,
                    unfinished,
                },
            ),
            (
                reached > started,
                Broken::ReachedOfStarted { reached, started },
            ),
            (ended > begun, Broken::Begun { begun, ended }),
        ]);
        broken.extend(too_many_ages(&self.open, self.left_open()));
        broken
    }
}

impl Deliveries {
    /// Returns the broken identities of these counts.
    pub fn broken_identities(&self) -> Vec<Broken> {
        let Self {
            expected,
            delivered,
            late,
            messages,
            whole_audience: whole,
            ..
        } = *self;
        let (lost, cut_off) = (self.lost_count(), self.cut_off.count());
        let latencies = self.latency.count();
        of([
            (
                expected != delivered + late + lost + cut_off,
                Broken::Expected {
                    expected,
                    delivered,
                    late,
                    lost,
                    cut_off,
                },
            ),
            (
                latencies != delivered + late,
                Broken::Latencies {
                    latencies,
                    delivered,
                    late,
                },
            ),
            (whole > messages, Broken::WholeAudience { whole, messages }),
        ])
    }
}

impl Timings {
    /// Returns the broken identities of these counts.
    pub fn broken_identities(&self) -> Vec<Broken> {
        let Self {
            count: ended,
            failed,
            timed_out,
            ..
        } = *self;
        let times = self.response.count();
        let failed_times = self.failed_response.count();
        let mut broken = of([
            (
                timed_out > failed || failed > ended,
                Broken::Ended {
                    timed_out,
                    failed,
                    ended,
                },
            ),
            (
                times + timed_out > ended,
                Broken::Times {
                    times,
                    timed_out,
                    ended,
                },
            ),
            (
                failed_times + timed_out > failed,
                Broken::FailedTimes {
                    times: failed_times,
                    timed_out,
                    failed,
                },
            ),
        ]);
        broken.extend(too_many_ages(&self.open, self.unfinished));
        broken
    }
}
