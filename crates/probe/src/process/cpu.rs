//! CPU time: exact from the scheduler's own account where it is kept, else in clock ticks of 10 ms.

use model::Nanos;

/// Time of a thread on a CPU and time that it waited for one, from `/proc/…/schedstat`: three numbers,
/// run and wait in nanoseconds and how often it was given a CPU. Of a thread that is running now, the
/// run time may be one scheduler tick old: still zero, if it has just begun.
///
/// `None` where the kernel keeps no such account: it then shows three zeros.
pub(crate) fn parse_schedstat(text: &str) -> Option<(Nanos, Nanos)> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    account(next()?, next()?, next()?)
}

/// Run and wait, if an account is kept.
pub(super) fn account(run: u64, wait: u64, times: u64) -> Option<(Nanos, Nanos)> {
    (run > 0 || wait > 0 || times > 0).then_some((Nanos(run), Nanos(wait)))
}

/// Clock ticks as time.
pub(crate) fn from_ticks(ticks: u64) -> Nanos {
    let per_tick = 1_000_000_000 / procfs::ticks_per_second().max(1);
    Nanos(ticks.saturating_mul(per_tick))
}

/// The length of one clock tick: the error of everything that is counted in ticks.
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
