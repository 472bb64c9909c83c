use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use serde_json::json;

use super::EventLoop;
use crate::alarm::Alarm;
use crate::clock::{Nanos, now};
use crate::connection::{Fate, Pace, Request, State, Upgrade, What};
use crate::counts::Counts;
use crate::http::{Answer, BadHead, read_head, write_head};
use crate::route::Reaction;
use crate::sockets::Key;
use crate::workers::Crew;

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The body of successful responses without specific content.
pub(super) const FINE: &[u8] = b"{\"ok\":true}\n";

impl EventLoop {
    /// Parses the head of a request if it is complete. Returns whether parsing should continue.
    pub(super) fn head(&mut self, key: Key, now: Nanos) -> bool {
        let Some(connection) = self.sockets.get(key) else {
            return false;
        };
        if connection.input.is_empty() {
            return false;
        }
        let input = std::mem::take(&mut connection.input);
        let head = match read_head(&input) {
            Ok(Some(head)) => head,
            Ok(None) => {
                connection.input = input;
                return false;
            }
            Err(bad) => {
                self.ledger.requests += 1;
                self.refuse(key, bad);
                return false;
            }
        };
        self.ledger.requests += 1;
        let rest = input[head.length..].to_vec();
        if let Some(websocket_key) = head.websocket_key {
            connection.input = rest;
            self.upgrade(key, head.target, websocket_key, now);
            return true;
        }
        let request = Request {
            what: self.understand(head.method, head.target, head.body),
            keep_alive: head.keep_alive,
            read_at: now,
            received_at: now,
        };
        let rate = match request.what {
            What::Order(route) => self.routes.get(route).and_then(|route| route.read_rate()),
            _ => None,
        };
        let pace = rate
            .filter(|_| head.body > 0)
            .map(|rate| self.slow_down(key, rate, now));
        let Some(connection) = self.sockets.get(key) else {
            return false;
        };
        connection.input = rest;
        let left = head.body;
        connection.state = State::Body {
            request,
            left,
            pace,
        };
        if head.expects_continue {
            connection
                .output
                .extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
            self.sockets.touch(key);
        }
        true
    }

    fn understand(&mut self, method: &str, target: &str, body: u64) -> What {
        if !METHODS.contains(&method) {
            return What::Refused(405, format!("method `{method}` is not supported"));
        }
        if body > self.limits.max_body {
            return What::Refused(
                413,
                format!("the body is larger than {} bytes", self.limits.max_body),
            );
        }
        match (method, target) {
            ("DELETE", "/truth") => What::Forget,
            (_, "/truth") => What::Tell,
            (_, "/healthz") => What::Health,
            _ if target == "/echo" || target.starts_with("/room/") => {
                What::Refused(426, "this path requires a WebSocket upgrade".to_owned())
            }
            _ => match self.routes.find(target) {
                Ok(route) if method == "DELETE" => What::Restart(route),
                Ok(route) => What::Order(route),
                Err((status, words)) => What::Refused(status, words),
            },
        }
    }

    /// Continues to read a body. Returns whether the request is complete.
    pub(super) fn body(&mut self, key: Key, now: Nanos) -> bool {
        let Some(connection) = self.sockets.get(key) else {
            return false;
        };
        let State::Body { left, pace, .. } = &mut connection.state else {
            return false;
        };
        let mut read = (*left).min(connection.input.len() as u64);
        if let Some(pace) = pace {
            read = read.min(pace.due(now));
            pace.moved += read;
        }
        *left -= read;
        connection.input.drain(..usize::try_from(read).unwrap_or(0));
        if *left > 0 {
            return false;
        }
        let State::Body { mut request, .. } = std::mem::replace(&mut connection.state, State::Head)
        else {
            return false;
        };
        connection.paced = false;
        request.read_at = now;
        request.received_at = connection.received.take().unwrap_or(now).min(now);
        self.serve(key, request);
        true
    }

    /// Handles a request that has been read completely.
    fn serve(&mut self, key: Key, request: Request) {
        let text = match &request.what {
            What::Order(route) => {
                let route = *route;
                return self.obey(key, request, route);
            }
            What::Restart(route) => {
                if let Some(route) = self.routes.get(*route) {
                    route.restart();
                }
                FINE.to_vec()
            }
            What::Tell => self.tell().to_string().into_bytes(),
            What::Forget => {
                self.forget();
                FINE.to_vec()
            }
            What::Health => FINE.to_vec(),
            What::Refused(status, words) => {
                self.ledger.refused += 1;
                let (status, words) = (*status, json!({ "error": words }).to_string());
                return self.reply(key, request.keep_alive, status, None, words.as_bytes());
            }
        };
        self.reply(key, request.keep_alive, 200, None, &text);
    }

    /// Executes the action that the request's path specifies.
    fn obey(&mut self, key: Key, request: Request, route: usize) {
        let (received, read_at) = (request.received_at, request.read_at);
        let Some(reaction) = self
            .routes
            .get(route)
            .map(|route| route.receive(received, read_at))
        else {
            return;
        };
        match reaction {
            Reaction::Answer { at, status } if at <= read_at => self.answer(key, &request, status),
            Reaction::Answer { at, status } => {
                self.hold(key, request, status);
                self.timers.set(at + self.lie, Alarm::Answer(key));
            }
            Reaction::TooMany { retry_after } => {
                self.written(&request, 429);
                let words = b"{\"error\":\"too many requests\"}\n";
                self.reply(key, request.keep_alive, 429, Some(retry_after), words);
            }
            Reaction::Reset => {
                if let Some(connection) = self.sockets.get(key) {
                    // With a linger time of zero, closing resets the connection.
                    let _ = set_socket_linger(&connection.socket, Some(Duration::ZERO));
                }
                self.end(key, &request, |counts| counts.reset += 1);
            }
            Reaction::Close => self.end(key, &request, |counts| counts.closed += 1),
            Reaction::Hang => {
                if let Some(connection) = self.sockets.get(key) {
                    connection.state = State::Silent;
                }
                if let Some(counts) = self.counts(&request) {
                    counts.hanging += 1;
                }
            }
            Reaction::Trickle { rate, size } => self.begin_trickle(key, request, rate, size),
            Reaction::Leak(bytes) => self.leak(key, &request, bytes),
            Reaction::Work(crew, time) => self.work(key, request, crew, time),
            Reaction::Split => self.split(key, &request),
            Reaction::Upstream { connections, at } => {
                self.open_upstream(connections);
                self.hold(key, request, 200);
                self.timers.set(at + self.lie, Alarm::Answer(key));
            }
            Reaction::Sessions(more) => {
                self.sessions += more;
                self.answer(key, &request, 200);
            }
            Reaction::PauseAccept(until) => {
                self.pause_accepting(until);
                self.answer(key, &request, 200);
            }
        }
    }

    fn begin_trickle(&mut self, key: Key, request: Request, rate: u64, size: u64) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        let answer = Answer {
            status: 200,
            keep_alive: request.keep_alive,
            retry_after: None,
        };
        write_head(&mut connection.output, answer, size);
        let begin = request.read_at;
        connection.state = State::Trickle {
            request,
            left: size,
            pace: Pace::new(rate, begin),
        };
        self.sockets.touch(key);
        self.timers.set(begin, Alarm::Pace(key));
    }

    fn leak(&mut self, key: Key, request: &Request, bytes: u64) {
        if !self.rooms.leak.keep(bytes) {
            return self.answer(key, request, 507);
        }
        if let Some(counts) = self.counts(request) {
            counts.leaked_bytes += bytes;
        }
        self.answer(key, request, 200);
    }

    /// Gives the work to a thread. The response follows when it is done.
    fn work(&mut self, key: Key, request: Request, crew: Crew, time: Nanos) {
        if self.workers.give(crew, key, time) {
            self.hold(key, request, 200);
        } else {
            self.answer(key, &request, 503);
        }
    }

    fn hold(&mut self, key: Key, request: Request, status: u16) {
        if let Some(connection) = self.sockets.get(key) {
            connection.state = State::Held { request, status };
        }
    }

    /// Changes the status of a held response.
    pub(super) fn change_held(&mut self, key: Key, new: u16) {
        if let Some(connection) = self.sockets.get(key)
            && let State::Held { status, .. } = &mut connection.state
        {
            *status = new;
        }
    }

    /// Sends a held response now.
    pub(super) fn answer_held(&mut self, key: Key) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        match std::mem::replace(&mut connection.state, State::Head) {
            State::Held { request, status } => {
                self.answer(key, &request, status);
                self.advance(key, now());
            }
            State::Joining(upgrade) => self.join(key, &upgrade),
            other => connection.state = other,
        }
    }

    pub(super) fn answer(&mut self, key: Key, request: &Request, status: u16) {
        self.written(request, status);
        self.reply(key, request.keep_alive, status, None, FINE);
    }

    pub(super) fn written(&mut self, request: &Request, status: u16) {
        let time = now() - request.received_at;
        if let Some(counts) = self.counts(request) {
            counts.answered(status, time);
        }
    }

    pub(super) fn counts(&mut self, request: &Request) -> Option<&mut Counts> {
        match request.what {
            What::Order(route) => self.routes.get(route).map(|route| &mut route.counts),
            _ => None,
        }
    }

    fn end(&mut self, key: Key, request: &Request, count: impl FnOnce(&mut Counts)) {
        if let Some(counts) = self.counts(request) {
            count(counts);
        }
        self.close(key);
    }

    fn refuse(&mut self, key: Key, bad: BadHead) {
        self.ledger.refused += 1;
        self.reply(
            key,
            false,
            bad.status(),
            None,
            b"{\"error\":\"bad request\"}\n",
        );
    }

    /// Writes a response at once. At the end of the round it would be late, because other connections are handled
    /// first.
    pub(super) fn reply(
        &mut self,
        key: Key,
        keep_alive: bool,
        status: u16,
        retry_after: Option<u64>,
        body: &[u8],
    ) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        let keep_alive = keep_alive && connection.fate == Fate::Open;
        let answer = Answer {
            status,
            keep_alive,
            retry_after,
        };
        write_head(&mut connection.output, answer, body.len() as u64);
        connection.output.extend_from_slice(body);
        if !keep_alive {
            connection.fate = Fate::Ending;
        }
        connection.state = State::Head;
        if !self.sockets.flush(key) {
            self.close(key);
        }
    }

    /// Finds the room of a WebSocket upgrade, and accepts it when the room does.
    fn upgrade(&mut self, key: Key, target: &str, websocket_key: &str, now: Nanos) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let is_echo = path == "/echo";
        let found = if is_echo {
            // All echo clients with the same configuration share one room, in which each receives only its own
            // messages.
            self.rooms.find(target, query, true)
        } else if path
            .strip_prefix("/room/")
            .is_some_and(|name| !name.is_empty())
        {
            self.rooms.find(path, query, false)
        } else {
            Err((404, format!("unknown WebSocket path `{path}`")))
        };
        let room = match found {
            Ok(room) => room,
            Err((status, words)) => {
                self.ledger.refused += 1;
                let words = json!({ "error": words }).to_string();
                return self.reply(key, false, status, None, words.as_bytes());
            }
        };
        let upgrade = Upgrade {
            room,
            target: target.to_owned(),
            websocket_key: websocket_key.to_owned(),
        };
        match self.rooms.get(room).and_then(|room| room.waits_until(now)) {
            None => self.join(key, &upgrade),
            Some(at) => {
                if let Some(connection) = self.sockets.get(key) {
                    connection.state = State::Joining(Box::new(upgrade));
                }
                self.timers.set(at, Alarm::Answer(key));
            }
        }
    }
}
