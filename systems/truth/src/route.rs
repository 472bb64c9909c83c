use serde_json::Value;

use crate::clock::{Nanos, SECOND};
use crate::counts::Counts;
use crate::order::{Order, Places};
use crate::station::Station;
use crate::workers::Crew;

/// The order, progress and counts of one path with its query.
#[derive(Debug)]
pub(crate) struct Route {
    order: Order,
    progress: Progress,
    pub(crate) counts: Counts,
}

/// The current state of a path's stall schedule, rate window and queue. A `DELETE` request restarts all of them.
#[derive(Debug, Default)]
struct Progress {
    /// Time at which the first request arrived.
    first: Option<Nanos>,
    last: Nanos,
    requests: u64,
    /// The number of the current window, and the number of requests in it.
    window: (u64, u64),
    station: Option<Station>,
    /// Time at which the token bucket would be full again.
    full_at: Nanos,
    /// The slot of time of the latest creation.
    slot: Option<u64>,
}

/// The reaction to a request that has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Respond at this time.
    Answer {
        at: Nanos,
        status: u16,
    },
    /// Refuse now. The client may retry after this number of seconds.
    TooMany {
        retry_after: u64,
    },
    Reset,
    Close,
    Hang,
    Trickle {
        rate: u64,
        size: u64,
    },
    Leak(u64),
    Work(Crew, Nanos),
    /// Respond in two segments, without `TCP_NODELAY`.
    Split,
    /// Open this many connections to the own port, unless they are open, and respond at this time.
    Upstream {
        connections: u32,
        at: Nanos,
    },
    /// Add this number to the open sessions, and respond.
    Sessions(i64),
    PauseAccept(Nanos),
}

impl Route {
    pub(crate) fn new(order: Order) -> Self {
        Self {
            order,
            progress: Progress::default(),
            counts: Counts::default(),
        }
    }

    /// The rate at which bodies are read, in bytes per second. `None` if it is not limited.
    pub(crate) fn read_rate(&self) -> Option<u64> {
        match self.order {
            Order::SlowRead(rate) => Some(rate.get()),
            _ => None,
        }
    }

    /// Restarts schedules, windows and queues.
    pub(crate) fn restart(&mut self) {
        self.progress = Progress::default();
    }

    /// Restarts and also resets the counts.
    pub(crate) fn forget(&mut self) {
        self.restart();
        self.counts = Counts::default();
    }

    /// Decides the reaction to a request that the kernel received at `received` and the server read at `now`. `now`
    /// never decreases between calls.
    pub(crate) fn receive(&mut self, received: Nanos, now: Nanos) -> Reaction {
        self.counts.requests += 1;
        self.progress.requests += 1;
        let first = *self.progress.first.get_or_insert(now);
        self.progress.last = now;
        let ok = |at| Reaction::Answer { at, status: 200 };
        match self.order {
            Order::Gateway {
                every, gives_up, ..
            } if self.progress.requests.is_multiple_of(every.get()) => Reaction::Answer {
                at: received + gives_up,
                status: 504,
            },
            Order::Delay(delay) | Order::Gateway { delay, .. } => ok(received + delay),
            Order::Stall(delay, stall) => {
                let (leaves, held) = stall.release(now + delay - first);
                held.inspect(|number| self.counts.held(*number));
                ok(first + leaves)
            }
            Order::Queue(places) | Order::Upstream(places) | Order::Refuse(places) => {
                self.serve(places, now)
            }
            Order::Create { slot, service } => {
                let slot = now / slot;
                let is_taken = self.progress.slot.replace(slot) == Some(slot);
                Reaction::Answer {
                    at: received + service,
                    status: if is_taken { 409 } else { 200 },
                }
            }
            Order::Split(every) if self.progress.requests.is_multiple_of(every.get()) => {
                Reaction::Split
            }
            Order::OpenSession => Reaction::Sessions(1),
            Order::EndSession => Reaction::Sessions(-1),
            Order::Limit { requests, window } => self.limit(requests, window, now),
            Order::Bucket { every, burst } => self.take_token(every, burst, now),
            Order::Error(every) if self.progress.requests.is_multiple_of(every.get()) => {
                Reaction::Answer {
                    at: now,
                    status: 500,
                }
            }
            Order::Error(_) | Order::SlowRead(_) | Order::Split(_) => ok(now),
            Order::Reset => Reaction::Reset,
            Order::Close => Reaction::Close,
            Order::Hang => Reaction::Hang,
            Order::SlowWrite { rate, size } => Reaction::Trickle {
                rate: rate.get(),
                size,
            },
            Order::Leak(bytes) => Reaction::Leak(bytes),
            Order::Work(crew, time) => Reaction::Work(crew, time),
            Order::Worsen { delay, more } => ok(received + delay + self.earlier() * more),
            Order::Linger => self.linger(received),
            Order::PauseAccept(rest) => Reaction::PauseAccept(now + rest),
        }
    }

    /// Allows this number of requests per window.
    fn limit(&mut self, requests: u64, window: Nanos, now: Nanos) -> Reaction {
        let first = self.progress.first.unwrap_or(now);
        let number = (now - first) / window;
        if self.progress.window.0 != number {
            self.progress.window = (number, 0);
        }
        self.progress.window.1 += 1;
        if self.progress.window.1 <= requests {
            return Reaction::Answer {
                at: now,
                status: 200,
            };
        }
        let left = first + (number + 1) * window - now;
        Reaction::TooMany {
            retry_after: left.div_ceil(SECOND),
        }
    }

    /// Allows a request for each token. Each token that is taken makes the bucket full later.
    fn take_token(&mut self, every: Nanos, burst: u64, now: Nanos) -> Reaction {
        let full_at = self.progress.full_at.max(now) + every;
        let wait = full_at.saturating_sub(now.saturating_add(burst.saturating_mul(every)));
        if wait > 0 {
            return Reaction::TooMany {
                retry_after: wait.div_ceil(SECOND),
            };
        }
        self.progress.full_at = full_at;
        Reaction::Answer {
            at: now,
            status: 200,
        }
    }

    /// Number of requests before this one.
    fn earlier(&self) -> u64 {
        self.progress.requests - 1
    }

    /// The reaction of a target that keeps a connection for each request.
    fn linger(&self, at: Nanos) -> Reaction {
        let connections = u32::try_from(self.progress.requests).unwrap_or(u32::MAX);
        Reaction::Upstream { connections, at }
    }

    /// The reaction of a target with these servers.
    fn serve(&mut self, places: Places, now: Nanos) -> Reaction {
        let refuses = matches!(self.order, Order::Refuse { .. });
        if refuses && !self.station(places).is_free(now) {
            return Reaction::Answer {
                at: now,
                status: 503,
            };
        }
        let at = self.queue(places, now);
        match self.order {
            Order::Upstream(places) => Reaction::Upstream {
                connections: places.servers,
                at,
            },
            _ => Reaction::Answer { at, status: 200 },
        }
    }

    fn station(&mut self, places: Places) -> &mut Station {
        let station = &mut self.progress.station;
        station.get_or_insert_with(|| Station::new(places))
    }

    /// Queues a request. Returns the time of its response.
    fn queue(&mut self, places: Places, now: Nanos) -> Nanos {
        let served = self.station(places).arrive(now);
        self.counts.waited.add(served.waits);
        served.done
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut all = self.counts.to_json();
        if let Some(first) = self.progress.first {
            all.insert("first_request_ns".to_owned(), first.into());
            all.insert("last_request_ns".to_owned(), self.progress.last.into());
        }
        if let (Order::Stall(_, stall), Some(first)) = (self.order, self.progress.first) {
            all.insert("stalls".to_owned(), self.counts.stalls(&stall, first));
        }
        Value::Object(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MILLI;

    fn route(path: &str) -> Route {
        Route::new(Order::read(path).unwrap().unwrap())
    }

    fn answers(path: &str, arrivals: &[Nanos]) -> Vec<(Nanos, u16)> {
        let mut route = route(path);
        let reactions = arrivals.iter().map(|now| route.receive(*now, *now));
        reactions
            .map(|reaction| match reaction {
                Reaction::Answer { at, status } => (at, status),
                Reaction::TooMany { retry_after } => (retry_after, 429),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_stall_counts_from_the_first_request() {
        let path = "/stall/20ms/1s/10s/5s";
        let start = 77 * SECOND;
        assert_eq!(
            answers(path, &[start, start + 4_990 * MILLI, start + 7 * SECOND]),
            [
                (start + 20 * MILLI, 200),
                (start + 6 * SECOND, 200),
                (start + 7 * SECOND + 20 * MILLI, 200)
            ]
        );
    }

    #[test]
    fn a_limit_counts_in_fixed_windows_from_the_first_request() {
        let at = |ms: u64| 10 * SECOND + ms * MILLI;
        let statuses = answers("/limit/2/1s", &[at(0), at(900), at(950), at(999), at(1000)]);
        assert_eq!(
            statuses,
            [
                (at(0), 200),
                (at(900), 200),
                (1, 429),
                (1, 429),
                (at(1000), 200)
            ]
        );
    }

    #[test]
    fn a_bucket_gets_tokens_evenly_and_keeps_some() {
        let at = |ms: u64| 10 * SECOND + ms * MILLI;
        let arrivals = [0, 1, 2, 99, 101, 102, 1000, 1000, 1000].map(at);
        let statuses = answers("/bucket/10/2", &arrivals).into_iter();
        let statuses: Vec<u16> = statuses.map(|(_, status)| status).collect();
        assert_eq!(
            statuses,
            [200, 200, 429, 429, 200, 429, 200, 200, 429],
            "two at first, then one per 100 ms, and two after a pause"
        );
        let refused = answers("/bucket/1/1", &[at(0), at(100)]);
        assert_eq!(refused, [(at(0), 200), (1, 429)], "wait for a second");
        let huge = answers("/bucket/1/20000000000", &[at(0), at(0)]);
        assert_eq!(huge, [(at(0), 200), (at(0), 200)]);
    }

    #[test]
    fn every_nth_request_fails() {
        let statuses: Vec<u16> = answers("/error/3", &[1, 2, 3, 4, 5, 6])
            .into_iter()
            .map(|(_, status)| status)
            .collect();
        assert_eq!(statuses, [200, 200, 500, 200, 200, 500]);
    }

    #[test]
    fn a_gateway_gives_up_every_nth_request_after_its_time() {
        let at = 5 * SECOND;
        assert_eq!(
            answers("/gateway/2/20ms/500ms", &[at, at]),
            [(at + 20 * MILLI, 200), (at + 500 * MILLI, 504)]
        );
    }

    #[test]
    fn a_target_that_refuses_does_so_while_all_places_are_in_use() {
        let at = |ms: u64| 10 * SECOND + ms * MILLI;
        assert_eq!(
            answers("/refuse/1/10ms", &[at(0), at(5), at(10)]),
            [(at(10), 200), (at(5), 503), (at(20), 200)]
        );
    }

    #[test]
    fn creations_in_the_same_slot_of_time_collide() {
        let at = |ms: u64| 10 * SECOND + ms * MILLI;
        let statuses: Vec<u16> = answers("/create/10ms/1ms", &[at(0), at(9), at(10), at(25)])
            .into_iter()
            .map(|(_, status)| status)
            .collect();
        assert_eq!(statuses, [200, 409, 200, 200]);
    }

    #[test]
    fn a_restart_begins_the_schedule_anew_and_keeps_the_counts() {
        let mut route = route("/error/2");
        route.receive(1, 1);
        route.restart();
        assert_eq!(route.receive(2, 2), Reaction::Answer { at: 2, status: 200 });
        assert_eq!(route.counts.requests, 2);
        route.forget();
        assert_eq!(route.counts.requests, 0);
    }
}
