//! Simulated limiters, and simulated users who send requests to them.

use std::collections::{HashMap, VecDeque};

use model::{FaultKind, Side};
use record::{Example, Failure, Level, Limited, PerAddress, Sources, StatedLimit, Timings};

use crate::statistics::{Refused, statistics};

/// Decides whether a request passes. Times are in seconds.
pub(crate) trait Limiter {
    fn admits(&mut self, at: f64) -> bool;
    /// Seconds to wait before the next try, as the limiter's headers would state.
    fn wait(&self, at: f64) -> f64;
}

pub(crate) struct Fixed {
    pub(crate) limit: u64,
    pub(crate) window: f64,
    /// Start of the first window. `None`: the time of the first request.
    pub(crate) begins: Option<f64>,
    pub(crate) used: (f64, u64),
}

impl Limiter for Fixed {
    fn admits(&mut self, at: f64) -> bool {
        let begins = *self.begins.get_or_insert(at);
        let number = ((at - begins) / self.window).floor();
        if self.used.0.to_bits() != number.to_bits() {
            self.used = (number, 0);
        }
        self.used.1 += 1;
        self.used.1 <= self.limit
    }
    fn wait(&self, at: f64) -> f64 {
        let begins = self.begins.unwrap_or(at);
        (begins + (self.used.0 + 1.0) * self.window - at).ceil()
    }
}

pub(crate) fn fixed(limit: u64, window: f64) -> Fixed {
    Fixed {
        limit,
        window,
        begins: None,
        used: (-1e9, 0),
    }
}

pub(crate) struct Sliding {
    pub(crate) limit: usize,
    pub(crate) window: f64,
    pub(crate) log: VecDeque<f64>,
}

impl Limiter for Sliding {
    fn admits(&mut self, at: f64) -> bool {
        while self
            .log
            .front()
            .is_some_and(|first| first + self.window <= at)
        {
            self.log.pop_front();
        }
        let free = self.log.len() < self.limit;
        if free {
            self.log.push_back(at);
        }
        free
    }
    fn wait(&self, at: f64) -> f64 {
        self.log
            .front()
            .map_or(0.0, |first| (first + self.window - at).ceil())
    }
}

pub(crate) fn sliding(limit: usize, window: f64) -> Sliding {
    Sliding {
        limit,
        window,
        log: VecDeque::new(),
    }
}

pub(crate) struct Bucket {
    pub(crate) size: f64,
    pub(crate) per_s: f64,
    pub(crate) level: f64,
    pub(crate) at: f64,
}

impl Limiter for Bucket {
    fn admits(&mut self, at: f64) -> bool {
        self.level = (self.level + (at - self.at) * self.per_s).min(self.size);
        self.at = at;
        let free = self.level >= 1.0;
        self.level -= if free { 1.0 } else { 0.0 };
        free
    }
    fn wait(&self, _: f64) -> f64 {
        1.0
    }
}

pub(crate) fn bucket(size: f64, per_s: f64) -> Bucket {
    Bucket {
        size,
        per_s,
        level: size,
        at: 0.0,
    }
}

/// Refuses a share of all requests at random, from a fixed sequence.
pub(crate) struct Chance {
    pub(crate) share: f64,
    pub(crate) state: u64,
}

impl Chance {
    pub(crate) fn next(&mut self) -> f64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Limiter for Chance {
    fn admits(&mut self, _: f64) -> bool {
        self.next() >= self.share
    }
    fn wait(&self, _: f64) -> f64 {
        1.0
    }
}

/// Users who send requests at random times, `per_s` in total. If `uneven`, users with higher numbers send more.
pub(crate) struct Crowd {
    pub(crate) users: usize,
    pub(crate) addresses: usize,
    pub(crate) per_s: f64,
    pub(crate) for_s: f64,
    pub(crate) uneven: bool,
    pub(crate) seed: u64,
}

pub(crate) fn crowd(users: usize, per_s: f64, for_s: f64) -> Crowd {
    Crowd {
        users,
        addresses: 1,
        per_s,
        for_s,
        uneven: false,
        seed: 1,
    }
}

/// Headers of the 429 responses.
#[derive(Clone, Copy)]
pub(crate) enum Headers {
    None,
    Wait,
    Policy(f64, f64),
}

impl Crowd {
    pub(crate) fn asks(
        &self,
        index: usize,
        limiter: &mut dyn FnMut(usize, usize) -> Box<dyn Limiter>,
        key: fn(usize, usize) -> usize,
        headers: Headers,
    ) -> Level {
        self.asks_on(index, limiter, key, headers, &mut HashMap::new())
    }

    /// Like `asks`, on limiters that have counted earlier requests.
    pub(crate) fn asks_on(
        &self,
        index: usize,
        limiter: &mut dyn FnMut(usize, usize) -> Box<dyn Limiter>,
        key: fn(usize, usize) -> usize,
        headers: Headers,
        limiters: &mut HashMap<usize, Box<dyn Limiter>>,
    ) -> Level {
        let mut chance = Chance {
            share: 0.0,
            state: self.seed,
        };
        let mut all = Vec::new();
        let mut each = vec![(0_u64, 0_u64); self.users];
        let (mut at, mut passed) = (0.0, 0);
        while at < self.for_s {
            let drawn = chance.next();
            let place = if self.uneven { drawn.sqrt() } else { drawn };
            let user = (place * self.users as f64) as usize;
            let key = key(user, user % self.addresses);
            let one = limiters
                .entry(key)
                .or_insert_with(|| limiter(user, user % self.addresses));
            if one.admits(at) {
                passed += 1;
                each[user].0 += 1;
            } else {
                let states_wait = !matches!(headers, Headers::None);
                all.push(Refused {
                    at_s: at,
                    passed,
                    wait_s: states_wait.then(|| one.wait(at)),
                });
                each[user].1 += 1;
            }
            at -= (1.0 - chance.next()).ln() / self.per_s;
        }
        let mut limited = statistics(&all, self.for_s, passed);
        if let Headers::Policy(limit, window) = headers {
            limited.stated = vec![StatedLimit {
                header: "RateLimit-Policy".into(),
                limit,
                window_s: Some(window),
                count: limited.count,
                ..StatedLimit::default()
            }];
        }
        for &(passed, refused) in each.iter().filter(|(_, refused)| *refused > 0) {
            limited.users.add(passed, refused);
        }
        if self.addresses > 1 {
            limited.addresses = self.by_address(&each);
        }
        self.level(index, limited)
    }

    /// Adds up the passed and the refused requests of the users of each address.
    fn by_address(&self, each: &[(u64, u64)]) -> Vec<PerAddress> {
        let of_address = |place| {
            let users = each.iter().skip(place).step_by(self.addresses);
            let empty = PerAddress {
                address: format!("127.0.0.{}", place + 1),
                ..PerAddress::default()
            };
            users.fold(empty, |sum, (passed, refused)| PerAddress {
                users: sum.users + 1,
                passed: sum.passed + passed,
                limited: sum.limited + refused,
                ..sum
            })
        };
        (0..self.addresses).map(of_address).collect()
    }

    pub(crate) fn level(&self, index: usize, limited: Limited) -> Level {
        let timings = Timings {
            count: limited.count + limited.passed,
            failed: limited.count,
            ..Timings::default()
        };
        let mut level = Level {
            index,
            ..Level::default()
        };
        level.load.users = self.users as u64;
        level.measured.requests = [("GET /".to_owned(), timings)].into();
        level.measured.failures = vec![Failure {
            side: Side::Target,
            kind: FaultKind::RateLimited,
            what: "GET /".to_owned(),
            count: limited.count,
            first: Example::default(),
        }];
        level.limited = (limited.count > 0).then_some(limited);
        level
    }

    pub(crate) fn sources(&self) -> Option<Sources> {
        (self.addresses > 1).then(|| Sources {
            given: vec![],
            addresses: self.addresses as u64,
        })
    }
}

pub(crate) const ALL: fn(usize, usize) -> usize = |_, _| 0;
pub(crate) const BY_ADDRESS: fn(usize, usize) -> usize = |_, address| address;
pub(crate) const BY_USER: fn(usize, usize) -> usize = |user, _| user;
