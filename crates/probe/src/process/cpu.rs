//! CPU time: exact if the scheduler accounts for it, otherwise in clock ticks, usually of 10 ms.

use model::Nanos;

/// The time of a thread on a CPU, and the time that it waited for one, from `/proc/…/schedstat`. The file has three
/// numbers: run time and wait time in nanoseconds, and the number of times that the thread got a CPU. For a thread that
/// is running now, the run time may be one scheduler tick old, so it can be zero for a new thread.
///
/// `None` if the kernel does not account for threads. The file then contains three zeros.
pub(crate) fn parse_schedstat(text: &str) -> Option<(Nanos, Nanos)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    account(next()?, next()?, next()?)
}

/// Run time and wait time, unless all numbers are zero.
pub(super) fn account(run: u64, wait: u64, times: u64) -> Option<(Nanos, Nanos)> {
    (run > 0 || wait > 0 || times > 0).then_some((Nanos(run), Nanos(wait)))
}

/// Converts clock ticks to time.
pub(crate) fn from_ticks(ticks: u64) -> Nanos {
    let per_tick = 1_000_000_000 / procfs::ticks_per_second().max(1);
    Nanos(ticks.saturating_mul(per_tick))
}

/// The length of one clock tick, which is the error of a time in ticks.
pub(super) fn tick() -> Nanos {
    from_ticks(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedulers_account_is_read() {
        let read = parse_schedstat("813934 50147 1\n");
        assert_eq!(read, Some((Nanos(813_934), Nanos(50_147))));
        let begun = parse_schedstat("0 0 1\n");
        assert_eq!(
            begun,
            Some((Nanos(0), Nanos(0))),
            "a thread that has just begun"
        );
        assert_eq!(parse_schedstat("0 0 0\n"), None, "no account is kept");
        assert_eq!(parse_schedstat(""), None);
        assert_eq!(parse_schedstat("x y z"), None);
    }
}
