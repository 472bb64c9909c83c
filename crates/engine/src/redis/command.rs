use std::cell::RefCell;
use std::rc::Rc;

use delivery::{Sent, stamps_in};
use script::host::{CommandsCall, RedisValue, Value};

use crate::net::socket::redis::RedisWire;
use crate::socket::{Awaited, Awaits, Own, Waiting, Wanted};

/// A command whose reply is awaited.
#[derive(Debug, Default)]
pub(crate) struct Command {
    /// The number by which its connection, or its cluster, knows the command.
    pub(crate) token: u64,
    /// The number of the command in its call.
    pub(super) index: usize,
    pub(super) batch: Option<Rc<Batch>>,
    /// `None` unless the command is one of a cluster.
    pub(super) routed: Option<Box<Routed>>,
}

/// What the commands of one call of the script share. A single command without options needs none.
#[derive(Debug)]
pub(super) struct Batch {
    is_pipeline: bool,
    /// Codes of errors that do not count as failures.
    expect: Vec<String>,
    /// The replies so far, by the number of their command.
    replies: RefCell<Vec<Option<RedisValue>>>,
}

/// A command of a cluster, with everything that is needed to send it again.
#[derive(Debug)]
pub(super) struct Routed {
    /// The key of the cluster.
    pub(super) cluster: u32,
    pub(super) words: Vec<Vec<u8>>,
    /// The number of times that the command was redirected.
    pub(super) redirects: u8,
}

impl Awaited for Command {
    fn repeats(&self) -> u64 {
        let routed = self.routed.as_ref();
        routed.map_or(0, |routed| u64::from(routed.redirects))
    }
}

impl Awaits for RedisWire {
    type Awaited = Command;
}

/// The command whose reply is awaited.
pub(super) fn command_in(waiting: &mut Waiting) -> Option<&mut Command> {
    match &mut waiting.wanted {
        Wanted::Own(Own::Redis(command)) => Some(command),
        _ => None,
    }
}

impl Batch {
    pub(super) fn of(call: &CommandsCall) -> Option<Self> {
        let needed = call.is_pipeline || !call.expect.is_empty();
        needed.then(|| Self {
            is_pipeline: call.is_pipeline,
            expect: call.expect.clone(),
            replies: RefCell::new(vec![None; call.commands.len()]),
        })
    }

    pub(super) fn is_pipeline(&self) -> bool {
        self.is_pipeline
    }

    /// Whether an error with this code does not count as a failure.
    pub(super) fn expects(&self, code: &str) -> bool {
        self.expect.iter().any(|expected| expected == code)
    }

    /// Adds the reply to a command. Returns the list of all replies if this is the last one.
    pub(super) fn complete(&self, index: usize, reply: RedisValue) -> Option<Value> {
        let mut replies = self.replies.borrow_mut();
        *replies.get_mut(index)? = Some(reply);
        let is_whole = replies.iter().all(Option::is_some);
        is_whole.then(|| RedisValue::List(replies.drain(..).flatten().collect()).into())
    }
}

/// Those of the stamps that a command carries. `carried` are the stamps of `count` commands that were sent together.
pub(super) fn carried_by(words: &[&[u8]], carried: &[Sent], count: usize) -> Vec<Sent> {
    if count == 1 || carried.is_empty() {
        return carried.to_vec();
    }
    let stamps = words.iter().flat_map(|word| stamps_in(word)).flatten();
    let stamps: Vec<_> = stamps.collect();
    let its = |sent: &&Sent| stamps.iter().any(|stamp| sent.is_of(stamp));
    carried.iter().filter(its).copied().collect()
}

#[cfg(test)]
mod tests {
    use script::host::{Message, RedisCommand, RedisMessage};

    use super::*;

    fn batch(count: usize, is_pipeline: bool, expect: &[&str]) -> Option<Batch> {
        Batch::of(&CommandsCall {
            commands: vec![RedisCommand::default(); count],
            is_pipeline,
            expect: expect.iter().map(ToString::to_string).collect(),
            ..CommandsCall::default()
        })
    }

    #[test]
    fn a_pipeline_is_complete_after_its_last_reply_in_any_order() {
        let batch = batch(3, true, &[]).unwrap();
        assert!(batch.complete(2, RedisValue::Integer(2)).is_none());
        assert!(batch.complete(0, RedisValue::Integer(0)).is_none());
        let whole = batch.complete(1, RedisValue::Null);
        let expected = [
            RedisValue::Integer(0),
            RedisValue::Null,
            RedisValue::Integer(2),
        ];
        assert!(
            matches!(&whole, Some(Value::Message(Message::Redis(RedisMessage::Reply(RedisValue::List(list))))) if *list == expected),
            "{whole:?}"
        );
    }

    #[test]
    fn only_a_command_with_options_has_a_batch() {
        assert!(batch(1, false, &[]).is_none());
        let expecting = batch(1, false, &["BUSYGROUP"]).unwrap();
        assert!(expecting.expects("BUSYGROUP") && !expecting.expects("ERR"));
        assert!(!expecting.is_pipeline());
    }
}
