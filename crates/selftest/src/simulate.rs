//! Computes the expected times from the configuration and the planned arrivals, without any code of the server. All
//! times are in nanoseconds.

/// Repeated stalls, during which the server sends nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stalls {
    pub(crate) lasts: u64,
    pub(crate) every: u64,
    /// Time from the first arrival to the start of the first stall.
    pub(crate) first: u64,
}

/// Returns the response times of the arrivals. A response is ready after `delay`, and is sent as soon as there is no
/// stall. The server's schedule begins `lead` after the first arrival was due, because no arrival reached the server
/// earlier.
pub(crate) fn stalled(due: &[u64], lead: u64, delay: u64, stalls: Stalls) -> Vec<u64> {
    let begin = begin_of(due, lead);
    let response = |due: &u64| {
        let ready = due.max(&begin) - begin + delay;
        let mut stall = stalls.first;
        while stall + stalls.lasts <= ready {
            stall += stalls.every;
        }
        let leaves = if ready >= stall {
            stall + stalls.lasts
        } else {
            ready
        };
        begin + leaves - due
    };
    due.iter().map(response).collect()
}

/// Returns the response times of a queue in front of `servers` servers, each with the service time `service`. No
/// arrival reaches the queue before `lead` after the first arrival was due.
pub(crate) fn queued(due: &[u64], lead: u64, servers: usize, service: u64) -> Vec<u64> {
    let begin = begin_of(due, lead);
    // The queue is first come, first served, and all service times are equal. Service of an arrival begins when the
    // arrival `servers` places earlier has left.
    let mut leaves: Vec<u64> = Vec::with_capacity(due.len());
    for (place, due) in due.iter().enumerate() {
        let before = place
            .checked_sub(servers)
            .map_or(0, |earlier| leaves[earlier]);
        leaves.push(before.max(*due).max(begin) + service);
    }
    leaves
        .iter()
        .zip(due)
        .map(|(left, due)| left - due)
        .collect()
}

fn begin_of(due: &[u64], lead: u64) -> u64 {
    due.first().copied().unwrap_or(0) + lead
}

/// Returns the quantile `q` of the times.
pub(crate) fn quantile(times: &mut [u64], q: f64) -> u64 {
    times.sort_unstable();
    let rank = stats::rank_of(times.len() as u64, q);
    let place = usize::try_from(rank.saturating_sub(1)).unwrap_or(0);
    times.get(place).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_into_a_stall_leaves_at_its_end() {
        let stalls = Stalls {
            lasts: 10,
            every: 100,
            first: 50,
        };
        let arrivals = [1000, 1044, 1045, 1054, 1055, 1145];
        assert_eq!(stalled(&arrivals, 0, 5, stalls), [5, 5, 15, 6, 5, 15]);
        // Here the schedule begins 2 ns later.
        assert_eq!(stalled(&arrivals, 2, 5, stalls), [7, 5, 5, 8, 7, 5]);
    }

    #[test]
    fn one_server_below_its_capacity_makes_nobody_wait() {
        assert_eq!(queued(&[0, 10, 20], 0, 1, 10), [10, 10, 10]);
    }

    #[test]
    fn above_it_each_waits_longer_than_the_one_before() {
        assert_eq!(queued(&[0, 7, 14, 21], 0, 1, 10), [10, 13, 16, 19]);
        assert_eq!(queued(&[0, 7, 14], 5, 1, 10), [15, 18, 21]);
        assert_eq!(queued(&[0, 0, 0, 0], 0, 2, 10), [10, 10, 20, 20]);
    }

    #[test]
    fn a_quantile_is_one_of_the_times() {
        let mut times: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(
            (quantile(&mut times, 0.5), quantile(&mut times, 0.99)),
            (50, 99)
        );
    }
}
