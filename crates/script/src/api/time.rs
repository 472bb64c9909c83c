//! Pauses and tickers.

use model::Nanos;
use rquickjs::{Function, Persistent, Promise, Result, Value};

use super::arg::{Given, optional_span, span, type_error};
use super::native::{Call, Natives};
use super::op::{begin, begin_from};
use super::options::each;
use super::receiver::Caller;
use crate::host::TickerId;
use crate::work::{Then, Ticker};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("think", think)?;
    natives.add("stay", stay)?;
    natives.add_as("pause", "think", pause)?;
    natives.add("every", every)?;
    natives.add("stopTicker", stop_ticker)?;
    natives.add("now", now)?;
    natives.add("isActive", is_active)?;
    natives.add("span", span_of)
}

fn now(call: &Call<'_, '_>) -> f64 {
    nanos_number(call.state.host.borrow().now())
}

fn is_active(call: &Call<'_, '_>) -> bool {
    call.state.host.borrow().is_active()
}

fn span_of<'js>(call: &Call<'_, 'js>, value: Value<'js>, what: String) -> Result<f64> {
    span(&call.ctx, &value, &what).map(nanos_number)
}

/// Converts nanoseconds to a script number, which is exact for a hundred days.
fn nanos_number(nanos: Nanos) -> f64 {
    nanos.0 as f64
}

fn think<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(time): Given<'js>,
    Given(up_to): Given<'js>,
) -> Result<Promise<'js>> {
    let low = span(&call.ctx, &time, "think(time, upTo): `time`")?;
    let pause = match optional_span(&call.ctx, &up_to, "think(time, upTo): `upTo`")? {
        None => low,
        Some(high) if high < low => {
            return Err(type_error(
                &call.ctx,
                "think(time, upTo): `upTo` is shorter than `time`",
            ));
        }
        Some(high) => {
            let share = call.host().random(user.id);
            low + Nanos::from_secs_f64((high - low).as_secs_f64() * share)
        }
    };
    begin(call, user.who(), Then::Plain, |host, op| {
        host.sleep(op, user.id, pause);
        Ok(())
    })
}

fn stay<'js>(call: &Call<'_, 'js>, Caller(user): Caller) -> Result<Promise<'js>> {
    begin(call, user.who(), Then::Plain, |host, op| {
        host.stay(op, user.id);
        Ok(())
    })
}

/// The pause of a loop in the prelude. After the first round, the line that called the loop is no longer on the stack,
/// so the loop passes the stack from its start.
fn pause<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    time: Value<'js>,
    stack: String,
) -> Result<Promise<'js>> {
    let pause = span(&call.ctx, &time, "`time`")?;
    let stack = Some(stack.into_boxed_str());
    begin_from(call, user.who(), Then::Plain, stack, |host, op| {
        host.sleep(op, user.id, pause);
        Ok(())
    })
}

fn every<'js>(
    native: &Call<'_, 'js>,
    Caller(user): Caller,
    period: Value<'js>,
    function: Value<'js>,
    options: Value<'js>,
) -> Result<u32> {
    let ctx = &native.ctx;
    let call = "user.every(period, fn, options)";
    let period = span(ctx, &period, &format!("{call}: `period`"))?;
    if period == Nanos::ZERO {
        return Err(type_error(
            ctx,
            &format!("{call}: `period` must be longer than 0"),
        ));
    }
    let Some(function) = function.as_function().cloned() else {
        return Err(type_error(ctx, &format!("{call}: `fn` must be a function")));
    };
    let mut first = None;
    each(ctx, &options, call, &["first"], |_, value| {
        first = Some(span(ctx, &value, &format!("{call}: `first`"))?);
        Ok(())
    })?;
    let id = native.host().every(user.id, period, first);
    let function: Persistent<Function<'static>> = Persistent::save(ctx, function);
    let ticker = Ticker {
        group: user.group,
        user: user.key,
        function,
    };
    native.state.work.borrow_mut().add_ticker(id, ticker);
    Ok(id.0)
}

fn stop_ticker(call: &Call<'_, '_>, ticker: u32) {
    let ticker = TickerId(ticker);
    let running = call.state.work.borrow_mut().stop_ticker(ticker);
    if running {
        call.host().stop_ticker(ticker);
    }
}
