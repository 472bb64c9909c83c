//! The state of a worker's users without a script: what they repeat, how much is left, and who is at work.

use std::collections::HashMap;
use std::sync::Arc;

use model::{GroupId, Slots, UserId};
use script::Ended;
use script::host::{OpId, TickerId};
use wire::http::Request;

use crate::config::RunConfig;
use crate::net::EndpointIndex;
use crate::program::{Plain, Program, Send};

/// The repeated request with the run's own headers, together with its endpoint and its bytes for HTTP/1.1.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) request: Request,
    pub(super) endpoint: EndpointIndex,
    pub(super) encoded: Arc<[u8]>,
}

/// The users of one worker without a script.
#[derive(Debug)]
pub(crate) struct FixedRun {
    pub(super) plain: Plain,
    pub(super) name: Arc<str>,
    /// The request that is repeated; set by the first request.
    pub(super) template: Option<Template>,
    /// Number of requests or messages that this worker may still start. `None` before the first level.
    left: Option<u64>,
    /// The users at work. Each has one operation at a time, which keeps its ID until the user's iteration ends.
    at_work: Slots<UserId>,
    tickers: HashMap<TickerId, OpId>,
    ended: Vec<Ended>,
}

impl FixedRun {
    /// The users of this worker. `None` if they follow a script.
    pub(crate) fn of(config: &RunConfig) -> Option<Self> {
        match &config.program {
            Program::Plain(plain) => Some(Self::new(Plain::clone(plain))),
            Program::Scenario(_) => None,
        }
    }

    pub(super) fn new(plain: Plain) -> Self {
        Self {
            name: plain.name().into(),
            plain,
            template: None,
            left: None,
            at_work: Slots::default(),
            tickers: HashMap::new(),
            ended: Vec::new(),
        }
    }

    /// Takes this worker's share of the requests or messages, unless it has had it. `slots` workers share them.
    pub(crate) fn begin_level(&mut self, slot: u32, slots: u32) {
        self.left.get_or_insert(self.plain.share_of(slot, slots));
    }

    /// Begins an iteration of a user. `None` if the table of users at work is full.
    pub(super) fn begin(&mut self, user: UserId) -> Option<OpId> {
        self.at_work.insert(user).map(OpId)
    }

    /// The user of an operation. `None` if the user's iteration has ended.
    pub(super) fn user_of(&self, op: OpId) -> Option<UserId> {
        self.at_work.get(op.0).copied()
    }

    /// Ends the iteration of a group with one user.
    pub(super) fn end(&mut self, op: OpId, group: GroupId) {
        if self.at_work.remove(op.0).is_some() {
            let outcome = Ok(None);
            self.ended.push(Ended { group, outcome });
        }
    }

    /// Takes the iterations that have ended since the last call.
    pub(crate) fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.ended)
    }

    /// Takes one of the remaining requests or messages. Returns false if none is left.
    pub(super) fn take_one(&mut self) -> bool {
        match &mut self.left {
            None | Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }

    /// Notes that each tick sends a message on the socket of this operation.
    pub(super) fn sends_at(&mut self, ticker: TickerId, op: OpId) {
        self.tickers.insert(ticker, op);
    }

    /// The operation whose message is due at a tick.
    pub(super) fn op_of(&self, ticker: TickerId) -> Option<OpId> {
        self.tickers.get(&ticker).copied()
    }

    /// Statuses from 400 on that are not failures.
    pub(super) fn expected(&self) -> Vec<u16> {
        match &self.plain.send {
            Send::Request { expect, .. } => expect.clone(),
            Send::Message(_) => Vec::new(),
        }
    }

    /// Ends the level: nobody is at work.
    pub(crate) fn end_level(&mut self) {
        self.at_work.clear();
        self.tickers.clear();
    }
}
