use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;

use crate::agent;
use crate::bridge::Bridge;
use crate::refusal::Refusal;

/// Messages of one connection that may wait for a slow agent.
const MOST: usize = 8;

/// An agent's answer, when it comes.
type Answer = Pin<Box<dyn Future<Output = Result<Option<String>, Refusal>> + Send>>;

/// What one connection asked a remote agent, answered one after the other.
#[derive(Default)]
pub(super) struct Questions {
    waiting: VecDeque<Question>,
    current: Option<(Question, Answer)>,
}

/// One message and its number in the session.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) sequence: u64,
    pub(super) text: String,
}

impl Questions {
    /// One more, if not too many wait already.
    pub(super) fn push(&mut self, question: Question) -> Result<(), Refusal> {
        if self.waiting.len() >= MOST {
            return Err(Refusal::AgentBusy(MOST));
        }
        self.waiting.push_back(question);
        Ok(())
    }

    /// The next answer; waits for ever when nothing was asked. What was asked is not lost when this
    /// is cancelled.
    pub(super) async fn next(
        &mut self,
        bridge: &Arc<Bridge>,
        session: u64,
    ) -> (Question, Result<Option<String>, Refusal>) {
        if self.current.is_none() {
            self.current = self.waiting.pop_front().map(|question| {
                let (bridge, text) = (bridge.clone(), question.text.clone());
                let answer = async move { agent::ask(&bridge, session, &text).await };
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
