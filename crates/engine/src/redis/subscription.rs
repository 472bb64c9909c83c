//! Subscriptions on the connections of users to Redis servers. Each is a socket without a connection of its own: its
//! messages arrive on that of another socket.

use delivery::Leaving;
use model::{Fault, FaultKind, Nanos};
use script::host::{Message, OpId, SocketId, SubscribeCall, SubscriptionKind, Value, Wake};
use wire::resp::Items;

use super::aftermath::Aftermath;
use super::command::Command;
use super::published::{Published, source_kind};
use super::{Redis, SUBSCRIPTION, redis_of, trace};
use crate::link::Link;
use crate::net::socket::Wire;
use crate::net::socket::redis::{Change, RedisWire, SourceKind, Subscription, Subscriptions};
use crate::news::News;
use crate::recorder::Family;
use crate::socket::{Came, Over, Own, RoundTrip, SocketLink, SocketState, Sockets, Wanted};

impl Redis<'_> {
    pub(crate) fn start_subscription(
        &mut self,
        op: OpId,
        id: SocketId,
        call: SubscribeCall,
    ) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let id = self.subscribing_on(id, call.kind)?;
        let (user, socket) = self.base.socket(id)?;
        let name = socket.state.name.clone();
        redis_of(socket)?;
        let kind = source_kind(call.kind);
        let wire = Wire::Redis(RedisWire::Subscription(Box::new(Subscription {
            connection: id.0,
            kind,
            names: call.names.clone(),
            is_ending: false,
        })));
        let state = SocketState {
            name,
            purpose: SUBSCRIPTION.into(),
            ..SocketState::default()
        };
        let endpoint = self.base.endpoint_of(id)?;
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.base.admit(user, endpoint, link)?;
        let change = Change {
            subscription: key,
            kind,
            names: call.names,
            ends: false,
        };
        let token = match self.change_subscription(id.0, kind.subscribe(), change) {
            Ok(token) => token,
            Err(fault) => {
                self.base.take_out(key);
                return Err(fault);
            }
        };
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.push(key);
        }
        let round_trip = RoundTrip {
            name: self
                .base
                .level
                .recorder
                .name(Family::RoundTrip, kind.subscribe()),
            planned: call.planned.unwrap_or(now),
            started: now,
        };
        let wanted = Wanted::Own(Own::Redis(Command {
            token,
            ..Command::default()
        }));
        Sockets { base: self.base }.wait_for(op, id, wanted, call.timeout, Some(round_trip))
    }

    /// The connection for a subscription. In a cluster, every node passes all published messages on, except those of
    /// shards.
    fn subscribing_on(&mut self, id: SocketId, kind: SubscriptionKind) -> Result<SocketId, Fault> {
        let Some((_, cluster, _)) = self.cluster(id.0) else {
            return Ok(id);
        };
        if kind == SubscriptionKind::Shard {
            let detail = "a cluster's connections cannot subscribe to shards: connect to the node of the channel with \
                          `user.redis({ url })`";
            return Err(Fault::script(FaultKind::Thrown, detail));
        }
        let node = cluster.keys().next();
        let closed = || Fault::target(FaultKind::Closed, "no node of the cluster is connected");
        node.map(SocketId).ok_or_else(closed)
    }

    /// Sends the command that begins or ends a subscription. Returns its token.
    fn change_subscription(
        &mut self,
        key: u32,
        command: &'static str,
        change: Change,
    ) -> Result<u64, Fault> {
        let mut scratch = std::mem::take(&mut self.base.net.encoded);
        let (user, socket) = self.base.socket(SocketId(key))?;
        let redis = redis_of(socket)?;
        let names = change.names.clone();
        if !change.ends {
            redis
                .subscriptions
                .add(change.subscription, change.kind, &names);
        }
        let sent = redis.change(&mut scratch, command, change);
        self.base.net.encoded = scratch;
        self.base.net.update_interest(key);
        let words = || std::iter::once(command.as_bytes()).chain(names.iter().map(Vec::as_slice));
        self.base
            .trace(user, || trace::command(&words().collect::<Vec<_>>()));
        sent
    }

    /// Ends a subscription for the script. Its promise settles when the server has confirmed the end.
    pub(crate) fn end_subscription(&mut self, op: OpId, id: SocketId) {
        if self.ask_to_unsubscribe(id.0).is_ok() {
            return Sockets { base: self.base }.say_goodbye(id.0, Some(op), Leaving::Left);
        }
        // The subscription has ended already, or its connection is broken and ends it.
        self.base.wakes.push_back(Wake::Done {
            op,
            result: Ok(Value::Nothing),
        });
    }

    /// Asks the server to end the names that no other subscription follows.
    fn ask_to_unsubscribe(&mut self, key: u32) -> Result<(), Fault> {
        let (_, socket) = self.base.socket(SocketId(key))?;
        let Wire::Redis(RedisWire::Subscription(subscription)) = &socket.wire else {
            let detail = "this socket is no Redis subscription";
            return Err(Fault::script(FaultKind::Thrown, detail));
        };
        let (connection, kind) = (subscription.connection, subscription.kind);
        let names = subscription.names.clone();
        let (_, socket) = self.base.socket(SocketId(connection))?;
        let names = redis_of(socket)?.subscriptions.leave(key, kind, &names);
        if names.is_empty() {
            return Ok(());
        }
        let change = Change {
            subscription: key,
            kind,
            names,
            ends: true,
        };
        self.change_subscription(connection, kind.unsubscribe(), change)?;
        if let Ok((
            _,
            SocketLink {
                wire: Wire::Redis(RedisWire::Subscription(subscription)),
                ..
            },
        )) = self.base.socket(SocketId(key))
        {
            subscription.is_ending = true;
        }
        Ok(())
    }

    /// Handles the confirmation of a command that began or ended a subscription.
    pub(super) fn redis_confirmed(
        &mut self,
        (key, token): (u32, u64),
        change: &Change,
        left: &mut Aftermath,
        now: Nanos,
    ) {
        if change.ends {
            return left.over.push(change.subscription);
        }
        let Some((_, waiting)) = self.take_command(key, token, now) else {
            return left.too_late.push(change.subscription);
        };
        self.count_reply(key, &waiting, now);
        self.base.wakes.push_back(Wake::Done {
            op: waiting.op,
            result: Ok(Value::Socket(SocketId(change.subscription), None)),
        });
    }

    /// Passes a published message to the subscriptions that follow its channel.
    pub(super) fn redis_pushed(
        &mut self,
        key: u32,
        (push, items): (&str, Items<'_>),
        (subscriptions, left): (&Subscriptions, &mut Aftermath),
        now: Nanos,
    ) {
        if let Some(kind) = SourceKind::of_end(push) {
            let name = items.values().next().and_then(|name| name.bytes());
            if let Some(name) = name.filter(|name| !subscriptions.expects_end(kind, name)) {
                left.lost.extend(subscriptions.followers(kind, name));
            }
            return;
        }
        // Other pushes, such as the invalidation of a cached key, have no consumer.
        let Some(kind) = SourceKind::of_message(push) else {
            return;
        };
        let published = match Published::of(kind, items) {
            Ok(published) => published,
            Err(fault) => {
                left.malformed = Some(fault);
                return;
            }
        };
        let followers = subscriptions.followers(kind, published.source);
        if followers.len() == 0 {
            self.count_unasked(key);
        }
        for subscription in followers {
            self.trace_message(subscription, &published);
            if let Some((_, mut arrival, _)) = self.base.arrival(subscription, now) {
                let came = Came::message(published.payload);
                arrival.offer(came, || Message::Redis(published.to_message()));
            }
        }
    }

    fn trace_message(&mut self, subscription: u32, published: &Published<'_>) {
        if self.base.config.trace
            && let Ok((user, _)) = self.base.socket(SocketId(subscription))
        {
            let channel = String::from_utf8_lossy(published.channel);
            self.base
                .trace(user, || trace::message_on(&channel, published.payload));
        }
    }

    /// Counts a message of a channel that nobody has subscribed to.
    fn count_unasked(&mut self, key: u32) {
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            return self
                .base
                .inconsistent("a Redis connection that is not in the table received a message");
        };
        let what = socket.state.failing();
        let detail = "the server sent a message of a channel without a subscription";
        let fault = Fault::target(FaultKind::Protocol, detail);
        self.base.count_socket_failure(user, &what, None, &fault);
    }

    /// Ends subscriptions, after the bytes that ended them have been handled.
    pub(super) fn settle_subscriptions(&mut self, left: Aftermath) {
        let closed = || Fault::script(FaultKind::Closed, "the script ended the subscription");
        for key in left.over.into_iter().chain(left.refused) {
            self.base.drop_socket(key, &closed());
        }
        for key in left.too_late {
            // Nobody has this subscription, because the script's call has timed out.
            if self.ask_to_unsubscribe(key).is_ok() {
                Sockets { base: self.base }.say_goodbye(key, None, Leaving::Left);
            }
        }
        for key in left.lost {
            let fault = Fault::target(FaultKind::Closed, "the server ended the subscription");
            if let Ok((user, socket)) = self.base.socket(SocketId(key)) {
                let what = socket.state.failing();
                self.base.count_socket_failure(user, &what, None, &fault);
                self.base.socket_broke(key, &fault);
            }
        }
    }

    /// Ends what belongs to a socket that is gone: the subscriptions of a connection, the connections of a cluster, or what
    /// a connection or a cluster knows about the socket.
    pub(super) fn end_what_belongs_to(&mut self, over: &Over) {
        let (state, fault) = (&over.link.state, &over.fault);
        match &over.link.wire {
            Wire::Redis(RedisWire::Connection(redis)) => {
                let Some(redis) = redis.get() else {
                    return self
                        .base
                        .inconsistent("a Redis connection ended while its replies were handled");
                };
                for subscription in redis.subscriptions.keys() {
                    if over.expected {
                        self.base.drop_socket(subscription, fault);
                    } else {
                        self.base.socket_broke(subscription, fault);
                    }
                }
                if let Some(cluster) = state.purpose.serves {
                    self.base.tell(News::HelperLost {
                        of: cluster,
                        name: state.name.clone(),
                        fault: fault.clone(),
                    });
                }
            }
            Wire::Redis(RedisWire::Cluster(cluster)) => {
                for node in cluster.keys() {
                    self.base.drop_socket(node, fault);
                }
            }
            Wire::Redis(RedisWire::Subscription(subscription)) => {
                let Subscription {
                    connection,
                    kind,
                    names,
                    ..
                } = &**subscription;
                if let Some(redis) = self.redis(*connection) {
                    redis.subscriptions.remove(over.key, *kind, names);
                }
            }
            _ => {}
        }
    }
}
