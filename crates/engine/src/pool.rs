//! Records the pools of users that `setup` creates: the number of users, the time to create them, and the failures.

use model::{Fault, Nanos, UserId};
use record::Pool;
use rustc_hash::FxHashMap;

use crate::world::World;

/// The name under which failures of users of a pool are counted.
const USER: &str = "user of the pool";

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

impl World {
    pub(crate) fn begin_pool(&mut self, count: u32, at_once: u32) -> u32 {
        let pool = Pool {
            asked: count.into(),
            at_once: at_once.into(),
            ..Pool::default()
        };
        let pools = &mut self.pools.all;
        pools.push((self.clock.now(), pool));
        u32::try_from(pools.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn end_pool(&mut self, pool: u32) {
        let now = self.clock.now();
        if let Some((began, pool)) = self.pools.all.get_mut(pool as usize) {
            pool.took_s = (now - *began).as_secs_f64();
        }
    }

    /// Notes that the creation of a user for a pool begins.
    pub(crate) fn begin_pool_user(&mut self, user: UserId, pool: u32) {
        let now = self.clock.now();
        let under_way = &mut self.pools.under_way;
        under_way.insert(user, (pool as usize, now));
    }

    /// Adds a user to the pool, with the user's data as JSON.
    pub(crate) fn add_to_pool(&mut self, user: UserId, data: String) {
        self.pools.members.push((user, data));
        self.end_pool_user(user, None);
    }

    /// Notes that a user for the pool could not be created.
    pub(crate) fn fail_pool_user(&mut self, user: UserId, fault: &Fault) {
        self.end_pool_user(user, Some(fault));
    }

    /// Notes that a user is ready for the pool, or could not be created.
    fn end_pool_user(&mut self, user: UserId, fault: Option<&Fault>) {
        let now = self.clock.now();
        if let Some((pool, began)) = self.pools.under_way.remove(&user)
            && let Some((_, pool)) = self.pools.all.get_mut(pool)
        {
            match fault {
                None => {
                    pool.made += 1;
                    pool.time.record(now - began);
                }
                Some(_) => pool.failed += 1,
            }
        }
        if let Some(fault) = fault {
            self.fail(user, USER, now, fault);
        }
    }
}

impl Pools {
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
