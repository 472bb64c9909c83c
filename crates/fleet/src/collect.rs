//! Collects what comes from the agents: joins the frames of each agent, and notices gaps and silence.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use bytes::Bytes;
use engine::{Clock, FromFleet};
use model::Nanos;
use record::AgentLoss;

use crate::frames::Joiner;
use crate::lease::SILENCE;

/// The messages of all agents of a run.
#[derive(Debug)]
pub(crate) struct Collector {
    clock: Clock,
    /// Frames, each with the number of its agent.
    frames: Receiver<(usize, Bytes)>,
    agents: Vec<Line>,
}

/// The messages of one agent.
#[derive(Debug)]
struct Line {
    joiner: Joiner,
    heard: Nanos,
    loss: Option<AgentLoss>,
}

impl Collector {
    /// Collects the messages of this number of agents.
    pub(crate) fn new(clock: Clock, frames: Receiver<(usize, Bytes)>, agents: usize) -> Self {
        let heard = clock.now();
        let line = |_| Line {
            joiner: Joiner::default(),
            heard,
            loss: None,
        };
        Self {
            clock,
            frames,
            agents: (0..agents).map(line).collect(),
        }
    }

    /// How an agent was lost.
    pub(crate) fn loss_of(&self, agent: usize) -> Option<AgentLoss> {
        self.agents.get(agent).and_then(|line| line.loss)
    }

    /// Notes that the run goes on without an agent.
    pub(crate) fn lose(&mut self, agent: usize, loss: AgentLoss) {
        if let Some(line) = self.agents.get_mut(agent) {
            line.loss.get_or_insert(loss);
        }
    }

    /// Waits up to `patience` for the next message or loss.
    pub(crate) fn hear(&mut self, patience: Duration) -> FromFleet {
        match self.frames.recv_timeout(patience) {
            Ok((agent, frame)) => self.frame(agent, &frame),
            // What has arrived is read first, so this process can have been stopped without losing an agent.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => self.silent(),
        }
    }

    fn frame(&mut self, agent: usize, frame: &[u8]) -> FromFleet {
        let now = self.clock.now();
        let Some(line) = self
            .agents
            .get_mut(agent)
            .filter(|line| line.loss.is_none())
        else {
            return FromFleet::Nothing;
        };
        line.heard = now;
        match line.joiner.add(frame) {
            Ok(Some(message)) if !message.is_empty() => FromFleet::Message { agent, message },
            Ok(_) => FromFleet::Nothing,
            Err(_) => {
                let loss = AgentLoss::MessagesLost;
                line.loss = Some(loss);
                FromFleet::Lost { agent, loss }
            }
        }
    }

    fn silent(&mut self) -> FromFleet {
        let now = self.clock.now();
        let loss = AgentLoss::Silent;
        let mut agents = self.agents.iter_mut().enumerate();
        let silent = agents.find(|(_, line)| line.loss.is_none() && now > line.heard + SILENCE);
        silent.map_or(FromFleet::Nothing, |(agent, line)| {
            line.loss = Some(loss);
            FromFleet::Lost { agent, loss }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::frames::Splitter;

    #[test]
    fn a_gap_in_the_frames_of_an_agent_loses_that_agent_and_no_other() {
        let (frames, inbox) = channel();
        let mut collector = Collector::new(Clock::start(), inbox, 2);
        let mut splitters = [Splitter::default(), Splitter::default()];
        let mut send = |agent: usize, message: &[u8], arrives: bool| {
            for frame in splitters[agent].frames(message) {
                if arrives {
                    frames.send((agent, frame)).unwrap();
                }
            }
        };
        send(0, b"a", true);
        send(0, b"b", false);
        send(1, b"", true);
        send(0, b"c", true);
        send(1, b"d", true);
        send(0, b"e", true);
        let heard: Vec<_> = (0..6).map(|_| collector.hear(Duration::ZERO)).collect();
        let texts: Vec<_> = heard
            .iter()
            .map(|heard| match heard {
                FromFleet::Message { agent, message } => {
                    format!("{agent}{}", String::from_utf8_lossy(message))
                }
                FromFleet::Lost { agent, loss } => format!("{agent} {loss:?}"),
                FromFleet::Nothing => String::new(),
            })
            .collect();
        assert_eq!(texts, ["0a", "", "0 MessagesLost", "1d", "", ""]);
        assert_eq!(collector.loss_of(0), Some(AgentLoss::MessagesLost));
        assert_eq!(collector.loss_of(1), None);
    }
}
