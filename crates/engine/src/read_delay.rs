use model::Nanos;
use stats::Histogram;
use wire::Stream;

use crate::world::World;

/// Of a worker's connections in a level, these are sampled: the first few, that small loads are measured too, and
/// then one in so many, because a sampled connection needs a second system call for each read.
const ALWAYS: u64 = 4;
const ONE_IN: u64 = 16;

/// No worker leaves a socket unread for so long; somebody has set the machine's clock.
const IMPLAUSIBLE: Nanos = Nanos::from_secs(60);

/// A wait that takes so long has slept, and one that finds something ready has not.
const SLEPT: Nanos = Nanos::from_micros(20);

/// How long what arrived lay in the kernel before it was read, on the sampled connections of one worker and level.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadDelay {
    opened: u64,
    /// `None` until a connection is sampled: nothing measured is not zero.
    pub(crate) delays: Option<Histogram>,
    /// Stamps that cannot be true beside the clock.
    pub(crate) implausible: u64,
}

impl ReadDelay {
    /// Decides whether a new connection is sampled. Over TLS none is.
    pub(crate) fn admit(&mut self, stream: &mut Stream) {
        if stream.is_secured() {
            return;
        }
        let number = self.opened;
        self.opened += 1;
        let sampled = number < ALWAYS || number.is_multiple_of(ONE_IN);
        // A kernel that gives no stamps leaves the delay unmeasured, which the record then says.
        if sampled && stream.stamp_arrivals().is_ok() {
            self.delays.get_or_insert_default();
        }
    }

    /// Counts one read.
    fn note(&mut self, delay: Option<Nanos>) {
        match delay.filter(|&delay| delay < IMPLAUSIBLE) {
            Some(delay) => self.delays.get_or_insert_default().record(delay),
            None => self.implausible += 1,
        }
    }
}

/// When the worker looked at its sockets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    last: Nanos,
    /// What is read now may have lain there since, and not for longer.
    unseen_since: Nanos,
}

impl Looks {
    /// The worker waited from `before` to `after`.
    pub(crate) fn waited(&mut self, before: Nanos, after: Nanos) {
        let slept = after - before >= SLEPT;
        self.unseen_since = if slept { after } else { self.last };
        self.last = after;
    }
}

impl World {
    /// A read at `now` found `messages`, `delay` after the kernel's stamp of the first byte; `None` if that lies ahead.
    ///
    /// The kernel joins packets that wait under the stamp of the last of them. Where several messages came at once,
    /// the first may therefore have waited for as long as the worker did not look.
    pub(crate) fn note_read(&mut self, delay: Option<Nanos>, now: Nanos, messages: usize) {
        if !self.hold.contains(now) {
            return;
        }
        let at_least = if messages > 1 {
            now - self.looks.unseen_since
        } else {
            Nanos::ZERO
        };
        let delay = delay.map(|delay| delay.max(at_least));
        self.recorder.read_delay.note(delay);
    }
}
