//! A worker that never comes to its end, such as one that is in a call of the script that nothing can interrupt: it is
//! noticed, and what it had measured is saved all the same.

use model::{Fault, FaultKind, Nanos};
use record::Measured;

use crate::messages::Event;
use crate::run::RunError;
use crate::worker::Worker;

/// From one copy to the next, at least.
const EVERY: Nanos = Nanos::from_secs(1);
/// Making copies takes at most this part of a worker's time.
const SHARE: u64 = 1000;
/// Between two looks of control passes less; otherwise the whole process stood still, and silence says nothing.
const STOOD_STILL: Nanos = Nanos::from_secs(1);
/// Steps of the script in one turn, each of which may take as long as the options allow.
const STEPS: u64 = 16;
/// Silence beyond that.
const PATIENCE: Nanos = Nanos::from_secs(10);

/// When a worker sends its next copy.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Copies {
    next: Nanos,
}

impl Worker {
    /// Once a second, or less often where a copy is large.
    pub(crate) fn send_copy(&mut self, now: Nanos) {
        if now < self.copies.next || now < self.world.borrow().hold.start {
            return;
        }
        let copy = Box::new(self.so_far());
        self.tell(Event::Copy(copy));
        let took = self.now() - now;
        self.copies.next = now + Nanos(took.0.saturating_mul(SHARE)).max(EVERY);
    }
}

/// What control knows of the workers while a level runs.
#[derive(Debug)]
pub(crate) struct Signs {
    workers: Vec<Sign>,
    looked: Nanos,
    /// Silence for longer than this is for ever.
    limit: Nanos,
}

#[derive(Debug)]
struct Sign {
    heard: Nanos,
    done: bool,
    /// When the latest copy came, and what is in it.
    copy: Option<(Nanos, Box<Measured>)>,
}

impl Signs {
    /// `begins`: when the level does. `step`: how long one step of the script may take.
    pub(crate) fn of(workers: usize, begins: Nanos, step: Nanos) -> Self {
        let sign = |_| Sign {
            heard: begins,
            done: false,
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

    /// That a worker will never be heard of again.
    pub(crate) fn look(&mut self, now: Nanos, has_script: bool) -> Option<RunError> {
        let stood_still = now > self.looked + STOOD_STILL;
        self.looked = self.looked.max(now);
        if stood_still {
            self.workers
                .iter_mut()
                .for_each(|sign| sign.heard = sign.heard.max(now));
        }
        let mut awaited = self.workers.iter().filter(|sign| !sign.done);
        let silent = awaited.find(|sign| now > sign.heard + self.limit)?;
        let silence = now - silent.heard;
        Some(if has_script {
            let detail = format!(
                "a call of the script has not returned for {silence} and cannot be interrupted, such as a built-in \
                 function with a very large array or string"
            );
            RunError::Script(Box::new(
                Fault::script(FaultKind::LoopedForever, detail).into(),
            ))
        } else {
            RunError::Generator(format!("a worker was not heard of for {silence}"))
        })
    }

    /// The latest copies of those who did not come to their end, each with its time.
    pub(crate) fn rescued(self) -> impl Iterator<Item = Option<(Nanos, Measured)>> {
        let missing = self.workers.into_iter().filter(|sign| !sign.done);
        missing.map(|sign| {
            let (at, measured) = sign.copy?;
            Some((at, settled(*measured)))
        })
    }
}

/// Deliveries that were in flight are not judged: nobody knows what became of them.
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
        // Ten looks a second; control itself never stands still.
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
        let rescued: Vec<_> = signs.rescued().map(|it| it.map(|(at, _)| at)).collect();
        assert_eq!(rescued, [Some(SECOND), None]);
    }
}
