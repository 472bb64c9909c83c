use rustix::time::{ClockId, clock_gettime};

/// A point on `CLOCK_MONOTONIC`, or a duration, in nanoseconds.
pub(crate) type Nanos = u64;

/// One millisecond.
pub(crate) const MILLI: Nanos = 1_000_000;

/// One second.
pub(crate) const SECOND: Nanos = 1_000_000_000;

/// The current time on `CLOCK_MONOTONIC`.
pub(crate) fn now() -> Nanos {
    read(ClockId::Monotonic)
}

/// The current time on `CLOCK_REALTIME`, which the kernel uses for its receive timestamps.
pub(crate) fn wall() -> Nanos {
    read(ClockId::Realtime)
}

/// The CPU time that this thread has used so far.
pub(crate) fn thread_cpu() -> Nanos {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * SECOND + part(time.tv_nsec)
}
