use std::collections::VecDeque;
use std::sync::Arc;

use delivery::{ChannelIndex, Ledger};
use model::{GroupId, Nanos, UserId};
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use script::UserStart;
use script::host::OpId;
use wire::http::CookieJar;

use crate::funnel::{FunnelCounts, Way};
use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::recorder::Family;
use crate::socket::{Followed, Receiving};
use crate::steps::Steps;
use crate::user_states::UserStates;

/// Maximum number of connections that one user opens to one endpoint at a time, as in browsers. Further requests are
/// queued. Connections on which a session polls are not included, because a session may occupy a connection as long as
/// it lives.
pub(crate) const CONNECTIONS_PER_USER: usize = 6;

/// One simulated person.
#[derive(Debug)]
pub(crate) struct User {
    pub(crate) name: Arc<str>,
    pub(crate) group: usize,
    pub(crate) member: u32,
    /// The user's number among the users of the level on all workers. It determines the source address.
    pub(crate) number: u32,
    /// Number of iterations so far. Timers of an earlier iteration have a lower number, and are dropped.
    pub(crate) epoch: u32,
    pub(crate) random: Pcg64Mcg,
    pub(crate) standing: Standing,
    pub(crate) pools: Vec<Pool>,
    pub(crate) sockets: Vec<u32>,
    pub(crate) data: Option<Arc<str>>,
    pub(crate) steps: Steps,
    pub(crate) responses: Responses,
}

/// The values that a user adds to every request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) cookies: CookieJar,
}

/// Adds those of the other headers whose names `headers` does not have.
pub(crate) fn add_missing(headers: &mut Vec<(String, String)>, others: &[(String, String)]) {
    for (name, value) in others {
        let is_known = headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !is_known {
            headers.push((name.clone(), value.clone()));
        }
    }
}

/// Responses to one user.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// Number of responses on connections that have been closed.
    pub(crate) all: u32,
    /// Number of requests that were refused with status 429.
    pub(crate) limited: u32,
    /// The channels that look for their stamps in responses, by the name of the request.
    pub(crate) followed: Vec<(String, Followed)>,
    /// The number of the next channel that the user follows, on a socket or in responses.
    next_following: u32,
}

impl Responses {
    /// Adds a channel that looks for its stamps in the responses to requests of this name.
    pub(crate) fn follow(&mut self, request: String, receiving: Receiving) {
        let known = self.followed.iter_mut().find(|(name, _)| *name == request);
        if let Some((_, followed)) = known {
            followed.receives.push(receiving);
            return;
        }
        let mut followed = Followed::default();
        followed.receives.push(receiving);
        self.followed.push((request, followed));
    }
}

/// A user's HTTP connections to one endpoint.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    pub(crate) endpoint: EndpointIndex,
    pub(crate) open: Vec<u32>,
    /// Number of connections in the connect queue.
    pub(crate) connect_queue: usize,
    pub(crate) idle: Vec<u32>,
    /// Number of polls with which sessions wait for messages from the server.
    pub(crate) polls: usize,
    pub(crate) waiting: VecDeque<Box<InFlight>>,
    /// The greater, the more recently the user has sent a request to the endpoint.
    pub(crate) last_use: u64,
}

impl Pool {
    /// Whether one more connection may be opened.
    pub(crate) fn may_dial(&self) -> bool {
        self.open.len() + self.connect_queue < CONNECTIONS_PER_USER + self.polls
    }

    /// Whether no request and no poll waits for a connection.
    pub(crate) fn waits_for_none(&self) -> bool {
        self.connect_queue == 0 && self.polls == 0 && self.waiting.is_empty()
    }
}

impl User {
    pub(crate) fn new(name: impl Into<Arc<str>>, group: usize, member: u32, seed: u64) -> Self {
        Self {
            name: name.into(),
            group,
            member,
            number: member,
            epoch: 0,
            random: Pcg64Mcg::seed_from_u64(seed),
            standing: Standing::default(),
            pools: Vec::new(),
            sockets: Vec::new(),
            data: None,
            steps: Steps::default(),
            responses: Responses::default(),
        }
    }

    /// A number in [0, 1).
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn pool(&mut self, endpoint: EndpointIndex) -> &mut Pool {
        let at = self
            .pools
            .iter()
            .position(|pool| pool.endpoint == endpoint)
            .unwrap_or_else(|| {
                self.pools.push(Pool {
                    endpoint,
                    ..Pool::default()
                });
                self.pools.len() - 1
            });
        &mut self.pools[at]
    }

    /// The pool of an endpoint that the user sends a request to.
    pub(crate) fn contact(&mut self, endpoint: EndpointIndex) -> &mut Pool {
        let latest = self.pools.iter().map(|pool| pool.last_use).max();
        let pool = self.pool(endpoint);
        pool.last_use = latest.unwrap_or(0) + 1;
        pool
    }
}

/// All users of a worker. IDs are unique in a run, so an ID that a script has kept from an earlier level finds no user.
#[derive(Debug, Default)]
pub(crate) struct Users {
    base: u32,
    list: Vec<User>,
}

impl Users {
    pub(crate) fn add(&mut self, user: User) -> UserId {
        self.list.push(user);
        UserId(self.base + u32::try_from(self.list.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn get(&mut self, id: UserId) -> Option<&mut User> {
        self.list.get_mut(id.0.checked_sub(self.base)? as usize)
    }

    /// The number of the next channel that the user follows.
    pub(crate) fn next_following(&mut self, id: UserId) -> u32 {
        self.get(id).map_or(0, |user| {
            let number = user.responses.next_following;
            user.responses.next_following += 1;
            number
        })
    }

    /// The user as the script gets it at the start of an iteration. `index` is the user's number in the group, and
    /// `number` the user's number in the level.
    pub(crate) fn start_of(
        &mut self,
        id: UserId,
        (index, number): (u32, u32),
        role: Option<Arc<str>>,
    ) -> UserStart {
        let (name, data) = match self.get(id) {
            Some(user) => (Arc::clone(&user.name), user.data.clone()),
            None => (Arc::from(""), None),
        };
        UserStart {
            id,
            name,
            index,
            number,
            role,
            data,
        }
    }

    /// All users.
    pub(crate) fn each(&mut self) -> std::slice::IterMut<'_, User> {
        self.list.iter_mut()
    }

    /// Users are divided into blocks of `count`, from the first user on. Returns the first user of this user's block.
    pub(crate) fn first_of(&self, id: UserId, count: u32) -> UserId {
        let at = id.0.saturating_sub(self.base);
        UserId(id.0 - at % count.max(1))
    }

    /// An empty list whose IDs follow those of this list.
    pub(crate) fn next(&self) -> Self {
        Self {
            base: self.base + u32::try_from(self.list.len()).unwrap_or(u32::MAX),
            list: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

/// The state of a group.
///
/// | state | ends when | next state |
/// |---|---|---|
/// | `Waiting` | its start is due | `Running` |
/// | `Running` | its function settles | `Settling`, or its next state at once if no delivery is in flight |
/// | `Settling` | deliveries have settled or their time limit has passed | `Waiting` (closed load goes on) or `Done` |
/// | `Done` | the level ends | – |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Waiting,
    Running { planned: Nanos, since: Nanos },
    Settling,
    Done,
}

/// One group of users on this worker.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) id: GroupId,
    pub(crate) number: u32,
    pub(crate) iteration: u32,
    /// Index of the scenario that the group's iteration runs, in a mix.
    pub(crate) scenario: usize,
    pub(crate) stage: Stage,
    pub(crate) users: Vec<UserId>,
    pub(crate) roles: Vec<Option<Arc<str>>>,
    pub(crate) ledger: Ledger,
    /// The names of the channels, each with the channel's index in the ledger.
    pub(crate) channels: Vec<(String, ChannelIndex)>,
    pub(crate) stays: Stays,
    /// The user states that the members report.
    pub(crate) held: UserStates,
    pub(crate) progress: Progress,
}

/// Progress of a group's iteration.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Steps of the group as a whole.
    pub(crate) steps: Steps,
    pub(crate) way: Way,
    /// The last completed operation, to report where a script hangs.
    pub(crate) last_done: Option<(Family, usize)>,
}

/// Calls of `stay()` by the members of a group.
#[derive(Debug, Default)]
pub(crate) struct Stays {
    /// The calls that wait for the deliveries to settle.
    pub(crate) waiting: Vec<OpId>,
    /// Whether calls were waiting when the deliveries had settled.
    pub(crate) released: bool,
}

impl Group {
    pub(crate) fn new(
        id: GroupId,
        number: u32,
        users: Vec<UserId>,
        roles: Vec<Option<Arc<str>>>,
        run: u32,
        settle: Nanos,
    ) -> Self {
        Self {
            id,
            number,
            iteration: 0,
            scenario: 0,
            stage: Stage::Waiting,
            users,
            roles,
            ledger: Ledger::new(run, id, settle),
            channels: Vec::new(),
            stays: Stays::default(),
            held: UserStates::default(),
            progress: Progress::default(),
        }
    }

    /// The members, each with the role.
    pub(crate) fn members(&self) -> Vec<(UserId, Option<Arc<str>>)> {
        let users = self.users.iter().copied();
        users.zip(self.roles.iter().cloned()).collect()
    }

    /// The name of the group's own innermost step.
    pub(crate) fn step_name<'a>(&self, counts: &'a FunnelCounts) -> Option<&'a str> {
        let innermost = self.progress.steps.innermost();
        innermost.map(|node| counts.name_of(node))
    }
}
