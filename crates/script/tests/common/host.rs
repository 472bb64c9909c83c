//! A host that records the calls of a script.

use model::{Fault, GroupId, Nanos, UserId};
use script::host::{
    Audience, ChannelId, Checked, CommandsCall, CountedRequest, Emission, EventCall, EventsCall,
    EventsHost, FetchCall, Host, HttpCall, LogLevel, MetricKind, NatsCall, NatsHost, NatsRequest,
    NatsServer, NatsSubscribeCall, NextCall, OpId, Payload, Publication, RedisCall, RedisHost,
    RedisServer, Reply, ResponsesCall, ResponsesHost, RoundTripCall, SocketCall, SocketId,
    SocketIoCall, SocketIoHost, StampPlace, StreamCall, StreamHost, StreamState, SubscribeCall,
    TickerId,
};

/// A call of the script. Calls that few tests check are stored as text.
#[derive(Clone, Debug)]
pub enum Call {
    Http(OpId, UserId, HttpCall),
    Open(OpId, UserId, SocketCall),
    Send(SocketId, Payload, Option<Nanos>),
    RoundTrip(OpId, SocketId, RoundTripCall),
    Next(OpId, SocketId, NextCall),
    OpenEvents(OpId, UserId, EventsCall),
    OpenRedis(OpId, UserId, RedisCall),
    Commands(OpId, SocketId, CommandsCall),
    Subscribe(OpId, SocketId, SubscribeCall),
    OpenSocketIo(OpId, UserId, SocketIoCall),
    OpenNats(OpId, UserId, NatsCall),
    Publish(SocketId, Publication),
    NatsRequest(OpId, NatsRequest),
    NatsSubscribe(OpId, NatsSubscribeCall),
    Emit(Emission),
    Request(OpId, EventCall),
    Op(OpId, String),
    Channel(String, Audience, Option<Nanos>),
    Receives(SocketId, ChannelId, StampPlace),
    ReceivesInResponses(UserId, ResponsesCall),
    Stream(OpId, StreamCall),
    Every(TickerId, UserId, Nanos, Option<Nanos>),
    Other(String),
}

#[derive(Default)]
pub struct FakeHost {
    pub calls: Vec<Call>,
    pub checks: Vec<(String, Checked)>,
    pub log: Vec<(LogLevel, String)>,
    pub refuse: Option<Fault>,
    pub clock: std::cell::Cell<u64>,
    /// Each reading of the clock advances the clock by this many nanoseconds.
    pub tick: u64,
    pub next_user: u32,
    pub next_ticker: u32,
    pub pooled: Vec<(UserId, String)>,
    pub pools: Vec<String>,
    pub randoms: u32,
    pub last: Option<String>,
    pub stream: Option<StreamState>,
    pub nats_server: Option<NatsServer>,
    pub server: Option<RedisServer>,
    pub step_names: Vec<String>,
    pub steps: Vec<String>,
}

impl FakeHost {
    fn refused(&mut self) -> Result<(), Fault> {
        self.refuse.take().map_or(Ok(()), Err)
    }
    fn other(&mut self, text: String) {
        self.calls.push(Call::Other(text));
    }
}

impl StreamHost for FakeHost {
    fn start_stream(&mut self, op: OpId, _socket: SocketId, call: StreamCall) -> Result<(), Fault> {
        self.calls.push(Call::Stream(op, call));
        self.refused()
    }
    fn stop_stream(&mut self, socket: SocketId) {
        self.other(format!("stop stream {}", socket.0));
    }
}

impl NatsHost for FakeHost {
    fn open_nats(&mut self, op: OpId, user: UserId, call: NatsCall) -> Result<(), Fault> {
        self.calls.push(Call::OpenNats(op, user, call));
        self.refused()
    }
    fn nats_server(&mut self, _connection: SocketId) -> Option<NatsServer> {
        self.nats_server.clone()
    }
    fn nats_publish(
        &mut self,
        connection: SocketId,
        message: Publication,
        _planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Publish(connection, message));
        self.refused()
    }
    fn nats_request(
        &mut self,
        op: OpId,
        _connection: SocketId,
        call: NatsRequest,
    ) -> Result<(), Fault> {
        self.calls.push(Call::NatsRequest(op, call));
        self.refused()
    }
    fn nats_subscribe(
        &mut self,
        op: OpId,
        _connection: SocketId,
        call: NatsSubscribeCall,
    ) -> Result<(), Fault> {
        self.calls.push(Call::NatsSubscribe(op, call));
        self.refused()
    }
    fn nats_fetch(
        &mut self,
        op: OpId,
        _subscription: SocketId,
        call: FetchCall,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, format!("fetch {call:?}")));
        self.refused()
    }
    fn nats_flush(&mut self, op: OpId, _connection: SocketId) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, "flush".to_owned()));
        self.refused()
    }
}

impl ResponsesHost for FakeHost {
    fn receives_in_responses(
        &mut self,
        user: UserId,
        _channel: ChannelId,
        call: ResponsesCall,
    ) -> Result<u32, Fault> {
        self.calls.push(Call::ReceivesInResponses(user, call));
        self.refused().map(|()| 3)
    }
    fn stop_receiving_in_responses(&mut self, user: UserId, receiving: u32) {
        self.other(format!("stop responses {user:?} {receiving}"));
    }
}

impl Host for FakeHost {
    fn now(&self) -> Nanos {
        self.clock.set(self.clock.get() + self.tick);
        Nanos(self.clock.get())
    }
    fn random(&mut self, _user: UserId) -> f64 {
        self.randoms += 1;
        0.5
    }
    fn new_user(&mut self, _group: GroupId, _pool: u32) -> UserId {
        self.next_user += 1;
        UserId(1000 + self.next_user)
    }
    fn set_header(&mut self, user: UserId, name: &str, value: Option<&str>) -> Result<(), Fault> {
        self.other(format!("header {} {name}={value:?}", user.0));
        self.refused()
    }
    fn set_tag(&mut self, user: UserId, key: &str, value: Option<&str>) -> Result<(), Fault> {
        self.other(format!("tag {} {key}={value:?}", user.0));
        self.refused()
    }
    fn cookie(&mut self, _user: UserId, name: &str) -> Option<String> {
        (name == "sid").then(|| "s1".to_owned())
    }
    fn pool_user(&mut self, user: UserId, data: String) {
        self.pooled.push((user, data));
    }
    fn pool_failed(&mut self, user: UserId, fault: &Fault) {
        self.pools
            .push(format!("pool failed {} {}", user.0, fault.kind));
    }
    fn pool_begin(&mut self, count: u32, at_once: u32) -> u32 {
        self.pools
            .push(format!("pool of {count}, {at_once} at once"));
        3
    }
    fn pool_end(&mut self, pool: u32) {
        self.pools.push(format!("pool {pool} ended"));
    }
    fn http(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault> {
        self.calls.push(Call::Http(op, user, call));
        self.refused()
    }
    fn fail_request(&mut self, request: CountedRequest, reply: &Reply, reason: &str) {
        let (user, status) = (request.user.0, reply.status);
        self.other(format!("fail {user} {status} {reason}"));
    }
    fn open_socket(&mut self, op: OpId, user: UserId, call: SocketCall) -> Result<(), Fault> {
        self.calls.push(Call::Open(op, user, call));
        self.refused()
    }
    fn send(
        &mut self,
        socket: SocketId,
        payload: Payload,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Send(socket, payload, planned));
        self.refused()
    }
    fn round_trip(&mut self, op: OpId, socket: SocketId, call: RoundTripCall) -> Result<(), Fault> {
        self.calls.push(Call::RoundTrip(op, socket, call));
        self.refused()
    }
    fn next_message(&mut self, op: OpId, socket: SocketId, call: NextCall) -> Result<(), Fault> {
        self.calls.push(Call::Next(op, socket, call));
        self.refused()
    }
    fn listen(&mut self, socket: SocketId, on: bool) {
        self.other(format!("listen {} {on}", socket.0));
    }
    fn ping(&mut self, op: OpId, _socket: SocketId) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, "ping".to_owned()));
        self.refused()
    }
    fn close_socket(
        &mut self,
        op: OpId,
        _socket: SocketId,
        code: u16,
        reason: &str,
    ) -> Result<(), Fault> {
        self.calls
            .push(Call::Op(op, format!("close {code} {reason}")));
        self.refused()
    }
    fn sleep(&mut self, op: OpId, user: UserId, span: Nanos) {
        self.calls
            .push(Call::Op(op, format!("sleep {} {span}", user.0)));
    }
    fn stay(&mut self, op: OpId, user: UserId) {
        self.calls.push(Call::Op(op, format!("stay {}", user.0)));
    }
    fn every(&mut self, user: UserId, period: Nanos, first: Option<Nanos>) -> TickerId {
        self.next_ticker += 1;
        let id = TickerId(self.next_ticker);
        self.calls.push(Call::Every(id, user, period, first));
        id
    }
    fn stop_ticker(&mut self, ticker: TickerId) {
        self.other(format!("stop ticker {}", ticker.0));
    }
    fn channel(
        &mut self,
        _group: GroupId,
        name: &str,
        audience: Audience,
        deadline: Option<Nanos>,
    ) -> Result<ChannelId, Fault> {
        self.calls
            .push(Call::Channel(name.to_owned(), audience, deadline));
        self.refused()?;
        Ok(ChannelId(7))
    }
    fn stamp(
        &mut self,
        user: UserId,
        channel: ChannelId,
        planned: Option<Nanos>,
    ) -> Result<String, Fault> {
        self.other(format!("stamp {} {} {planned:?}", user.0, channel.0));
        self.refused()?;
        Ok("@stamp;".to_owned())
    }
    fn receives(
        &mut self,
        socket: SocketId,
        channel: ChannelId,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        self.calls.push(Call::Receives(socket, channel, place));
        self.refused().map(|()| 3)
    }
    fn stop_receiving(&mut self, socket: SocketId, receiving: u32) {
        self.other(format!("stop receiving {} {receiving}", socket.0));
    }
    fn last(&mut self, _socket: SocketId, _channel: ChannelId) -> Option<String> {
        self.last.clone()
    }
    fn user_state(&mut self, user: UserId, name: &str, text: &str) {
        self.other(format!("user {} state {name} {text:?}", user.0));
    }
    fn step_name(&mut self, name: &str, eventually: bool) -> u32 {
        let known = self.step_names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            let what = if eventually { "condition" } else { "step" };
            self.other(format!("{what} {name}"));
            self.step_names.push(name.to_owned());
            self.step_names.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }
    fn step_begin(&mut self, _group: GroupId, user: Option<UserId>, name: u32) -> u64 {
        let name = self.step_names[name as usize].clone();
        self.other(format!("begin {name} {user:?}"));
        self.steps.push(name);
        self.steps.len() as u64
    }
    fn step_end(
        &mut self,
        _group: GroupId,
        user: Option<UserId>,
        step: u64,
        fault: Option<&Fault>,
    ) {
        let name = self.steps[usize::try_from(step).unwrap_or(usize::MAX) - 1].clone();
        let how = fault.map_or_else(|| "well".to_owned(), |fault| fault.kind.to_string());
        self.other(format!("end {name} {user:?} {how}"));
    }
    fn concurrent(&mut self, _group: GroupId, on: bool) {
        self.other(format!("concurrent {on}"));
    }
    fn run_tag(&self) -> &'static str {
        "test"
    }
    fn wants_place(&self, check: &str) -> bool {
        let mut known = self.checks.iter();
        !known.any(|(name, result)| name == check && *result != Checked::Passed)
    }
    fn check(&mut self, _group: GroupId, name: &str, result: Checked) {
        self.checks.push((name.to_owned(), result));
    }
    fn metric(&mut self, kind: MetricKind, name: &str, value: f64) {
        self.other(format!("{kind:?} {name} {value}"));
    }
    fn log(&mut self, level: LogLevel, line: &str) {
        self.log.push((level, line.to_owned()));
    }
}

impl RedisHost for FakeHost {
    fn open_redis(&mut self, op: OpId, user: UserId, call: RedisCall) -> Result<(), Fault> {
        self.calls.push(Call::OpenRedis(op, user, call));
        self.refused()
    }
    fn redis_server(&mut self, _socket: SocketId) -> Option<RedisServer> {
        self.server.clone()
    }
    fn call_redis(&mut self, op: OpId, socket: SocketId, call: CommandsCall) -> Result<(), Fault> {
        self.calls.push(Call::Commands(op, socket, call));
        self.refused()
    }
    fn subscribe(&mut self, op: OpId, socket: SocketId, call: SubscribeCall) -> Result<(), Fault> {
        self.calls.push(Call::Subscribe(op, socket, call));
        self.refused()
    }
    fn unsubscribe(&mut self, op: OpId, _socket: SocketId) {
        self.calls.push(Call::Op(op, "unsubscribe".to_owned()));
    }
}

impl EventsHost for FakeHost {
    fn open_events(&mut self, op: OpId, user: UserId, call: EventsCall) -> Result<(), Fault> {
        self.calls.push(Call::OpenEvents(op, user, call));
        self.refused()
    }
    fn stream_state(&mut self, _socket: SocketId) -> Option<StreamState> {
        self.stream.clone()
    }
}

impl SocketIoHost for FakeHost {
    fn open_socketio(&mut self, op: OpId, user: UserId, call: SocketIoCall) -> Result<(), Fault> {
        self.calls.push(Call::OpenSocketIo(op, user, call));
        self.refused()
    }
    fn emit(&mut self, _: SocketId, said: Emission, _: Option<Nanos>) -> Result<(), Fault> {
        self.calls.push(Call::Emit(said));
        self.refused()
    }
    fn emit_acknowledged(
        &mut self,
        op: OpId,
        _socket: SocketId,
        call: EventCall,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Request(op, call));
        self.refused()
    }
    fn next_event(
        &mut self,
        op: OpId,
        _socket: SocketId,
        event: String,
        _timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.calls.push(Call::Op(op, format!("next {event}")));
        self.refused()
    }
    fn listen_event(&mut self, _socket: SocketId, event: &str) {
        self.other(format!("listen to {event}"));
    }
}
