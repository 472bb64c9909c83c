use std::net::TcpListener;

use model::Side;
use record::Timings;
use script::host::{EventsCall, EventsHost as _, Host as _, HttpCall, OpId, SocketId, Wake};
use wire::http::Request;

use super::*;
use crate::dial::Reconnect;
use crate::empty_world::world_of_one;
use crate::http::{Asked, Asker, Http};
use crate::net::Located;
use crate::people::{Pool, User};
use crate::socket::{Own, RoundTrip, SocketKind, Waiting, Wanted};
use crate::socketio;
use crate::world::World;

const SECOND: Nanos = Nanos::from_secs(1);
/// The time at which the requests of [`request`] are planned, and their limit.
const PLANNED: Nanos = Nanos::from_secs(10);
const LIMIT: Nanos = Nanos::from_secs(15);

/// A world of one user, and a server that accepts connections and never answers. Without the answer to its TLS handshake,
/// a connection does not open.
struct Lab {
    world: World,
    user: UserId,
    address: String,
    _silent: TcpListener,
}

impl Lab {
    fn new() -> Self {
        let (world, user) = world_of_one();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            world,
            user,
            address: format!("https://{}", silent.local_addr().unwrap()),
            _silent: silent,
        }
    }

    /// Connections are queued from now on.
    fn queues_connections(&mut self) {
        let filler = Reconnect {
            user: self.user,
            key: 0,
            asked: Nanos::ZERO,
        };
        while self
            .world
            .base
            .net
            .queue
            .enter(Dial::Reconnect(filler))
            .is_some()
        {}
        self.world.base.net.queue.take_if(|_| true);
    }

    /// Starts a request of `user`, with a time limit of this many seconds.
    fn starts(&mut self, user: UserId, limit_s: u64) {
        let call = HttpCall {
            method: "GET".into(),
            url: format!("{}/a", self.address),
            name: "/a".to_owned(),
            timeout: Some(Nanos::from_secs(limit_s)),
            ..HttpCall::default()
        };
        self.world.http(OpId(1), user, call).unwrap();
    }

    /// Opens a stream of server-sent events.
    fn opens(&mut self) {
        let call = EventsCall {
            url: format!("{}/feed", self.address),
            name: "/feed".to_owned(),
            ..EventsCall::default()
        };
        self.world.open_events(OpId(2), self.user, call).unwrap();
    }

    /// The key of the only connection, with a round trip in flight and a wait for any message.
    fn awaits_a_reply(&mut self) -> u32 {
        let (key, _) = self.world.base.net.conns.iter_mut().next().unwrap();
        let name = self
            .world
            .base
            .level
            .recorder
            .name(Family::RoundTrip, "ping");
        let (_, socket) = self.world.base.socket(SocketId(key)).unwrap();
        let waiting = |round_trip| Waiting {
            in_array: false,
            op: OpId(3),
            until: LIMIT,
            limit: LIMIT,
            wanted: Wanted::Own(Own::SocketIo(socketio::Wanted::Ack(1))),
            round_trip,
            carries: Vec::new(),
        };
        let round_trip = RoundTrip {
            name,
            planned: Nanos::ZERO,
            started: Nanos::ZERO,
        };
        socket.state.waiting.push_back(waiting(Some(round_trip)));
        socket.state.waiting.push_back(waiting(None));
        key
    }

    fn pool(&mut self) -> &mut Pool {
        let located = self.world.base.net.connector.locate(&self.address).unwrap();
        self.world
            .base
            .level
            .users
            .get(self.user)
            .unwrap()
            .pool(located.endpoint)
    }

    fn measured(&self) -> Measured {
        self.world.base.level.recorder.clone().into_measured(&[])
    }

    /// The number of requests, connections and round trips that are counted as unfinished.
    fn unfinished(&self) -> [u64; 3] {
        let measured = self.measured();
        [
            measured.requests,
            measured.connections,
            measured.round_trips,
        ]
        .map(|all| {
            all.values()
                .map(|timings: &Timings| timings.unfinished)
                .sum()
        })
    }

    /// Ends requests whose time limit has passed in a queue. Returns the earliest limit of the others.
    fn ends_overdue(&mut self, now: Nanos) -> Nanos {
        self.world
            .lend(|base| Http { base }.end_overdue_in_line(now))
    }

    fn awaited(&mut self, now: Nanos) -> u64 {
        self.world.base.awaited_operations(now).count
    }
}

/// A request for `/a` of this asker, planned for [`PLANNED`], with its limit at this time.
fn request(lab: &mut Lab, asker: Asker, until: Nanos) -> Box<InFlight> {
    let url = format!("{}/a", lab.address);
    let Located { url, endpoint, .. } = lab.world.base.net.connector.locate(&url).unwrap();
    let mut timeouts = lab.world.base.config.options.timeouts;
    timeouts.total = until - PLANNED;
    timeouts.first_byte = timeouts.total;
    let mut asked = Asked::by(asker, lab.user, PLANNED);
    asked.name = lab.world.base.level.recorder.name(Family::Request, "/a");
    let request = Request::new("GET", url);
    Box::new(InFlight::new((request, endpoint), PLANNED, timeouts, asked))
}

/// A request of the script that waits for a connection.
fn in_line(lab: &mut Lab, until: Nanos) {
    let call = request(lab, Asker::Script(OpId(1)), until);
    lab.pool().waiting.push_back(call);
}

#[test]
fn operations_on_connections_and_in_queues_are_awaited() {
    let mut lab = Lab::new();
    let before = lab.world.base.clock.now();
    for _ in 0..7 {
        lab.starts(lab.user, 60);
    }
    let after = lab.world.base.clock.now();
    assert_eq!((lab.pool().open.len(), lab.pool().waiting.len()), (6, 1));
    let awaited = lab.world.base.awaited_operations(after);
    assert_eq!(awaited.count, 7);
    let limits = before + Nanos::from_secs(60)..=after + Nanos::from_secs(60);
    assert!(limits.contains(&awaited.until), "{awaited:?}");

    let mut lab = Lab::new();
    lab.queues_connections();
    for _ in 0..7 {
        lab.starts(lab.user, 60);
    }
    lab.opens();
    assert_eq!(lab.world.base.net.queue.waiting().count(), 7);
    let now = lab.world.base.clock.now();
    assert_eq!(lab.awaited(now), 8);
}

#[test]
fn a_socket_that_opens_and_its_round_trips_are_awaited() {
    let mut lab = Lab::new();
    lab.opens();
    let now = lab.world.base.clock.now();
    assert_eq!(lab.awaited(now), 1);
    lab.awaits_a_reply();
    assert_eq!(lab.awaited(now), 2);
}

#[test]
fn an_operation_is_awaited_until_its_own_limit() {
    let mut lab = Lab::new();
    in_line(&mut lab, LIMIT);
    assert_eq!(lab.awaited(LIMIT - Nanos(1)), 1);
    assert_eq!(lab.awaited(LIMIT), 0);
    assert_eq!(lab.awaited(LIMIT + SECOND), 0);
}

#[test]
fn only_operations_of_the_measured_time_are_awaited() {
    let mut lab = Lab::new();
    in_line(&mut lab, LIMIT);
    lab.world.base.level.recorder.hold.start = PLANNED + Nanos(1);
    assert_eq!(lab.awaited(PLANNED + SECOND), 0);
    lab.world.base.level.recorder.hold.start = PLANNED;
    assert_eq!(lab.awaited(PLANNED + SECOND), 1);
}

#[test]
fn a_request_of_a_socket_is_no_operation() {
    let mut lab = Lab::new();
    let call = request(&mut lab, Asker::Events(1), LIMIT);
    lab.pool().waiting.push_back(call);
    assert_eq!(lab.awaited(PLANNED), 0);
    lab.world.base.abandon_http(lab.user);
    assert_eq!(lab.unfinished(), [0, 0, 0]);
}

#[test]
fn a_copy_of_the_measurements_has_the_ages_of_operations_in_flight() {
    let mut lab = Lab::new();
    in_line(&mut lab, LIMIT);
    lab.opens();
    lab.awaits_a_reply();
    let measured = lab.world.base.measured_so_far(PLANNED + SECOND);
    let age = |timings: &Timings| {
        assert_eq!(timings.unfinished, 1);
        timings.open.max().unwrap().as_secs_f64().round()
    };
    let ages = (
        age(&measured.requests["/a"]),
        age(&measured.round_trips["ping"]),
    );
    assert_eq!(ages, (1.0, 11.0));
    // The copy does not end anything.
    assert_eq!(lab.unfinished(), [0, 0, 0]);
}

/// The limits of the requests that end at 15 s, and of those that stay in line.
fn overdue(limits: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let mut lab = Lab::new();
    let call = |&limit: &u64| request(&mut lab, Asker::Script(OpId(1)), Nanos::from_secs(limit));
    let mut line: VecDeque<_> = limits.iter().map(call).collect();
    let mut over = Vec::new();
    take_overdue(&mut line, Nanos::from_secs(15), &mut over);
    let seconds = |call: Box<InFlight>| call.until.0 / SECOND.0;
    let over = over.into_iter().map(seconds).collect();
    (over, line.into_iter().map(seconds).collect())
}

#[test]
fn requests_in_line_end_at_their_limit() {
    assert_eq!(overdue(&[]), (vec![], vec![]));
    assert_eq!(overdue(&[16, 17]), (vec![], vec![16, 17]));
    assert_eq!(overdue(&[15]), (vec![15], vec![]));
    assert_eq!(overdue(&[14]), (vec![14], vec![]));
    assert_eq!(overdue(&[17, 15, 16, 14]), (vec![15, 14], vec![17, 16]));
}

#[test]
fn a_request_that_gets_no_connection_because_of_others_is_no_fault_of_the_target() {
    let mut lab = Lab::new();
    in_line(&mut lab, LIMIT + SECOND);
    in_line(&mut lab, LIMIT);
    let early = LIMIT - Nanos(1);
    assert_eq!(lab.ends_overdue(early), LIMIT);
    assert!(lab.measured().failures.is_empty());
    assert_eq!(lab.ends_overdue(LIMIT), LIMIT + SECOND);
    let failures = lab.measured().failures;
    assert_eq!((failures.len(), failures[0].count), (1, 1));
    let first = (failures[0].side, failures[0].first.at_s);
    assert_eq!(first, (Side::Generator, LIMIT.as_secs_f64()));
    assert_eq!(lab.ends_overdue(LIMIT + SECOND), Nanos::MAX);
}

#[test]
fn a_request_that_gets_no_connection_because_of_the_target_makes_room_for_the_next() {
    let mut lab = Lab::new();
    lab.queues_connections();
    lab.starts(lab.user, 5);
    for _ in 0..6 {
        lab.starts(lab.user, 30);
    }
    assert_eq!((lab.pool().connect_queue, lab.pool().waiting.len()), (6, 1));
    let first = lab.ends_overdue(Nanos::ZERO);
    lab.ends_overdue(first);
    assert_eq!((lab.pool().connect_queue, lab.pool().waiting.len()), (6, 0));
    assert_eq!(lab.world.base.wakes.len(), 1);
    assert!(matches!(
        lab.world.base.wakes[0],
        Wake::Done { result: Err(_), .. }
    ));
    let failures = lab.measured().failures;
    assert_eq!((failures.len(), failures[0].count), (1, 1));
    assert_eq!(failures[0].side, Side::Target);
}

#[test]
fn a_user_who_leaves_leaves_requests_and_connections_unfinished() {
    let mut lab = Lab::new();
    for _ in 0..7 {
        lab.starts(lab.user, 60);
    }
    lab.world.base.abandon_http(lab.user);
    assert_eq!(lab.unfinished(), [7, 6, 0]);
    assert!(lab.world.base.net.conns.is_empty());
    let now = lab.world.base.clock.now();
    assert_eq!(lab.awaited(now), 0);
}

#[test]
fn a_user_who_leaves_takes_no_connection_of_others_from_the_queue() {
    let mut lab = Lab::new();
    let other = lab.world.base.level.users.add(User::new("ben", 0, 1, 1));
    lab.queues_connections();
    lab.starts(lab.user, 60);
    lab.starts(other, 60);
    lab.opens();
    lab.world.base.abandon_dials(Some(lab.user));
    assert_eq!(lab.unfinished(), [1, 1, 0]);
    assert_eq!(lab.world.base.net.queue.waiting().count(), 1);
    lab.world.base.abandon_dials(None);
    assert_eq!(lab.unfinished(), [2, 1, 0]);
    assert_eq!(lab.world.base.net.queue.waiting().count(), 0);
}

#[test]
fn round_trips_whose_replies_are_not_awaited_any_more_are_unfinished() {
    let mut lab = Lab::new();
    lab.opens();
    let key = lab.awaits_a_reply();
    lab.world.base.leave_round_trips(key);
    assert_eq!(lab.unfinished(), [0, 0, 1]);
    let (_, socket) = lab.world.base.socket(SocketId(key)).unwrap();
    assert!(socket.state.waiting.is_empty());
}

#[test]
fn an_opening_is_unfinished_only_if_it_is_measured() {
    let mut lab = Lab::new();
    let opening = crate::socket::Opening::new(None, Nanos::ZERO, Nanos::ZERO, SECOND);
    let kind = SocketKind::new("nats", "NATS connection");
    let mut state = SocketState {
        opening: Some(opening),
        name: "nats".to_owned(),
        purpose: SocketKind {
            is_carried: true,
            ..kind
        }
        .into(),
        ..SocketState::default()
    };
    lab.world.base.leave_dial(&state);
    assert_eq!(lab.unfinished(), [0, 0, 0]);
    state.purpose = kind.into();
    lab.world.base.leave_dial(&state);
    assert_eq!(lab.unfinished(), [0, 1, 0]);
    state.opening = None;
    lab.world.base.leave_dial(&state);
    assert_eq!(lab.unfinished(), [0, 1, 0]);
}
