use model::Nanos;

/// The time until which a worker may send. The coordinator of a fleet renews it, so that all load ends if the
/// coordinator ends or cannot be reached.
///
/// A lapse is final for the level: a worker that was stopped must not resume its load because renewals have arrived
/// meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    until: Nanos,
    has_lapsed: bool,
}

impl Lease {
    /// The lease of a worker without a coordinator.
    pub(crate) const ENDLESS: Self = Self {
        until: Nanos::MAX,
        has_lapsed: false,
    };

    /// Whether the lease has lapsed and the worker does not know it yet.
    pub(crate) fn is_over(&self, now: Nanos) -> bool {
        now > self.until
    }

    /// Notes that the worker has ended its load.
    pub(crate) fn lapse(&mut self) {
        *self = Self {
            until: Nanos::MAX,
            has_lapsed: true,
        };
    }

    /// Renews the lease, unless it has lapsed in the level in progress. A lease that is over stays over, so that the
    /// worker notices the lapse.
    pub(crate) fn renew(&mut self, until: Nanos, now: Nanos, level_is_running: bool) {
        if level_is_running && (self.has_lapsed || self.is_over(now)) {
            return;
        }
        *self = Self {
            until,
            has_lapsed: false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(until: u64) -> Lease {
        Lease {
            until: Nanos::from_secs(until),
            has_lapsed: false,
        }
    }

    #[test]
    fn renewals_that_arrive_after_the_end_do_not_undo_a_lapse() {
        let mut lease = lease(3);
        assert!(!lease.is_over(Nanos::from_secs(3)));
        let late = Nanos::from_secs(4);
        lease.renew(Nanos::from_secs(7), late, true);
        assert!(lease.is_over(late), "the worker was stopped meanwhile");
        lease.lapse();
        lease.renew(Nanos::from_secs(7), late, true);
        assert!(lease.has_lapsed, "final for the level");
        lease.renew(Nanos::from_secs(7), late, false);
        assert!(!lease.is_over(Nanos::from_secs(7)) && !lease.has_lapsed);
        assert!(lease.is_over(Nanos::from_secs(8)), "in the next level");
    }

    #[test]
    fn a_renewal_in_time_extends_the_lease() {
        let mut lease = lease(3);
        lease.renew(Nanos::from_secs(5), Nanos::from_secs(2), true);
        assert!(!lease.is_over(Nanos::from_secs(5)));
        assert!(!Lease::ENDLESS.is_over(Nanos::from_secs(u64::MAX / 1_000_000_000)));
    }
}
