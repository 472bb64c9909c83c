use std::num::NonZeroU64;
use std::time::Duration;

use kit::fault::FaultSpec;
use kit::span;

use crate::clock::{Nanos, SECOND};
use crate::stall::Stall;
use crate::workers::Crew;

/// Maximum CPU time that one request may use, and maximum time for which accepting may be paused.
const LONGEST: Duration = Duration::from_mins(1);

/// Maximum number of servers of one queue.
const MOST_SERVERS: u32 = 10_000;

/// The action that the path of a request specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Respond after this time.
    Delay(Nanos),
    /// Respond after this time, but never during a stall.
    Stall(Nanos, Stall),
    /// Queue the request for servers.
    Queue(Places),
    /// Reset the connection.
    Reset,
    /// Close the connection without a response.
    Close,
    /// Refuse with 429 after this many requests in a window.
    Limit { requests: u64, window: Nanos },
    /// Take a token per request, or refuse with 429. A token is added each time `every` passes, up to `burst` tokens.
    Bucket { every: Nanos, burst: u64 },
    /// Respond to every nth request with 500.
    Error(NonZeroU64),
    /// Respond to every nth request with 504 after the time `gives_up`, and to the others after `delay`.
    Gateway {
        every: NonZeroU64,
        delay: Nanos,
        gives_up: Nanos,
    },
    /// Like a queue, but respond with 503 at once if all servers are busy.
    Refuse(Places),
    /// Like a queue. The server keeps as many connections to its own port open as there are servers, like a pool of
    /// connections to a database.
    Upstream(Places),
    /// Respond after `service`, and with 409 to every request that arrives in the same `slot` of time as another, as if
    /// both had chosen this time as their unique value.
    Create { slot: Nanos, service: Nanos },
    /// Write every nth response in two small segments, without `TCP_NODELAY`.
    Split(NonZeroU64),
    /// Count one more open session.
    OpenSession,
    /// Count one open session less.
    EndSession,
    /// Never respond.
    Hang,
    /// Read the body at this many bytes per second.
    SlowRead(NonZeroU64),
    /// Write a body of `size` bytes at `rate` bytes per second.
    SlowWrite { rate: NonZeroU64, size: u64 },
    /// Keep this many bytes forever.
    Leak(u64),
    /// Occupy one of these threads for this time.
    Work(Crew, Nanos),
    /// Respond after `delay`, and after `more` in addition for each earlier request.
    Worsen { delay: Nanos, more: Nanos },
    /// Respond, and keep one more connection to the own port open.
    Linger,
    /// Accept no connections for this time.
    PauseAccept(Nanos),
}

/// Servers in front of which requests queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) servers: u32,
    /// The time that a server takes per request.
    pub(crate) service: Nanos,
    /// Whether `service` is only the mean of the times, which are exponentially distributed.
    pub(crate) varies: bool,
}

/// The configuration of a room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RoomOrder {
    /// The delay, the leak, and the faults that apply to every nth delivery.
    pub(crate) faults: FaultSpec,
    /// The schedule of stalls, during which nothing is sent.
    pub(crate) stall: Option<Stall>,
    /// Whether senders receive their own messages.
    pub(crate) echo: bool,
    /// Time for which the server is busy with each message of a member. Messages of a member queue.
    pub(crate) serial: Nanos,
    /// Bytes per second to read from each member.
    pub(crate) read_rate: Option<NonZeroU64>,
    /// CPU time for each delivery of a message.
    pub(crate) work: Nanos,
    /// CPU time for each ordered pair of receivers of a message, a receiver with itself included: n² times for n receivers.
    pub(crate) pair_work: Nanos,
    /// While more than this number of bytes wait for one member, no message is sent to any member.
    pub(crate) wait: Option<NonZeroU64>,
    /// Bytes per second at which a further member reads, which the server itself adds.
    pub(crate) slow: Option<NonZeroU64>,
    /// Time for which one server, in front of which members queue, is busy with each member that joins.
    pub(crate) join: Nanos,
}

impl Places {
    /// Servers that always take the same time.
    pub(crate) fn constant(servers: u32, service: Nanos) -> Self {
        Self {
            servers,
            service,
            varies: false,
        }
    }
}

/// Reason why an order was refused, as a message for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct OrderError(pub(crate) String);

impl Order {
    /// Parses a path such as `/delay/20ms`. `None` if the first segment is unknown.
    pub(crate) fn read(path: &str) -> Option<Result<Self, OrderError>> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let name = parts.next()?;
        let parts: Vec<&str> = parts.collect();
        let order = match (name, parts.as_slice()) {
            ("delay", [delay]) => nanos(delay).map(Self::Delay),
            ("stall", [delay, lasts, every, first]) => read_stall([lasts, every, first])
                .and_then(|stall| Ok(Self::Stall(nanos(delay)?, stall))),
            ("queue", [servers, service]) => read_places(servers, service).map(Self::Queue),
            ("queue", [servers, mean, "exponential"]) => read_places(servers, mean).map(|places| {
                Self::Queue(Places {
                    varies: true,
                    ..places
                })
            }),
            ("reset", []) => Ok(Self::Reset),
            ("close", []) => Ok(Self::Close),
            ("limit", [requests, window]) => read_limit(requests, window),
            ("bucket", [per_s, burst]) => read_bucket(per_s, burst),
            ("error", [every]) => number(every).map(Self::Error),
            ("gateway", [every, delay, gives_up]) => read_gateway([every, delay, gives_up]),
            ("refuse", [servers, service]) => read_places(servers, service).map(Self::Refuse),
            ("upstream", [servers, service]) => read_places(servers, service).map(Self::Upstream),
            ("create", [slot, service]) => read_create(slot, service),
            ("split", [every]) => number(every).map(Self::Split),
            ("session", ["open"]) => Ok(Self::OpenSession),
            ("session", ["end"]) => Ok(Self::EndSession),
            ("hang", []) => Ok(Self::Hang),
            ("slow-read", [rate]) => number(rate).map(Self::SlowRead),
            ("slow-write", [rate, size]) => number(rate).and_then(|rate| {
                let size = number(size)?.get();
                Ok(Self::SlowWrite { rate, size })
            }),
            ("leak", [bytes]) => number(bytes).map(|bytes| Self::Leak(bytes.get())),
            ("burn", [time]) => short(time).map(|cpu| Self::Work(Crew::Loop, cpu)),
            ("pool", [time]) => short(time).map(|cpu| Self::Work(Crew::Pool, cpu)),
            ("turns", [time]) => short(time).map(|cpu| Self::Work(Crew::Turns, cpu)),
            ("commit", [time]) => short(time).map(|time| Self::Work(Crew::Writer, time)),
            ("worsen", [delay, more]) => read_worsen(delay, more),
            ("linger", []) => Ok(Self::Linger),
            ("pause-accept", [time]) => short(time).map(Self::PauseAccept),
            (
                "delay" | "stall" | "queue" | "refuse" | "upstream" | "create" | "split"
                | "session" | "reset" | "close" | "limit" | "bucket" | "error" | "gateway" | "hang"
                | "slow-read" | "slow-write" | "leak" | "burn" | "pool" | "turns" | "commit"
                | "worsen" | "linger" | "pause-accept",
                _,
            ) => Err(refused(&format!(
                "`{path}` has the wrong number of parts for `{name}`"
            ))),
            _ => return None,
        };
        Some(order)
    }
}

impl RoomOrder {
    /// Parses a query such as `drop=100&delay=1ms&echo=1`.
    pub(crate) fn read(query: &str) -> Result<Self, OrderError> {
        let mut order = Self::default();
        let mut faults = Vec::new();
        // Some clients percent-encode the query and send `1s%2F10s` for `1s/10s`.
        let query = percent_encoding::percent_decode_str(query).decode_utf8_lossy();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name {
                "echo" => order.echo = value != "0",
                "read" => order.read_rate = Some(number(value)?),
                "work" => order.work = short(value)?,
                "pair-work" => order.pair_work = short(value)?,
                "wait" => order.wait = Some(number(value)?),
                "slow" => order.slow = Some(number(value)?),
                "join" => order.join = short(value)?,
                "serial" => order.serial = short(value)?,
                "stall" => {
                    let parts: Vec<&str> = value.split('/').collect();
                    let parts = <[&str; 3]>::try_from(parts)
                        .map_err(|_| refused("use for example `stall=1s/10s/5s`"))?;
                    order.stall = Some(read_stall(parts)?);
                }
                "crash" => return Err(refused("a room does not support `crash`")),
                _ => faults.push(part),
            }
        }
        let faults = faults.join(",").parse::<FaultSpec>();
        order.faults = faults.map_err(|error| refused(&error.to_string()))?;
        Ok(order)
    }
}

fn refused(why: &str) -> OrderError {
    OrderError(why.to_owned())
}

fn span(text: &str) -> Result<Duration, OrderError> {
    span::parse(text).map_err(|error| refused(&error.to_string()))
}

fn nanos(text: &str) -> Result<Nanos, OrderError> {
    let span = span(text)?;
    if span > Duration::from_hours(24) {
        return Err(refused(&format!("`{text}` is longer than a day")));
    }
    u64::try_from(span.as_nanos()).map_err(|_| refused("the duration is too long"))
}

fn short(text: &str) -> Result<Nanos, OrderError> {
    let span = nanos(text)?;
    if u128::from(span) > LONGEST.as_nanos() {
        return Err(refused(&format!("`{text}` is longer than a minute")));
    }
    Ok(span)
}

fn number(text: &str) -> Result<NonZeroU64, OrderError> {
    let refusal = |_| refused(&format!("`{text}` is not a whole number of at least 1"));
    text.parse().map_err(refusal)
}

fn read_stall([lasts, every, first]: [&str; 3]) -> Result<Stall, OrderError> {
    nanos(lasts)?;
    nanos(every)?;
    nanos(first)?;
    Stall::new(span(lasts)?, span(every)?, span(first)?)
        .ok_or_else(|| refused("a stall must be longer than 0 and shorter than its period"))
}

fn read_places(servers: &str, service: &str) -> Result<Places, OrderError> {
    let servers = u32::try_from(number(servers)?.get())
        .ok()
        .filter(|servers| *servers <= MOST_SERVERS)
        .ok_or_else(|| refused(&format!("a queue has at most {MOST_SERVERS} servers")))?;
    Ok(Places::constant(servers, nanos(service)?))
}

fn read_create(slot: &str, service: &str) -> Result<Order, OrderError> {
    let slot = nanos(slot)?;
    if slot == 0 {
        return Err(refused("a slot must be longer than 0"));
    }
    let service = nanos(service)?;
    Ok(Order::Create { slot, service })
}

fn read_worsen(delay: &str, more: &str) -> Result<Order, OrderError> {
    let (delay, more) = (nanos(delay)?, short(more)?);
    Ok(Order::Worsen { delay, more })
}

fn read_gateway([every, delay, gives_up]: [&str; 3]) -> Result<Order, OrderError> {
    Ok(Order::Gateway {
        every: number(every)?,
        delay: nanos(delay)?,
        gives_up: nanos(gives_up)?,
    })
}

fn read_limit(requests: &str, window: &str) -> Result<Order, OrderError> {
    let requests = number(requests)?.get();
    let window = nanos(window)?;
    if window == 0 {
        return Err(refused("a window must be longer than 0"));
    }
    Ok(Order::Limit { requests, window })
}

fn read_bucket(per_s: &str, burst: &str) -> Result<Order, OrderError> {
    let per_s = number(per_s)?.get();
    if per_s > SECOND {
        return Err(refused(
            "a bucket gets at most 1000000000 tokens per second",
        ));
    }
    Ok(Order::Bucket {
        every: SECOND / per_s,
        burst: number(burst)?.get(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::MILLI;

    #[test]
    fn a_path_is_an_order() {
        let read = |path| Order::read(path).unwrap().unwrap();
        assert_eq!(read("/delay/20ms"), Order::Delay(20 * MILLI));
        let stall = Stall {
            lasts: SECOND,
            every: 10 * SECOND,
            first: 5 * SECOND,
        };
        assert_eq!(
            read("/stall/20ms/1s/10s/5s"),
            Order::Stall(20 * MILLI, stall)
        );
        let places = |varies| Places {
            servers: 4,
            service: MILLI,
            varies,
        };
        assert_eq!(read("/queue/4/1ms"), Order::Queue(places(false)));
        let varying = read("/queue/4/1ms/exponential");
        assert_eq!(varying, Order::Queue(places(true)));
        let (every, burst) = (10 * MILLI, 20);
        assert_eq!(read("/bucket/100/20"), Order::Bucket { every, burst });
        assert_eq!(read("/error/3"), Order::Error(NonZeroU64::new(3).unwrap()));
    }

    #[test]
    fn a_mistake_is_named_and_a_strange_path_is_nobodys() {
        for (path, word) in [
            ("/delay/20", "not a duration"),
            ("/delay", "wrong number of parts"),
            ("/stall/20ms/10s/1s/0s", "shorter than its period"),
            ("/queue/0/1ms", "at least 1"),
            ("/queue/10001/1ms", "at most 10000"),
            ("/burn/2m", "longer than a minute"),
            ("/limit/3/0s", "longer than 0"),
            ("/bucket/0/5", "at least 1"),
            ("/bucket/1000000001/5", "at most"),
            ("/queue/4/1ms/poisson", "wrong number of parts"),
        ] {
            let error = Order::read(path).unwrap().unwrap_err().to_string();
            assert!(error.contains(word), "{path}: {error}");
        }
        assert_eq!(Order::read("/dealy/20ms"), None);
    }

    #[test]
    fn a_query_is_a_rooms_order() {
        let encoded = RoomOrder::read("stall=1s%2F10s%2F5s&echo=1");
        assert_eq!(encoded, RoomOrder::read("stall=1s/10s/5s&echo=1"));
        assert!(encoded.is_ok());
        let order = RoomOrder::read("drop=100&delay=1ms&stall=1s/10s/5s&echo=1&read=500").unwrap();
        assert_eq!(order.faults.to_string(), "delay=1ms,drop=100");
        assert!(order.echo && order.stall.is_some());
        assert_eq!(order.read_rate, NonZeroU64::new(500));
        let order = RoomOrder::read("serial=50ms").unwrap();
        assert_eq!(order.serial, 50 * MILLI);
        assert_eq!(RoomOrder::read(""), Ok(RoomOrder::default()));
        for wrong in ["dorp=5", "stall=1s/10s", "crash=5", "read=0", "drop"] {
            assert!(RoomOrder::read(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_path_and_query_is_read_or_refused_without_panic(text in "/(delay|stall|queue|limit|bucket|leak|error)/[a-z0-9/&=]*") {
            let _ = Order::read(&text);
            let _ = RoomOrder::read(&text);
        }
    }
}
