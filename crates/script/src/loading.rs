//! The host of modules that are only loaded, to read their exports.

use model::{Fault, FaultKind, GroupId, Nanos, UserId};

use crate::host::{
    Audience, ChannelId, Checked, CountedRequest, Host, HttpCall, LogLevel, MetricKind, NextCall,
    OpId, Payload, Reply, ResponsesCall, ResponsesHost, RoundTripCall, SocketCall, SocketId,
    StampPlace, StreamCall, StreamHost, TickerId,
};

/// A host with a clock, but without users and groups. Lines of the console and values of metrics are dropped.
pub(crate) struct Loading<C>(pub(crate) C);

/// Defines calls that need a user, a group or one of their sockets. No module can make them while it loads.
macro_rules! calls_of_groups {
    ($($name:ident($($argument:ty),*) $(-> $result:ty = $value:expr)?;)*) => {$(
        fn $name(&mut self, $(_: $argument),*) $(-> $result)? {
            $($value)?
        }
    )*};
}

pub(crate) fn refused<T>() -> Result<T, Fault> {
    let detail = "a module cannot do this while it loads";
    Err(Fault::script(FaultKind::Thrown, detail))
}

impl<C: Fn() -> Nanos> Host for Loading<C> {
    fn now(&self) -> Nanos {
        (self.0)()
    }

    fn is_active(&self) -> bool {
        false
    }

    fn run_tag(&self) -> &'static str {
        ""
    }

    fn wants_place(&self, _: &str) -> bool {
        false
    }

    fn metric(&mut self, _: MetricKind, _: &str, _: f64) {}

    fn log(&mut self, _: LogLevel, _: &str) {}

    calls_of_groups! {
        random(UserId) -> f64 = 0.0;
        new_user(GroupId, u32) -> UserId = UserId(0);
        set_header(UserId, &str, Option<&str>) -> Result<(), Fault> = refused();
        set_tag(UserId, &str, Option<&str>) -> Result<(), Fault> = refused();
        fail_request(CountedRequest, &Reply, &str);
        cookie(UserId, &str) -> Option<String> = None;
        pool_user(UserId, String);
        pool_failed(UserId, &Fault);
        pool_begin(u32, u32) -> u32 = 0;
        pool_end(u32);
        http(OpId, UserId, HttpCall) -> Result<(), Fault> = refused();
        open_socket(OpId, UserId, SocketCall) -> Result<(), Fault> = refused();
        send(SocketId, Payload, Option<Nanos>) -> Result<(), Fault> = refused();
        round_trip(OpId, SocketId, RoundTripCall) -> Result<(), Fault> = refused();
        next_message(OpId, SocketId, NextCall) -> Result<(), Fault> = refused();
        listen(SocketId, bool);
        ping(OpId, SocketId) -> Result<(), Fault> = refused();
        close_socket(OpId, SocketId, u16, &str) -> Result<(), Fault> = refused();
        sleep(OpId, UserId, Nanos);
        stay(OpId, UserId);
        every(UserId, Nanos, Option<Nanos>) -> TickerId = TickerId(0);
        stop_ticker(TickerId);
        channel(GroupId, &str, Audience, Option<Nanos>) -> Result<ChannelId, Fault> = refused();
        stamp(UserId, ChannelId, Option<Nanos>) -> Result<String, Fault> = refused();
        receives(SocketId, ChannelId, StampPlace) -> Result<u32, Fault> = refused();
        stop_receiving(SocketId, u32);
        last(SocketId, ChannelId) -> Option<String> = None;
        user_state(UserId, &str, &str);
        step_name(&str, bool) -> u32 = 0;
        step_begin(GroupId, Option<UserId>, u32) -> u64 = 0;
        step_end(GroupId, Option<UserId>, u64, Option<&Fault>);
        concurrent(GroupId, bool);
        check(GroupId, &str, Checked);
    }
}

impl<C> ResponsesHost for Loading<C> {
    calls_of_groups! {
        receives_in_responses(UserId, ChannelId, ResponsesCall) -> Result<u32, Fault> = refused();
        stop_receiving_in_responses(UserId, u32);
    }
}

impl<C> StreamHost for Loading<C> {
    calls_of_groups! {
        start_stream(OpId, SocketId, StreamCall) -> Result<(), Fault> = refused();
        stop_stream(SocketId);
    }
}
