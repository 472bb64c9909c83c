//! Detects a worker that never finishes, for example because a call of the script cannot be interrupted, and saves its
//! measurements.

use model::{Fault, FaultKind, Nanos};
use record::Measured;

use crate::outcome::RunError;

/// Shortest time between two copies.
const EVERY: Nanos = Nanos::from_secs(1);
/// A worker spends at most 1/`SHARE` of its time on copies.
const SHARE: u64 = 1000;
/// Control checks the workers more often than this. A longer gap means that the whole process was stopped, so a
/// worker's silence is not evidence.
const STOOD_STILL: Nanos = Nanos::from_secs(1);
/// Maximum number of steps of the script in one turn. Each step may take as long as the options allow.
const STEPS: u64 = 16;
/// Silence of a worker that is accepted in addition to the time of these steps.
const PATIENCE: Nanos = Nanos::from_secs(10);

/// The time at which a worker sends the next copy of its measurements.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Copies {
    next: Nanos,
}

impl Copies {
    pub(crate) fn is_due(self, now: Nanos) -> bool {
        now >= self.next
    }

    /// Plans the next copy: once a second, or less often if the copy is large. A larger copy takes longer, so the pause
    /// grows with the time that this copy took.
    pub(crate) fn sent(&mut self, now: Nanos, took: Nanos) {
        self.next = now + Nanos(took.0.saturating_mul(SHARE)).max(EVERY);
    }
}

/// Control's knowledge of the workers while a level runs.
#[derive(Debug)]
pub(crate) struct Signs {
    workers: Vec<Sign>,
    looked: Nanos,
    /// A worker that is silent for longer than this is assumed never to respond again.
    limit: Nanos,
}

#[derive(Debug)]
struct Sign {
    heard: Nanos,
    done: bool,
    /// Whether the worker's agent is lost.
    lost: bool,
    /// The time and the content of the latest copy.
    copy: Option<(Nanos, Box<Measured>)>,
}

impl Signs {
    /// `begins`: the start of the level. `step`: the time limit of one step of the script.
    pub(crate) fn of(workers: usize, begins: Nanos, step: Nanos) -> Self {
        let sign = |_| Sign {
            heard: begins,
            done: false,
            lost: false,
            copy: None,
        };
        Self {
            workers: (0..workers).map(sign).collect(),
            looked: begins,
            limit: Nanos(step.0.saturating_mul(STEPS)) + PATIENCE,
        }
    }

    pub(crate) fn heard(&mut self, worker: u32, now: Nanos) {
        if let Some(sign) = self.workers.get_mut(worker as usize) {
            // If the level begins later than now, silence counts from the beginning of the level.
            sign.heard = sign.heard.max(now);
        }
    }

    pub(crate) fn copy(&mut self, worker: u32, measured: Box<Measured>, now: Nanos) {
        if let Some(sign) = self.workers.get_mut(worker as usize) {
            sign.copy = Some((now, measured));
        }
    }

    pub(crate) fn is_done(&mut self, worker: u32) {
        if let Some(sign) = self.workers.get_mut(worker as usize) {
            sign.done = true;
            sign.copy = None;
        }
    }

    /// Notes that the worker's agent is lost. Returns whether the worker had not finished the level.
    pub(crate) fn lose(&mut self, worker: u32) -> bool {
        let Some(sign) = self.workers.get_mut(worker as usize) else {
            return false;
        };
        sign.lost = true;
        !sign.done
    }

    /// The number of workers whose agents are not lost.
    pub(crate) fn present(&self) -> usize {
        self.workers.iter().filter(|sign| !sign.lost).count()
    }

    /// Whether every worker has finished the level or is lost.
    pub(crate) fn all_are_done(&self) -> bool {
        self.workers.iter().all(|sign| sign.done || sign.lost)
    }

    /// Returns an error if a worker is assumed never to respond again.
    pub(crate) fn look(&mut self, now: Nanos, has_script: bool) -> Option<RunError> {
        let stood_still = now > self.looked + STOOD_STILL;
        self.looked = self.looked.max(now);
        // The workers were stopped too, so their silence counts from now.
        if stood_still {
            self.workers
                .iter_mut()
                .for_each(|sign| sign.heard = sign.heard.max(now));
        }
        let mut awaited = self.workers.iter().filter(|sign| !sign.done && !sign.lost);
        let silent = awaited.find(|sign| now > sign.heard + self.limit)?;
        let silence = now - silent.heard;
        Some(if has_script {
            let detail = format!(
                "a call in the script has not returned for {silence} and cannot be interrupted: it may be a built-in \
                 function with a very large array or string"
            );
            RunError::Script(Box::new(
                Fault::script(FaultKind::LoopedForever, detail).into(),
            ))
        } else {
            RunError::Generator(format!("a worker has not responded for {silence}"))
        })
    }

    /// The latest copies from workers that did not finish, in the order of the workers, each with its time.
    pub(crate) fn rescued(self) -> impl Iterator<Item = Rescued> {
        let missing = self.workers.into_iter().filter(|sign| !sign.done);
        missing.map(|sign| Rescued {
            copy: sign.copy.map(|(at, measured)| (at, settled(*measured))),
            with_its_agent: sign.lost,
        })
    }
}

/// What is left of a worker that did not finish.
#[derive(Debug)]
pub(crate) struct Rescued {
    /// The time and the content of its latest copy.
    pub(crate) copy: Option<(Nanos, Measured)>,
    /// Whether the worker is missing because its agent is lost.
    pub(crate) with_its_agent: bool,
}

/// Removes deliveries in flight from the expected deliveries, because their fate is unknown.
fn settled(mut measured: Measured) -> Measured {
    for deliveries in measured.deliveries.values_mut() {
        let judged = deliveries.delivered + deliveries.late + deliveries.lost_count();
        deliveries.expected = judged + deliveries.cut_off.count();
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanos = Nanos::from_secs(1);

    fn looks(signs: &mut Signs, from: u64, to: u64) -> Option<u64> {
        // Control checks the workers ten times per second, and never pauses itself.
        (from * 10..to * 10).find_map(|tenth| {
            let now = Nanos::from_millis(tenth * 100);
            signs.look(now, true).map(|_| tenth / 10)
        })
    }

    #[test]
    fn a_worker_that_is_silent_for_too_long_is_given_up() {
        let mut signs = Signs::of(2, Nanos::ZERO, SECOND);
        for second in 0..40 {
            signs.heard(0, Nanos::from_secs(second));
        }
        assert_eq!(looks(&mut signs, 0, 40), Some(26));
        let mut signs = Signs::of(2, Nanos::ZERO, SECOND);
        signs.heard(0, Nanos::from_secs(60));
        signs.is_done(1);
        assert_eq!(
            looks(&mut signs, 0, 60),
            None,
            "who is done has nothing to say"
        );
    }

    #[test]
    fn a_level_is_over_when_every_worker_is_done() {
        let mut signs = Signs::of(2, Nanos::ZERO, SECOND);
        signs.is_done(0);
        signs.is_done(0);
        assert!(!signs.all_are_done());
        signs.is_done(1);
        assert!(signs.all_are_done());
    }

    #[test]
    fn a_process_that_was_stopped_is_not_silent() {
        let mut signs = Signs::of(1, Nanos::ZERO, SECOND);
        assert!(signs.look(SECOND, true).is_none());
        assert!(signs.look(Nanos::from_secs(3600), true).is_none());
        assert!(signs.look(Nanos::from_secs(3601), true).is_none());
    }

    #[test]
    fn the_copies_of_those_who_are_missing_are_kept() {
        let mut signs = Signs::of(3, Nanos::ZERO, SECOND);
        signs.copy(0, Box::default(), SECOND);
        signs.copy(1, Box::default(), SECOND);
        signs.is_done(0);
        let rescued: Vec<_> = signs
            .rescued()
            .map(|it| it.copy.map(|(at, _)| at))
            .collect();
        assert_eq!(rescued, [Some(SECOND), None]);
    }
}
