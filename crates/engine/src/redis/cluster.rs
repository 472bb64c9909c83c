//! Clusters of Redis servers: sends each command to the node of its key, and follows redirects. A cluster is a socket
//! without a connection of its own. The commands on it are those that wait for the connection to their node.

use model::{Fault, FaultKind, UserId};
use script::host::{CommandsCall, OpId, SocketId, Value, Wake};
use url::Url;
use wire::resp::{Login, Redirect, RedirectKind, Session, SlotMap};

use super::command::{Routed, carried_by, command_in};
use super::key::key_of;
use super::redirected::{Redirected, routed};
use super::server::address_in;
use super::{CONNECTION, Redis, redis_of, trace, words_of};
use crate::dial::Opener;
use crate::link::Link;
use crate::net::socket::Wire;
use crate::net::socket::redis::{Cluster, Own, RedisWire, Way};
use crate::socket::{Opening, Purpose, SocketLink, SocketState, Sockets, Waiting};

impl Redis<'_> {
    /// Opens a cluster: connects to its first node, and asks it for the node of each slot.
    pub(super) fn start_cluster(
        &mut self,
        user: UserId,
        (url, login): (&Url, Login),
        state: SocketState,
    ) -> Result<(), Fault> {
        let endpoint = self.base.net.connector.endpoint_of(url)?;
        let seed = address_in(url);
        if let Some(opening) = &state.opening {
            self.base.net.watch_limit(opening.until);
        }
        let wire = Wire::Redis(RedisWire::Cluster(Box::new(Cluster::new(
            login,
            seed.clone(),
        ))));
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.base.admit(user, endpoint, link)?;
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.push(key);
        }
        self.open_node(key, seed);
        Ok(())
    }

    fn open_node(&mut self, key: u32, address: String) {
        let limit = self.base.opening_limit(None);
        let now = self.base.clock.now();
        let Some((user, cluster, _)) = self.cluster(key) else {
            return self
                .base
                .inconsistent("a node of a cluster was opened that does not exist");
        };
        cluster.opens(address.clone());
        let login = cluster.login.clone();
        let endpoint = match Url::parse(&address) {
            Ok(url) => self.base.net.connector.endpoint_of(&url),
            Err(_) => Err(Fault::target(FaultKind::Protocol, "a node has no address")),
        };
        let endpoint = match endpoint {
            Ok(endpoint) => endpoint,
            Err(fault) => return self.node_is_over(key, &address, &fault),
        };
        let opening = Opening::new(None, now, now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: address,
            purpose: Purpose {
                kind: CONNECTION,
                serves: Some(key),
            },
            ..SocketState::default()
        };
        Sockets { base: self.base }.dial((user, endpoint), Opener::Redis(Box::new(login)), state);
    }

    /// Handles a connection to a node that is now open.
    pub(super) fn node_is_open(&mut self, key: u32, node: u32) {
        let Ok((_, socket)) = self.base.socket(SocketId(node)) else {
            return;
        };
        let address = socket.state.name.clone();
        let server = redis_of(socket).map(|redis| redis.server.clone());
        let Some((user, cluster, state)) = self.cluster(key) else {
            // The script has closed the cluster in the meantime.
            let closed = "the script closed the connection to the cluster";
            return self
                .base
                .drop_socket(node, &Fault::script(FaultKind::Closed, closed));
        };
        let is_first = state.opening.is_some();
        let queued = cluster.opened(&address, node);
        if is_first {
            cluster.server = server.unwrap_or_default();
            self.ask_for_slots(key, node);
        }
        for one in queued {
            if let Some(waiting) = self.take_queued(key, one.number) {
                self.send_routed((user, node), waiting, one.asks);
            }
        }
    }

    fn ask_for_slots(&mut self, key: u32, node: u32) {
        let mut scratch = std::mem::take(&mut self.base.net.encoded);
        let sent = self.base.socket(SocketId(node)).and_then(|(_, socket)| {
            let command: &[&[u8]] = &[b"CLUSTER", b"SLOTS"];
            redis_of(socket)?.send_own(&mut scratch, command, Own::Slots)
        });
        self.base.net.encoded = scratch;
        self.base.net.update_interest(node);
        if let Err(fault) = sent {
            self.cluster_failed(key, &fault);
        }
    }

    /// Handles the reply with the node of each slot, for which the opening of a cluster waits.
    pub(super) fn slots_arrived(&mut self, node: u32, slots: Result<SlotMap, Fault>) {
        let cluster = self
            .base
            .socket(SocketId(node))
            .map(|(_, socket)| socket.state.purpose.serves);
        let Ok(Some(key)) = cluster else {
            return self
                .base
                .inconsistent("a connection that belongs to no cluster was asked for slots");
        };
        let slots = match slots {
            Ok(slots) => slots,
            Err(fault) => return self.cluster_failed(key, &fault),
        };
        let Some((_, cluster, state)) = self.cluster(key) else {
            // The script has closed the cluster in the meantime.
            return;
        };
        cluster.knows(slots);
        let op = state.opening.take().and_then(|opening| opening.op);
        self.base.wakes.extend(op.map(|op| Wake::Done {
            op,
            result: Ok(Value::Socket(SocketId(key), None)),
        }));
    }

    /// Ends a cluster that cannot be used.
    fn cluster_failed(&mut self, key: u32, fault: &Fault) {
        if let Some((user, _, state)) = self.cluster(key) {
            let (what, opening) = (state.failing(), state.opening);
            self.base.count_socket_failure(user, &what, opening, fault);
            self.base.socket_broke(key, fault);
        }
    }

    /// Sends commands to the nodes of their keys.
    pub(super) fn start_routed(
        &mut self,
        op: OpId,
        id: SocketId,
        call: &CommandsCall,
    ) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let commands = words_of(call);
        commands
            .iter()
            .try_for_each(|words| Session::allows(words))?;
        let carried = Sockets { base: self.base }.send_with_stamps(id, call.planned, |_| Ok(()))?;
        for (mut waiting, words) in self.waiting_for(op, call, now).into_iter().zip(&commands) {
            waiting.carries = carried_by(words, &carried, commands.len());
            if let Some(command) = command_in(&mut waiting) {
                command.routed = Some(Box::new(Routed {
                    cluster: id.0,
                    words: words.iter().map(|word| word.to_vec()).collect(),
                    redirects: 0,
                }));
            }
            let Some((_, cluster, _)) = self.cluster(id.0) else {
                return self.base.socket(id).map(drop);
            };
            let address = cluster.node_for(key_of(words))?;
            self.submit(id.0, waiting, address, false);
        }
        Ok(())
    }

    /// Sends a command to a node, or queues it until the connection to the node is open.
    fn submit(&mut self, key: u32, mut waiting: Waiting, address: String, asks: bool) {
        let Some((user, cluster, state)) = self.cluster(key) else {
            return self
                .base
                .inconsistent("a command was sent to a cluster that does not exist");
        };
        let way = cluster.way_to(&address);
        if let Way::Open(node) = way {
            return self.send_routed((user, node), waiting, asks);
        }
        let number = cluster.number();
        cluster.queue(number, address.clone(), asks);
        if let Some(command) = command_in(&mut waiting) {
            command.token = number;
        }
        let until = waiting.until;
        state.waiting.push_back(waiting);
        self.base.net.watch_limit(until);
        if way == Way::None {
            self.open_node(key, address);
        }
    }

    fn send_routed(&mut self, (user, node): (UserId, u32), mut waiting: Waiting, asks: bool) {
        let traces = self.base.config.trace;
        let mut scratch = std::mem::take(&mut self.base.net.encoded);
        let sent = self.base.socket(SocketId(node)).and_then(|(_, socket)| {
            let redis = redis_of(socket)?;
            let words = routed(&mut waiting).map_or(&[][..], |routed| &routed.words);
            let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            let token = redis.send_asking(&mut scratch, &words, asks)?;
            let line = traces.then(|| trace::command(&words));
            Ok((token, line))
        });
        self.base.net.encoded = scratch;
        match sent {
            Ok((token, line)) => {
                if let Some(command) = command_in(&mut waiting) {
                    command.token = token;
                }
                let until = waiting.until;
                if let Ok((_, socket)) = self.base.socket(SocketId(node)) {
                    socket.state.waiting.push_back(waiting);
                }
                self.base.net.watch_limit(until);
                self.base.net.update_interest(node);
                if let Some(line) = line {
                    self.base.trace(user, || line);
                }
            }
            Err(fault) => self.fail_command(user, &waiting, &fault),
        }
    }

    /// Sends a redirected command to the other node.
    pub(super) fn follow_redirect(&mut self, node: u32, redirected: Redirected) {
        let Redirected {
            mut waiting,
            kind,
            slot,
            host,
            port,
        } = redirected;
        let Some(routed) = routed(&mut waiting) else {
            return self
                .base
                .inconsistent("a command was redirected that belongs to no cluster");
        };
        routed.redirects += 1;
        let key = routed.cluster;
        let Ok((user, socket)) = self.base.socket(SocketId(node)) else {
            return self
                .base
                .inconsistent("a command was redirected by a node that does not exist");
        };
        let from = socket.state.name.clone();
        let redirect = Redirect {
            kind,
            slot,
            host: &host,
            port,
        };
        let address = match self.cluster(key) {
            Some((_, cluster, _)) => cluster.redirected(&redirect, &from),
            None => Err(Fault::script(FaultKind::Closed, "the cluster is closed")),
        };
        match address {
            Ok(address) => self.submit(key, waiting, address, kind == RedirectKind::Ask),
            Err(fault) => self.fail_command(user, &waiting, &fault),
        }
    }

    /// Handles the end of a connection to a node: fails the commands that wait for it.
    pub(super) fn node_is_over(&mut self, key: u32, address: &str, fault: &Fault) {
        let Some((user, cluster, state)) = self.cluster(key) else {
            // The script has closed the cluster in the meantime.
            return;
        };
        let queued = cluster.lost(address);
        if state.opening.is_some() {
            return self.base.socket_broke(key, fault);
        }
        for one in queued {
            if let Some(waiting) = self.take_queued(key, one.number) {
                self.fail_command(user, &waiting, fault);
            }
        }
    }

    /// Takes a command that waits for the connection to its node. `None` if its time limit has passed.
    fn take_queued(&mut self, key: u32, number: u64) -> Option<Waiting> {
        let (_, _, state) = self.cluster(key)?;
        let its =
            |waiting: &mut Waiting| command_in(waiting).is_some_and(|its| its.token == number);
        let at = state.waiting.iter_mut().position(its)?;
        state.waiting.remove(at)
    }

    fn fail_command(&mut self, user: UserId, waiting: &Waiting, fault: &Fault) {
        let now = self.base.clock.now();
        self.base.fail_waiting(user, waiting, fault.clone(), now);
    }
}
