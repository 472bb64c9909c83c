//! Pauses and tickers.

use model::Nanos;
use rquickjs::function::This;
use rquickjs::{Ctx, Function, Persistent, Promise, Result, Value};

use super::Natives;
use super::arg::{Given, optional_span, span, type_error};
use super::op::{begin, begin_from, user};
use super::options::each;
use super::people::caller;
use crate::host::TickerId;
use crate::work::{Then, Ticker};

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    waiting(natives)?;
    pausing(natives)?;
    ticking(natives)?;
    let state = natives.state.clone();
    natives.add("now", move || nanos_number(state.host.borrow().now()))?;
    let state = natives.state.clone();
    natives.add("isActive", move || state.host.borrow().is_active())?;
    natives.add(
        "span",
        |ctx: Ctx<'js>, value: Value<'js>, what: String| -> Result<f64> {
            span(&ctx, &value, &what).map(nanos_number)
        },
    )
}

/// Converts nanoseconds to a script number, which is exact for a hundred days.
fn nanos_number(nanos: Nanos) -> f64 {
    nanos.0 as f64
}

fn waiting<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "think",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(time): Given<'js>,
              Given(up_to): Given<'js>|
              -> Result<Promise<'js>> {
            let key = caller(&ctx, &who, "think")?;
            let (id, group) = user(&ctx, &state, key)?;
            let low = span(&ctx, &time, "think(time, upTo): `time`")?;
            let pause = match optional_span(&ctx, &up_to, "think(time, upTo): `upTo`")? {
                None => low,
                Some(high) if high < low => {
                    return Err(type_error(
                        &ctx,
                        "think(time, upTo): `upTo` is shorter than `time`",
                    ));
                }
                Some(high) => {
                    let share = state.host.borrow_mut().random(id);
                    low + Nanos::from_secs_f64((high - low).as_secs_f64() * share)
                }
            };
            begin(&ctx, &state, (group, key), Then::Plain, |host, op| {
                host.sleep(op, id, pause);
                Ok(())
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "stay",
        move |ctx: Ctx<'js>, This(who): This<Value<'js>>| -> Result<Promise<'js>> {
            let key = caller(&ctx, &who, "stay")?;
            let (id, group) = user(&ctx, &state, key)?;
            begin(&ctx, &state, (group, key), Then::Plain, |host, op| {
                host.stay(op, id);
                Ok(())
            })
        },
    )
}

/// The pause of a loop in the prelude. After the first round, the line that called the loop is no longer on the stack,
/// so the loop passes the stack from its start.
fn pausing<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "pause",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              time: Value<'js>,
              stack: String|
              -> Result<Promise<'js>> {
            let key = caller(&ctx, &who, "think")?;
            let (id, group) = user(&ctx, &state, key)?;
            let pause = span(&ctx, &time, "`time`")?;
            let stack = Some(stack.into_boxed_str());
            begin_from(
                &ctx,
                &state,
                (group, key),
                Then::Plain,
                stack,
                |host, op| {
                    host.sleep(op, id, pause);
                    Ok(())
                },
            )
        },
    )
}

fn ticking<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "every",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              period: Value<'js>,
              function: Value<'js>,
              options: Value<'js>|
              -> Result<u32> {
            let call = "user.every(period, fn, options)";
            let key = caller(&ctx, &who, "every")?;
            let (id, group) = user(&ctx, &state, key)?;
            let period = span(&ctx, &period, &format!("{call}: `period`"))?;
            if period == Nanos::ZERO {
                return Err(type_error(
                    &ctx,
                    &format!("{call}: `period` must be longer than 0"),
                ));
            }
            let Some(function) = function.as_function().cloned() else {
                return Err(type_error(
                    &ctx,
                    &format!("{call}: `fn` must be a function"),
                ));
            };
            let mut first = None;
            each(&ctx, &options, call, &["first"], |_, value| {
                first = Some(span(&ctx, &value, &format!("{call}: `first`"))?);
                Ok(())
            })?;
            let ticker = state.host.borrow_mut().every(id, period, first);
            let function: Persistent<Function<'static>> = Persistent::save(&ctx, function);
            let kept = Ticker {
                group,
                user: key,
                function,
            };
            state.work.borrow_mut().add_ticker(ticker, kept);
            Ok(ticker.0)
        },
    )?;
    let state = natives.state.clone();
    natives.add("stopTicker", move |ticker: u32| {
        let ticker = TickerId(ticker);
        let running = state.work.borrow_mut().stop_ticker(ticker);
        if running {
            state.host.borrow_mut().stop_ticker(ticker);
        }
    })
}
