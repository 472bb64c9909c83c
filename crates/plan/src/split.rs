//! Assigns groups to workers round-robin, so that the load of all workers grows equally during a ramp-up.

/// The worker that runs a group. `workers` is the number of workers. If it is 0, the result is worker 0.
pub fn worker_of(group: u32, workers: u32) -> u32 {
    group.checked_rem(workers).unwrap_or(0)
}

/// The groups of one worker, in ascending order. This is the inverse of [`worker_of`].
pub fn groups_of(worker: u32, workers: u32, groups: u32) -> impl ExactSizeIterator<Item = u32> {
    let step = workers.max(1);
    let end = if worker < step { groups } else { worker };
    (worker..end.max(worker)).step_by(step as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn groups_go_round() {
        assert_eq!(groups_of(1, 3, 8).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(groups_of(2, 3, 2).count(), 0, "more workers than groups");
        assert_eq!(groups_of(5, 3, 8).count(), 0, "no such worker");
        assert_eq!(worker_of(7, 3), 1);
    }

    proptest! {
        #[test]
        fn every_group_runs_once_and_shares_differ_by_at_most_one(
            groups in 0..3000_u32, workers in 1..70_u32
        ) {
            let mut runs = vec![0; groups as usize];
            let mut shares = Vec::new();
            for worker in 0..workers {
                let mine = groups_of(worker, workers, groups);
                shares.push(mine.len());
                for group in mine {
                    prop_assert_eq!(worker_of(group, workers), worker);
                    runs[group as usize] += 1;
                }
            }
            prop_assert!(runs.iter().all(|runs| *runs == 1));
            let spread = shares.iter().max().unwrap() - shares.iter().min().unwrap();
            prop_assert!(spread <= 1);
        }
    }
}
