use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;

use crate::bridge::Bridge;
use crate::refusal::Refusal;

/// Maximum number of messages per connection that may wait for the agent.
const MOST: usize = 8;

/// A pending reply of the agent.
type Answer = Pin<Box<dyn Future<Output = Result<Option<String>, Refusal>> + Send>>;

/// A connection's queue of messages for a remote agent. The agent receives the messages one at a time, in order.
#[derive(Default)]
pub(super) struct Questions {
    waiting: VecDeque<Question>,
    current: Option<(Question, Answer)>,
}

/// One message and its number within the session.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) sequence: u64,
    pub(super) text: String,
}

impl Questions {
    /// Adds a message. Fails if too many messages are waiting.
    pub(super) fn push(&mut self, question: Question) -> Result<(), Refusal> {
        if self.waiting.len() >= MOST {
            return Err(Refusal::AgentBusy(MOST));
        }
        self.waiting.push_back(question);
        Ok(())
    }

    /// Waits for the next reply. Never returns if no message is pending. Cancel safe, because `current` keeps the
    /// request.
    pub(super) async fn next(
        &mut self,
        bridge: &Arc<Bridge>,
        session: u64,
    ) -> (Question, Result<Option<String>, Refusal>) {
        if self.current.is_none() {
            self.current = self.waiting.pop_front().map(|question| {
                let (bridge, text) = (bridge.clone(), question.text.clone());
                let answer = async move { bridge.ask(session, &text).await };
                (question, Box::pin(answer) as Answer)
            });
        }
        let Some((_, answer)) = &mut self.current else {
            return pending().await;
        };
        let answer = answer.await;
        match self.current.take() {
            Some((question, _)) => (question, answer),
            None => pending().await,
        }
    }
}
