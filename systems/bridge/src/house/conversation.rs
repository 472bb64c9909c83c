use std::collections::VecDeque;

/// The latest messages of a user and the agent's replies.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    exchanges: VecDeque<Exchange>,
}

/// One message from a user and the agent's reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) said: String,
    pub(crate) reply: String,
}

impl Conversation {
    /// Records a message and its reply. Beyond `limit`, drops the oldest exchange and reuses its strings, so that a
    /// session at its limit allocates nothing.
    pub(crate) fn record(
        &mut self,
        said: &str,
        limit: usize,
        reply: impl FnOnce(&mut String),
    ) -> &Exchange {
        let mut next = Exchange::default();
        while self.exchanges.len() >= limit.max(1) {
            next = self.exchanges.pop_front().unwrap_or_default();
        }
        next.said.clear();
        next.said.push_str(said);
        next.reply.clear();
        reply(&mut next.reply);
        self.exchanges.push_back(next);
        let last = self.exchanges.len() - 1;
        &self.exchanges[last]
    }

    /// Returns the messages with their replies, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_exchange_is_forgotten_first() {
        let mut conversation = Conversation::default();
        for n in 0..5 {
            conversation.record(&format!("said {n}"), 2, |reply| reply.push_str("hm"));
        }
        let said: Vec<_> = conversation.iter().map(|e| e.said.as_str()).collect();
        assert_eq!(said, ["said 3", "said 4"]);
    }
}
