mod channel;
mod events;
mod nats;
mod redis;
mod responses;
mod socketio;
mod stream;

use delivery::Audience as Listeners;
use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use script::host::{
    Audience, ChannelId, Checked, CountedRequest, Host, HttpCall, LogLevel, MetricKind, NextCall,
    OpId, Payload, Reply, RoundTripCall, SocketCall, SocketId, StampPlace, TickerId, Value, Wake,
};

use crate::audience::{channel_of, find_channel, stamp_for};
use crate::http::Requests;
use crate::level_state::level_over;
use crate::people::User;
use crate::socket::{Channels, Sockets};
use crate::tickers::start_ticker;
use crate::timers::Sleep;
use crate::world::World;
use channel::channel_index;

/// Maximum number of console lines of the script that may wait for control.
const LOG_LIMIT: usize = 1000;

/// The name under which failures of users of a pool are counted.
const POOL_USER: &str = "user of the pool";

fn too_many_sleeps() -> Fault {
    let detail = "too many sleeps at once on one worker (limit 1,048,576): use more workers";
    Fault::generator(FaultKind::Resources, detail)
}

impl Host for World {
    fn now(&self) -> Nanos {
        self.base.clock.now()
    }

    fn run_tag(&self) -> &str {
        &self.base.config.run.tag
    }

    fn is_active(&self) -> bool {
        self.base.clock.now() < self.base.level.recorder.hold.end
    }

    fn random(&mut self, user: UserId) -> f64 {
        self.base.level.users.get(user).map_or(0.0, User::fraction)
    }

    fn new_user(&mut self, group: GroupId, pool: u32) -> UserId {
        let slot = self
            .base
            .level
            .group_slots
            .get(&group)
            .copied()
            .unwrap_or(0);
        let number = u32::try_from(self.base.level.users.len()).unwrap_or(u32::MAX);
        let seed = self.base.config.seed_of(u32::MAX, number);
        let member = self.base.level.groups.get(slot).map_or(0, |group| {
            u32::try_from(group.users.len()).unwrap_or(u32::MAX)
        });
        let mut user = User::new(format!("setup{number}"), slot, member, seed);
        // The first member runs `setup`, so numbers begin with the second. A pool user thus has the same source address
        // as the user of a level who takes over its data.
        user.number = member.saturating_sub(1);
        let id = self.base.level.users.add(user);
        if let Some(group) = self.base.level.groups.get_mut(slot) {
            group.users.push(id);
        }
        self.pools.begin_user(id, pool, self.base.clock.now());
        id
    }

    fn set_header(&mut self, user: UserId, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let user = self.base.level.users.get(user).ok_or_else(level_over)?;
        user.standing
            .headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        user.standing
            .headers
            .extend(value.map(|value| (name.to_owned(), value.to_owned())));
        Ok(())
    }

    fn set_tag(&mut self, user: UserId, key: &str, value: Option<&str>) -> Result<(), Fault> {
        let user = self.base.level.users.get(user).ok_or_else(level_over)?;
        user.standing.tags.retain(|(known, _)| known != key);
        user.standing
            .tags
            .extend(value.map(|value| (key.to_owned(), value.to_owned())));
        Ok(())
    }

    fn cookie(&mut self, user: UserId, name: &str) -> Option<String> {
        let header = self
            .base
            .level
            .users
            .get(user)?
            .standing
            .cookies
            .header_for(self.base.net.connector.target())?;
        header.split("; ").find_map(|pair| {
            pair.strip_prefix(name)?
                .strip_prefix('=')
                .map(str::to_owned)
        })
    }

    fn pool_user(&mut self, user: UserId, data: String) {
        self.pools.add_user(user, data, self.base.clock.now());
    }

    fn pool_failed(&mut self, user: UserId, fault: &Fault) {
        self.pools.fail_user(user);
        self.base
            .level
            .fail(user, POOL_USER, self.base.clock.now(), fault);
    }

    fn pool_begin(&mut self, count: u32, at_once: u32) -> u32 {
        self.pools.begin(count, at_once, self.base.clock.now())
    }

    fn pool_end(&mut self, pool: u32) {
        self.pools.end(pool, self.base.clock.now());
    }

    fn http(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault> {
        self.lend(|base| Requests { base }.start(op, user, call))
    }

    fn fail_request(&mut self, request: CountedRequest, reply: &Reply, reason: &str) {
        Requests {
            base: &mut self.base,
        }
        .fail_by_content(request, reply, reason);
    }

    fn open_socket(&mut self, op: OpId, user: UserId, call: SocketCall) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.start(op, user, call, None))
    }

    fn send(
        &mut self,
        socket: SocketId,
        payload: Payload,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.send(socket, &payload, planned))
            .map(drop)
    }

    fn round_trip(&mut self, op: OpId, socket: SocketId, call: RoundTripCall) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.start_round_trip(op, socket, call))
    }

    fn next_message(&mut self, op: OpId, socket: SocketId, call: NextCall) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.await_message(op, socket, call))
    }

    fn listen(&mut self, socket: SocketId, on: bool) {
        self.lend(|base| Sockets { base }.set_listening(socket, on));
    }

    fn ping(&mut self, op: OpId, socket: SocketId) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.start_ping(op, socket))
    }

    fn close_socket(
        &mut self,
        op: OpId,
        socket: SocketId,
        code: u16,
        reason: &str,
    ) -> Result<(), Fault> {
        self.lend(|base| Sockets { base }.close_for_script(op, socket, code, reason));
        Ok(())
    }

    fn sleep(&mut self, op: OpId, user: UserId, span: Nanos) {
        let epoch = self.base.level.users.get(user).map_or(0, |user| user.epoch);
        let until = self.base.clock.now() + span;
        if !self
            .base
            .level
            .timers
            .sleep(Sleep { op, user, epoch }, until)
        {
            // Without a timer, the script would wait forever.
            self.base.wakes.push_back(Wake::Done {
                op,
                result: Err(too_many_sleeps()),
            });
        }
    }

    fn stay(&mut self, op: OpId, user: UserId) {
        let now = self.base.clock.now();
        if !self.base.level.stay(op, user, now) {
            self.base.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Nothing),
            });
        }
    }

    fn every(&mut self, user: UserId, period: Nanos, first: Option<Nanos>) -> TickerId {
        let now = self.base.clock.now();
        start_ticker(&mut self.base.level, user, (period, first), now)
    }

    fn stop_ticker(&mut self, ticker: TickerId) {
        self.base.level.timers.tickers.remove(ticker.0);
    }

    fn channel(
        &mut self,
        group: GroupId,
        name: &str,
        audience: Audience,
        deadline: Option<Nanos>,
    ) -> Result<ChannelId, Fault> {
        let deadline = deadline.unwrap_or(self.base.config.options.deadline);
        let audience = match audience {
            Audience::Others => Listeners::Others,
            Audience::Everyone => Listeners::Everyone,
            Audience::Users(users) => Listeners::Members(self.base.level.members(&users)),
            Audience::Passive(audience) => {
                return find_channel(self.base.config.audiences(), audience, name);
            }
        };
        let tally = self.base.level.recorder.tally(name);
        let group = self.base.level.group_by_id(group).ok_or_else(level_over)?;
        if let Some((_, known)) = group.channels.iter().find(|(known, _)| known == name) {
            return Ok(ChannelId(known.0.into()));
        }
        let index = group.ledger.add_channel(tally, audience, deadline);
        group.channels.push((name.to_owned(), index));
        Ok(ChannelId(index.0.into()))
    }

    fn stamp(
        &mut self,
        user: UserId,
        channel: ChannelId,
        planned: Option<Nanos>,
    ) -> Result<String, Fault> {
        let now = self.base.clock.now();
        if let Some(number) = channel_of(channel) {
            return stamp_for(&mut self.base.level, user, number, planned.unwrap_or(now));
        }
        let (group, member, recorder) = self.base.level.group_of(user).ok_or_else(level_over)?;
        let channel = channel_index(group, channel)?;
        let made = planned.unwrap_or(now);
        recorder.note_stamp(group.ledger.tally_of(channel), made);
        let stamp = group
            .ledger
            .stamp(channel, member, made, &mut recorder.tallies);
        Ok(stamp.encode())
    }

    fn receives(
        &mut self,
        socket: SocketId,
        channel: ChannelId,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        let (user, _) = self.base.socket(socket)?;
        let (group, ..) = self.base.level.group_of(user).ok_or_else(level_over)?;
        let channel = channel_index(group, channel)?;
        self.lend(|base| Channels { base }.start(socket, channel, place))
    }

    fn stop_receiving(&mut self, socket: SocketId, receiving: u32) {
        self.lend(|base| Channels { base }.end(socket, receiving));
    }

    fn last(&mut self, socket: SocketId, channel: ChannelId) -> Option<String> {
        self.lend(|base| Channels { base }.last(socket, channel))
    }

    fn user_state(&mut self, user: UserId, name: &str, text: &str) {
        if let Some((group, member, _)) = self.base.level.group_of(user) {
            group.held.say(name, member, text);
        }
    }

    fn step_name(&mut self, name: &str, eventually: bool) -> u32 {
        self.steps.names.number(name, eventually)
    }

    fn step_begin(&mut self, group: GroupId, user: Option<UserId>, name: u32) -> u64 {
        let now = self.base.clock.now();
        self.steps
            .begin(&mut self.base.level, (group, user), name, now)
    }

    fn step_end(&mut self, group: GroupId, user: Option<UserId>, step: u64, fault: Option<&Fault>) {
        let now = self.base.clock.now();
        self.base.level.end_step((group, user), step, fault, now);
    }

    fn concurrent(&mut self, group: GroupId, on: bool) {
        self.base.level.go_apart(group, on);
    }

    fn wants_place(&self, check: &str) -> bool {
        let recorder = &self.base.level.recorder;
        recorder.is_first_failed_check(check, self.base.clock.now())
    }

    fn check(&mut self, group: GroupId, name: &str, result: Checked) {
        let now = self.base.clock.now();
        let passed = result == Checked::Passed;
        let measured = self.base.level.recorder.check(name, passed, now);
        let Checked::Failed { user, place } = result else {
            return;
        };
        let fault = Fault::target(FaultKind::Check, format!("check `{name}` failed"));
        self.base
            .level
            .flaw((Some(group), user), &fault, (name, None), now);
        if measured {
            self.base.level.fail_at(place, (user, name), now, &fault);
        }
    }

    fn metric(&mut self, kind: MetricKind, name: &str, value: f64) {
        let now = self.base.clock.now();
        let kind = match kind {
            MetricKind::Counter => record::MetricKind::Counter,
            MetricKind::Gauge => record::MetricKind::Gauge,
            MetricKind::Trend => record::MetricKind::Trend,
        };
        self.base.level.recorder.metric(kind, name, value, now);
    }

    fn log(&mut self, level: LogLevel, line: &str) {
        if self.base.logged.len() < LOG_LIMIT {
            self.base.logged.push((level, line.to_owned()));
        } else {
            self.base.level.recorder.monitoring.dropped += 1;
        }
    }
}
