//! Decides which operations, messages, steps and iterations belong to the measured time, and counts them. Checks and
//! metrics are decided in `recorder`.

use delivery::{Ledger, Sent};
use model::{Nanos, Timing};
use plan::SubjectKind;
use record::{DropCause, Timings};

use super::{Ending, Family, Recorder};
use crate::funnel::StepEnd;
use crate::loud::LoudTurn;
use crate::net::{ReadCost, ReadSample};

/// An iteration of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    pub(crate) scenario: usize,
    pub(crate) planned: Nanos,
    /// The actual start.
    pub(crate) since: Nanos,
    /// Whether the load is open. Its planned iterations are counted from the plan, at the end of the level.
    pub(crate) is_open: bool,
}

impl Recorder {
    /// Whether an operation belongs to the measured time, if it is in flight until `until`.
    #[inline]
    pub(crate) fn measures(&self, planned: Nanos, until: Nanos) -> bool {
        self.hold.measures(planned, until)
    }

    /// Whether a part of this time is measured.
    pub(crate) fn overlaps(&self, since: Nanos, until: Nanos) -> bool {
        self.hold.overlaps(since, until)
    }

    /// Counts an operation that has ended. Returns its timings if it belongs to the measured time. Requests outside of
    /// it are counted, because rate limits apply to them too, and the quickest time of each name is kept.
    pub(crate) fn time(
        &mut self,
        family: Family,
        index: usize,
        timing: Timing,
        ending: Ending,
    ) -> Option<&mut Timings> {
        if self.hold.measures(timing.planned, timing.ended) {
            return Some(self.count(family, index, timing, ending));
        }
        if family == Family::Request {
            let before = &mut self.measured.before;
            before.requests += 1;
            before.failed_requests += u64::from(ending.is_failure());
            if !ending.is_failure() {
                self.unmeasured.succeeded(index, timing.response_time());
            }
        }
        None
    }

    /// Counts a socket that has opened or failed to open.
    pub(crate) fn time_opening(&mut self, name: &str, timing: Timing, ending: Ending) {
        if self.hold.measures(timing.planned, timing.ended) {
            let index = self.name(Family::Connection, name);
            self.count(Family::Connection, index, timing, ending);
        } else {
            self.unmeasured.note(SubjectKind::Connection, name);
        }
    }

    /// Counts an HTTP connection that was requested at `asked`, and has opened or failed to open. The response times of
    /// its requests include the wait for it, so only its own start decides whether it is measured.
    pub(crate) fn time_connection(
        &mut self,
        name: impl FnOnce() -> String,
        asked: Nanos,
        now: Nanos,
        ending: Ending,
    ) {
        let name = name();
        if self.hold.contains(asked) {
            let index = self.name(Family::Connection, &name);
            let timing = Timing {
                planned: asked,
                started: asked,
                ended: now,
            };
            self.count(Family::Connection, index, timing, ending);
        } else {
            self.unmeasured.note(SubjectKind::Connection, &name);
        }
    }

    /// Counts an operation in flight for which headcount stops waiting.
    pub(crate) fn leave(&mut self, family: Family, index: usize, planned: Nanos, now: Nanos) {
        if self.hold.measures(planned, now) {
            self.left_open(family, index, now - planned);
        }
    }

    /// Counts a socket that is queued or being opened when headcount stops waiting for it.
    pub(crate) fn leave_opening(&mut self, name: &str, planned: Nanos, now: Nanos) {
        if self.hold.measures(planned, now) {
            let index = self.name(Family::Connection, name);
            self.left_open(Family::Connection, index, now - planned);
        }
    }

    /// Counts an HTTP connection that is being opened when headcount stops waiting for it.
    pub(crate) fn leave_connection(
        &mut self,
        name: impl FnOnce() -> String,
        asked: Nanos,
        now: Nanos,
    ) {
        if self.hold.contains(asked) {
            let index = self.name(Family::Connection, &name());
            self.left_open(Family::Connection, index, now - asked);
        }
    }

    /// Sends the stamps that a member has made, and returns them. Their deliveries are measured if the message was
    /// planned for the measured time.
    pub(crate) fn send(
        &mut self,
        ledger: &mut Ledger,
        member: u32,
        planned: Nanos,
        now: Nanos,
    ) -> Vec<Sent> {
        let measured = self.hold.contains(planned);
        ledger.send(member, planned, now, measured, &mut self.tallies)
    }

    /// Notes a stamp on the channel of this tally that was due at `made`. Returns whether its message belongs to the
    /// measured time.
    pub(crate) fn note_stamp(&mut self, tally: usize, made: Nanos) -> bool {
        let measured = self.hold.contains(made);
        if !measured && let Some(name) = self.channels.name(tally) {
            self.unmeasured.note(SubjectKind::Delivery, name);
        }
        measured
    }

    /// Counts stamped messages that were sent on a socket.
    pub(crate) fn count_messages(&mut self, count: usize, planned: Nanos) {
        if self.hold.contains(planned) {
            self.windows.open.messages += count as u64;
        } else {
            self.measured.before.messages += count as u64;
        }
    }

    /// Records the start lag of an operation that was planned for `due` and starts now.
    pub(crate) fn note_start(&mut self, due: Nanos, now: Nanos) {
        if self.hold.contains(due) {
            self.monitoring.start_lag.record(now - due);
        }
    }

    /// Records the read delay of a sampled connection.
    pub(crate) fn note_read(&mut self, sample: ReadSample) {
        if self.hold.contains(sample.read) {
            self.monitoring.receipts.note(sample);
        }
    }

    /// Records a read that cost too much time. `endpoint` names the endpoint of the connection.
    pub(crate) fn note_cost(
        &mut self,
        cost: ReadCost,
        now: Nanos,
        endpoint: impl FnOnce() -> Option<String>,
    ) {
        if self.hold.contains(now) {
            self.monitoring.loud.note(cost, endpoint);
        }
    }

    /// Records a turn of the script that handled wakes of reads that cost too much time.
    pub(crate) fn note_turn(&mut self, turn: LoudTurn, now: Nanos) {
        if self.hold.contains(now) {
            self.monitoring.loud.note_turn(turn, now);
        }
    }

    /// Counts the beginning of a step.
    pub(crate) fn begin_step(&mut self, node: u32, now: Nanos) {
        if self.hold.contains(now) {
            self.funnel.begun(node);
        }
    }

    /// Counts the end of a step.
    pub(crate) fn end_step(&mut self, node: u32, started: Nanos, now: Nanos, end: StepEnd) {
        if self.hold.contains(started) {
            self.funnel.ended(node, now - started, end);
        }
    }

    /// Counts a step that never ends.
    pub(crate) fn leave_step(&mut self, node: u32, started: Nanos, now: Nanos) {
        if self.hold.contains(started) {
            self.funnel.left_open(node, now - started);
        }
    }

    /// Counts an iteration that has ended. Returns whether it belongs to the level.
    pub(crate) fn end_iteration(&mut self, iteration: Iteration, end: StepEnd, now: Nanos) -> bool {
        let passed = end == StepEnd::Passed;
        if !self.measures_iteration(iteration, now) {
            self.measured.before.iterations_failed += u64::from(!passed);
            return false;
        }
        let took = now - iteration.planned;
        self.iterations(iteration.scenario, |iterations| {
            iterations.planned += u64::from(!iteration.is_open);
            iterations.started += 1;
            iterations.succeeded += u64::from(passed);
            iterations.failed += u64::from(!passed);
            match end {
                StepEnd::Passed => iterations.time.record(took),
                // Without the time limit, the iteration would have taken longer.
                StepEnd::RanOut => iterations.ran_out(took),
                StepEnd::Failed => {}
            }
        });
        true
    }

    /// Counts an iteration that has not ended at the end of the level. Returns whether it belongs to the level.
    pub(crate) fn leave_iteration(&mut self, iteration: Iteration, now: Nanos) -> bool {
        let measured = self.measures_iteration(iteration, Nanos::MAX);
        if measured {
            self.iterations(iteration.scenario, |iterations| {
                iterations.planned += u64::from(!iteration.is_open);
                iterations.started += 1;
                iterations.left_open(now - iteration.planned);
            });
        }
        measured
    }

    /// Whether an iteration belongs to the level. In an open load it must have been due in the measured time. In a
    /// closed load, at least a part of it must lie in the measured time.
    fn measures_iteration(&self, iteration: Iteration, until: Nanos) -> bool {
        if iteration.is_open {
            self.hold.contains(iteration.planned)
        } else {
            self.hold.overlaps(iteration.since, until)
        }
    }

    /// Counts a call of `stay()`.
    pub(crate) fn stay(&mut self, now: Nanos) {
        let hold = self.hold;
        self.measured.presence.called(now, hold.start, hold.end);
    }

    /// Counts an arrival of an open load that did not start.
    pub(crate) fn drop_arrival(&mut self, scenario: usize, due: Nanos, cause: DropCause) {
        if self.hold.contains(due) {
            self.iterations(scenario, |iterations| {
                iterations.dropped += 1;
                *iterations.dropped_by_cause.entry(cause).or_default() += 1;
            });
        }
    }

    /// Counts the planned iterations of an open load, each with its scenario and the time at which it was due, the
    /// earliest first.
    pub(crate) fn plan_arrivals(
        &mut self,
        scenarios: usize,
        arrivals: impl Iterator<Item = (usize, Nanos)>,
    ) {
        let hold = self.hold;
        let mut planned = vec![0; scenarios];
        for (scenario, due) in arrivals.take_while(|(_, due)| *due < hold.end) {
            if hold.contains(due) {
                planned[scenario] += 1;
            }
        }
        for (scenario, planned) in planned.into_iter().enumerate() {
            self.iterations(scenario, |iterations| iterations.planned += planned);
        }
    }
}
