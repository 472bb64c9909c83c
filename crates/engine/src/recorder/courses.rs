//! Records values over time, in blocks of the measured time. A block is filled only when it ends, so requests cause no
//! extra work.

use model::Nanos;
use record::{Deliveries, Iterations, Timings};
use stats::{BLOCKS, BlockWriter, SHORTEST_BLOCK};

use super::{FAMILIES, Named, Recorder};
use crate::level::Span;

/// The blocks of everything that a recorder times, in the recorder's order.
#[derive(Clone, Debug, Default)]
pub(super) struct Courses {
    /// The end of the closed blocks, as a time since the start of the measured time.
    closed: Nanos,
    timings: [Vec<BlockWriter>; FAMILIES],
    tallies: Vec<BlockWriter>,
    iterations: BlockWriter,
    scenarios: Vec<BlockWriter>,
}

/// The end of the block that begins at `start`. Blocks end at the same times on all workers.
fn end_of_block(start: Nanos) -> Nanos {
    let mut width = SHORTEST_BLOCK.0;
    while start.0 / width >= BLOCKS as u64 {
        width *= 2;
    }
    Nanos((start.0 / width + 1) * width)
}

impl Recorder {
    /// Closes the open block if it is over.
    pub(crate) fn blocks_until(&mut self, now: Nanos) {
        let start = self.hold.start;
        if now < start + end_of_block(self.courses.closed) {
            return;
        }
        self.end_blocks();
        self.courses.closed = now - start;
    }

    /// Closes the open block. Values after the measured time belong to its last block.
    pub(crate) fn end_blocks(&mut self) {
        let Span { start, end } = self.hold;
        let last = Nanos((end - start).0.saturating_sub(1));
        let at = self.courses.closed.min(last);
        let courses = &mut self.courses;
        for (writers, named) in courses.timings.iter_mut().zip(&self.timings) {
            let all = named.values.iter().map(|(_, timings)| timings);
            close(writers, at, all, |one| {
                (&one.response, one.timed_out + one.unfinished)
            });
        }
        close(&mut courses.tallies, at, self.tallies.iter(), |one| {
            (&one.latency, 0)
        });
        let times = |one: &Iterations| one.unfinished;
        let all = &self.measured.iterations;
        courses.iterations.close(at, &all.time, times(all));
        close(&mut courses.scenarios, at, self.scenarios.iter(), |one| {
            (&one.time, times(one))
        });
        self.funnel.close_blocks(at);
    }
}

fn close<'a, T: 'a>(
    writers: &mut Vec<BlockWriter>,
    at: Nanos,
    all: impl ExactSizeIterator<Item = &'a T>,
    times: impl Fn(&'a T) -> (&'a stats::Histogram, u64),
) {
    writers.resize_with(all.len(), BlockWriter::default);
    for (writer, one) in writers.iter_mut().zip(all) {
        let (times, endless) = times(one);
        writer.close(at, times, endless);
    }
}

impl Courses {
    pub(super) fn give_iterations(&mut self, all: &mut Iterations, scenarios: &mut [Iterations]) {
        all.blocks = std::mem::take(&mut self.iterations).into_blocks();
        for (one, writer) in scenarios.iter_mut().zip(self.scenarios.drain(..)) {
            one.blocks = writer.into_blocks();
        }
    }

    pub(super) fn give_timings(&mut self, families: &mut [Named<Timings>; FAMILIES]) {
        for (named, writers) in families.iter_mut().zip(&mut self.timings) {
            for ((_, timings), writer) in named.values.iter_mut().zip(writers.drain(..)) {
                timings.blocks = writer.into_blocks();
            }
        }
    }

    pub(super) fn give_deliveries(&mut self, all: &mut [Deliveries]) {
        for (one, writer) in all.iter_mut().zip(self.tallies.drain(..)) {
            one.blocks = writer.into_blocks();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{Ending, Family};
    use model::Timing;

    #[test]
    fn blocks_end_at_the_same_times_on_all_workers() {
        let end = |millis| end_of_block(Nanos::from_millis(millis));
        assert_eq!(end(0), Nanos::from_millis(250));
        assert_eq!(end(251), Nanos::from_millis(500));
        assert_eq!(end(15_999), Nanos::from_millis(16_000));
        assert_eq!(end(16_000), Nanos::from_millis(16_500));
        assert_eq!(end(600_001), Nanos::from_millis(608_000));
    }

    #[test]
    fn each_block_holds_what_ended_in_it_and_the_last_what_ended_later() {
        let mut recorder = Recorder::default();
        let second = Nanos::from_secs(1);
        recorder.hold = Span {
            start: second,
            end: second + second,
        };
        let index = recorder.name(Family::Request, "GET /");
        let at = |recorder: &mut Recorder, millis: u64| {
            let now = Nanos::from_millis(millis);
            recorder.blocks_until(now);
            let timing = Timing {
                planned: now.min(Nanos::from_millis(1_999)),
                started: now,
                ended: now + Nanos::from_millis(1),
            };
            recorder.time(
                Family::Request,
                index,
                timing,
                Ending::Answered { failed: false },
            );
        };
        for millis in [1_000, 1_100, 1_249, 1_250, 1_999, 2_000, 7_000] {
            at(&mut recorder, millis);
        }
        recorder.left_open(Family::Request, index, Nanos::from_secs(5));
        recorder.end_blocks();
        let blocks = recorder.into_measured(&[]).requests["GET /"].blocks.clone();
        assert_eq!(blocks.counts().collect::<Vec<_>>(), [3, 1, 0, 4]);
        assert_eq!(blocks.width(), Nanos::from_millis(250));
    }
}
