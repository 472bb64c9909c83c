//! Records the pools of users that `setup` creates: the number of users, the time to create them, and the failures.

use model::{Nanos, UserId};
use record::Pool;
use rustc_hash::FxHashMap;

/// The pools of one `setup`.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    /// Each with the time at which its creation began.
    all: Vec<(Nanos, Pool)>,
    /// Users that are being created, with their pool and the time at which their creation began.
    under_way: FxHashMap<UserId, (usize, Nanos)>,
    /// The users of the pools, with their data as JSON.
    members: Vec<(UserId, String)>,
}

impl Pools {
    /// Begins a pool, and returns its number.
    pub(crate) fn begin(&mut self, count: u32, at_once: u32, now: Nanos) -> u32 {
        let pool = Pool {
            asked: count.into(),
            at_once: at_once.into(),
            ..Pool::default()
        };
        self.all.push((now, pool));
        u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn end(&mut self, pool: u32, now: Nanos) {
        if let Some((began, pool)) = self.all.get_mut(pool as usize) {
            pool.took_s = (now - *began).as_secs_f64();
        }
    }

    /// Notes that the creation of a user for a pool begins.
    pub(crate) fn begin_user(&mut self, user: UserId, pool: u32, now: Nanos) {
        self.under_way.insert(user, (pool as usize, now));
    }

    /// Adds a user to the pool, with the user's data as JSON.
    pub(crate) fn add_user(&mut self, user: UserId, data: String, now: Nanos) {
        self.members.push((user, data));
        if let Some((pool, began)) = self.end_user(user) {
            pool.made += 1;
            pool.time.record(now - began);
        }
    }

    /// Notes that a user could not be created.
    pub(crate) fn fail_user(&mut self, user: UserId) {
        if let Some((pool, _)) = self.end_user(user) {
            pool.failed += 1;
        }
    }

    /// The pool of a user who is no longer being created, and the time at which the creation began.
    fn end_user(&mut self, user: UserId) -> Option<(&mut Pool, Nanos)> {
        let (pool, began) = self.under_way.remove(&user)?;
        let (_, pool) = self.all.get_mut(pool)?;
        Some((pool, began))
    }

    /// Takes the users of the pools, in the order of their numbers, which is not the order in which they became ready.
    pub(crate) fn take_members(&mut self) -> Vec<(UserId, String)> {
        let mut members = std::mem::take(&mut self.members);
        members.sort_by_key(|(user, _)| *user);
        members
    }

    /// The pools, for the record.
    pub(crate) fn told(self) -> Vec<Pool> {
        self.all.into_iter().map(|(_, pool)| pool).collect()
    }
}
