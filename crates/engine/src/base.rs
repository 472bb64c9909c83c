//! What the code of all protocols works on: the connections of a worker, the level, and the queues for users and for other
//! protocols.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use model::{Fault, Nanos, UserId};
use script::host::{LogLevel, Wake};
use url::Url;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::dial::Dial;
use crate::inconsistency::Inconsistencies;
use crate::level_state::LevelState;
use crate::link::Link;
use crate::net::{Client, Conn, EndpointIndex, Net};
use crate::news::News;
use crate::owner::Owner;
use crate::people::add_missing;
use crate::socket::Sights;
use crate::sources::source_place;

/// The connections and the level of a worker, which [`World`](crate::world::World) lends to the protocols.
///
/// A protocol calls the protocols that it is built on. What it finds out for others, it puts into `news`, and what it finds
/// out for the script, into `wakes`. It never calls the code that is built on it.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) clock: Clock,
    pub(crate) config: Arc<RunConfig>,
    pub(crate) net: Net<Self>,
    pub(crate) sights: Sights,
    pub(crate) level: LevelState,
    pub(crate) wakes: VecDeque<Wake>,
    /// What the protocols have found out for each other and for users without a script. `react` passes it on.
    pub(crate) news: VecDeque<News>,
    pub(crate) logged: Vec<(LogLevel, String)>,
    /// The buffer in which frames of streams are encoded.
    pub(crate) frame: Vec<u8>,
    pub(crate) inconsistencies: Inconsistencies,
}

impl Client for Base {
    type Owner = Owner;
    type Link = Link;
    type Queued = Dial;
}

impl Base {
    /// Number of users on each connection, if the run uses HTTP/2.
    pub(crate) fn streams(&self) -> Option<u32> {
        self.config.program.streams()
    }

    /// The user whose connections carry the requests of `user`. Over HTTP/2, several users share the connections of the
    /// first of these users.
    pub(crate) fn owner_of(&self, user: UserId) -> UserId {
        self.streams()
            .map_or(user, |streams| self.level.users.first_of(user, streams))
    }

    /// Whether the user has no additional headers and no cookies.
    pub(crate) fn is_bare(&mut self, user: UserId) -> bool {
        let user = self.level.users.get(user);
        user.is_some_and(|user| {
            user.standing.headers.is_empty() && user.standing.cookies.is_unused()
        })
    }

    /// Adds the headers of the user and of the run. Headers of the request take precedence over those of the user,
    /// which take precedence over those of the run.
    pub(crate) fn add_standing_headers(
        &mut self,
        user: UserId,
        headers: &mut Vec<(String, String)>,
    ) {
        if let Some(user) = self.level.users.get(user) {
            add_missing(headers, &user.standing.headers);
        }
        add_missing(headers, &self.config.options.headers);
    }

    /// Time limit for opening a socket: the stated limit or, without one, the shorter of the limits for its connection
    /// and for the response to its handshake.
    pub(crate) fn opening_limit(&self, stated: Option<Nanos>) -> Nanos {
        let timeouts = &self.config.options.timeouts;
        stated.unwrap_or(timeouts.connect.min(timeouts.total))
    }

    /// The user's `Cookie` value for this URL.
    pub(crate) fn cookies_for(&mut self, user: UserId, url: &Url) -> Option<String> {
        self.level.users.get(user)?.standing.cookies.header_for(url)
    }

    /// Notes a contradiction in the engine's own state. It ends the run, because it makes the measurements wrong.
    pub(crate) fn inconsistent(&mut self, what: &'static str) {
        self.inconsistencies.note(what);
    }

    /// Reports what happened to the code that it concerns.
    pub(crate) fn tell(&mut self, news: News) {
        self.news.push_back(news);
    }

    /// Opens a connection now, or queues it.
    pub(crate) fn dial(&mut self, dial: Dial) {
        let limit = dial.limit();
        match self.net.queue.enter(dial) {
            Some(dial) => self.tell(News::Dial(dial)),
            None => self.net.watch_limit(limit),
        }
    }

    /// Adds a connection.
    pub(crate) fn admit(
        &mut self,
        owner: impl Into<Owner>,
        endpoint: EndpointIndex,
        link: Link,
    ) -> Result<u32, Fault> {
        let receipts = &mut self.level.recorder.monitoring.receipts;
        self.net
            .admit(Conn::new(owner.into(), endpoint, link), |stamped| {
                receipts.samples(stamped)
            })
    }

    /// Adds the new stream of a connection in the table to the epoll instance.
    pub(crate) fn attach(&mut self, key: u32) -> Result<(), Fault> {
        let receipts = &mut self.level.recorder.monitoring.receipts;
        self.net.attach(key, |stamped| receipts.samples(stamped))
    }

    /// Removes a connection.
    pub(crate) fn take_out(&mut self, key: u32) -> Option<Conn<Self>> {
        let conn = self.net.remove(key)?;
        // Connections that several users share do not show the responses of each.
        let responses = match &conn.link {
            Link::Http(http) => http.responses(),
            Link::Http2(http2) if self.streams() == Some(1) => http2.responses(),
            Link::Http2(_) | Link::Socket(_) | Link::Member(_) => 0,
        };
        let owner = conn.owner.user();
        if let Some(owner) = owner.and_then(|owner| self.level.users.get(owner)) {
            owner.responses.all += responses;
        }
        Some(conn)
    }

    /// The protocol on a connection.
    pub(crate) fn link(&mut self, key: u32) -> Option<&mut Link> {
        self.net.conns.get_mut(key).map(|conn| &mut conn.link)
    }

    /// Prints a line about a user if the run is traced. The line begins with the time since the level's start.
    pub(crate) fn trace(&mut self, user: UserId, line: impl FnOnce() -> String) {
        if !self.config.trace {
            return;
        }
        let at = (self.clock.now() - self.level.start).as_secs_f64();
        let user = self.level.users.get(user);
        let name = user.map_or("", |user| &*user.name);
        let line = format!("{at:8.3} s  {name}  {}", line());
        self.logged.push((LogLevel::Info, line));
    }

    /// The local address of a user's connections; `None`: the kernel chooses.
    pub(crate) fn source_of(&mut self, user: UserId) -> Option<IpAddr> {
        let number = self.level.users.get(user)?.number;
        self.source_of_number(number)
    }

    /// The local address of the connections of the user or member with this number.
    pub(crate) fn source_of_number(&self, number: u32) -> Option<IpAddr> {
        let place = source_place(&self.config, number)?;
        self.config.options.source.get(place).copied()
    }
}
