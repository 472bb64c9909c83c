//! Passes events to the script, one step for each.

use model::{Fault, Nanos};
use rquickjs::Value;

use crate::host::{Heard, Message, OpId, SocketId, TickerId, Value as HostValue, Wake};
use crate::interpreter::Interpreter;
use crate::message::{Origin, message_value};
use crate::settle::{heard_values, settle};

/// Passes events to the script. For each event, its promise or callback runs first, then every job that follows, so
/// that all work belongs to a known user.
///
/// The run time is not bounded. Callers limit the number of events according to how long the sockets may wait.
pub(crate) fn turn(interpreter: &Interpreter, wakes: &mut dyn Iterator<Item = Wake>) {
    for wake in wakes {
        match wake {
            Wake::Done { op, result } => on_done(interpreter, op, result),
            Wake::Tick { ticker, due } => on_tick(interpreter, ticker, due),
            Wake::Message { socket, message } => on_message(interpreter, socket, &message),
            Wake::Event {
                socket,
                event,
                heard,
                ack,
            } => on_event(interpreter, socket, &event, &heard, ack),
            Wake::Closed {
                socket,
                code,
                reason,
            } => on_closed(interpreter, socket, code, &reason),
        }
    }
}

fn on_done(interpreter: &Interpreter, op: OpId, result: std::result::Result<HostValue, Fault>) {
    let Some(op) = interpreter.state.work.borrow_mut().take_op(op) else {
        return;
    };
    interpreter.step(op.group, op.user, None, |ctx, state| {
        state.now.background.set(op.background);
        settle(ctx, state, op, result)
    });
}

fn on_tick(interpreter: &Interpreter, id: TickerId, due: Nanos) {
    let Some(ticker) = interpreter.state.work.borrow().ticker(id) else {
        return;
    };
    interpreter.step(ticker.group, ticker.user, Some(due), |ctx, state| {
        state.now.background.set(true);
        let function = ticker.function.restore(ctx)?;
        function.call::<_, Value<'_>>(()).map(drop)
    });
}

/// Calls the message handlers of a socket.
fn on_message(interpreter: &Interpreter, id: SocketId, message: &Message) {
    let (group, user, connection, handlers) = {
        let work = interpreter.state.work.borrow();
        let socket = work.socket_key(id).and_then(|key| work.sockets.get(key));
        let Some(socket) = socket else { return };
        let handlers = socket.on_message.clone();
        (socket.group, socket.user, socket.connection, handlers)
    };
    let origin = Origin {
        connection,
        ..Origin::default()
    };
    for handler in handlers {
        interpreter.step(group, user, None, |ctx, state| {
            state.now.background.set(true);
            let message = message_value(ctx, state, origin, message)?;
            handler
                .restore(ctx)?
                .call::<_, Value<'_>>((message,))
                .map(drop)
        });
    }
}

/// Calls the handlers of an event. The return value of the first handler is the acknowledgement.
fn on_event(
    interpreter: &Interpreter,
    id: SocketId,
    event: &str,
    heard: &Heard,
    mut ack: Option<u64>,
) {
    let (key, group, user, handlers) = {
        let work = interpreter.state.work.borrow();
        let key = work.socket_key(id);
        let Some((key, socket)) = key.and_then(|key| Some((key, work.sockets.get(key)?))) else {
            return;
        };
        let its = socket.on_event.iter().filter(|(name, _)| **name == *event);
        let handlers: Vec<_> = its.map(|(_, handler)| handler.clone()).collect();
        (key, socket.group, socket.user, handlers)
    };
    for handler in handlers {
        let ack = ack.take();
        interpreter.step(group, user, None, |ctx, state| {
            state.now.background.set(true);
            let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
            let (list, bytes) = heard_values(ctx, state, heard)?;
            let hear = entry.hear.clone().restore(ctx)?;
            let handler = handler.restore(ctx)?;
            hear.call::<_, Value<'_>>((key, handler, list, bytes, ack))
                .map(drop)
        });
    }
}

fn on_closed(interpreter: &Interpreter, id: SocketId, code: Option<u16>, reason: &str) {
    let gone = {
        let mut work = interpreter.state.work.borrow_mut();
        work.socket_key(id).and_then(|key| work.close_socket(key))
    };
    let Some((group, user, handlers)) = gone else {
        return;
    };
    if handlers.is_empty() {
        interpreter.note_idle(group);
    }
    for handler in handlers {
        interpreter.step(group, user, None, |ctx, state| {
            state.now.background.set(true);
            handler
                .restore(ctx)?
                .call::<_, Value<'_>>((code, reason))
                .map(drop)
        });
    }
}
