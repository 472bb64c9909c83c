//! Collects what comes from the agents: joins the frames of each agent, and notices gaps and silence.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use bytes::Bytes;
use engine::{Clock, FromFleet};
use model::Nanos;
use record::AgentLoss;

use crate::frames::Joiner;
use crate::lease::SILENCE;

/// Longer times between two calls of [`Collector::hear`] do not count as silence of the agents.
const STANDSTILL: Nanos = Nanos::from_secs(1);

/// The messages of all agents of a run.
#[derive(Debug)]
pub(crate) struct Collector {
    clock: Clock,
    /// Frames, each with the number of its agent.
    frames: Receiver<(usize, Bytes)>,
    agents: Vec<AgentStream>,
    /// When `hear` was called last.
    listened: Nanos,
}

/// The messages of one agent.
#[derive(Debug)]
struct AgentStream {
    joiner: Joiner,
    heard: Nanos,
    loss: Option<AgentLoss>,
}

impl Collector {
    /// Collects the messages of this number of agents.
    pub(crate) fn new(clock: Clock, frames: Receiver<(usize, Bytes)>, agents: usize) -> Self {
        let heard = clock.now();
        let stream = |_| AgentStream {
            joiner: Joiner::default(),
            heard,
            loss: None,
        };
        Self {
            clock,
            frames,
            agents: (0..agents).map(stream).collect(),
            listened: heard,
        }
    }

    /// How an agent was lost.
    pub(crate) fn loss_of(&self, agent: usize) -> Option<AgentLoss> {
        self.agents.get(agent).and_then(|agent| agent.loss)
    }

    /// Notes that the run goes on without an agent.
    pub(crate) fn lose(&mut self, agent: usize, loss: AgentLoss) {
        if let Some(stream) = self.agents.get_mut(agent) {
            stream.loss.get_or_insert(loss);
        }
    }

    /// Waits up to `patience` for the next message or loss.
    pub(crate) fn hear(&mut self, patience: Duration) -> FromFleet {
        self.excuse_a_standstill();
        if let Some((agent, loss)) = self.silent() {
            return FromFleet::Lost { agent, loss };
        }
        match self.frames.recv_timeout(patience) {
            Ok((agent, frame)) => self.frame(agent, &frame),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => FromFleet::Nothing,
        }
    }

    /// Adds the time in which nobody listened to the time that the agents have: this process can have been stopped.
    fn excuse_a_standstill(&mut self) {
        let now = self.clock.now();
        let deaf = now - self.listened;
        if deaf > STANDSTILL {
            self.agents.iter_mut().for_each(|agent| agent.heard += deaf);
        }
        self.listened = now;
    }

    fn frame(&mut self, agent: usize, frame: &[u8]) -> FromFleet {
        let now = self.clock.now();
        let Some(stream) = self
            .agents
            .get_mut(agent)
            .filter(|stream| stream.loss.is_none())
        else {
            return FromFleet::Nothing;
        };
        stream.heard = now;
        match stream.joiner.add(frame) {
            Ok(Some(message)) if !message.is_empty() => FromFleet::Message { agent, message },
            Ok(_) => FromFleet::Nothing,
            Err(_) => {
                let loss = AgentLoss::MessagesLost;
                stream.loss = Some(loss);
                FromFleet::Lost { agent, loss }
            }
        }
    }

    /// An agent that has been silent for too long, and is lost from now on.
    fn silent(&mut self) -> Option<(usize, AgentLoss)> {
        let now = self.clock.now();
        let loss = AgentLoss::Silent;
        let mut agents = self.agents.iter_mut().enumerate();
        let silent = agents.find(|(_, agent)| agent.loss.is_none() && now > agent.heard + SILENCE);
        let (agent, stream) = silent?;
        stream.loss = Some(loss);
        Some((agent, loss))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::frames::Splitter;

    /// A collector that has run for 10 s, and has heard these agents only at the start.
    fn long_silent(agents: &[usize]) -> (Collector, std::sync::mpsc::Sender<(usize, Bytes)>) {
        let (frames, inbox) = channel();
        let clock = Clock::start().behind_by(-10_000_000_000).unwrap();
        let mut collector = Collector::new(clock, inbox, 2);
        for &agent in agents {
            collector.agents[agent].heard = Nanos::ZERO;
        }
        (collector, frames)
    }

    #[test]
    fn a_silent_agent_is_noticed_among_messages_of_others() {
        let (mut collector, frames) = long_silent(&[0]);
        for frame in Splitter::default().frames(b"a") {
            frames.send((1, frame)).unwrap();
        }
        let heard = collector.hear(Duration::ZERO);
        let loss = AgentLoss::Silent;
        assert!(
            matches!(heard, FromFleet::Lost { agent: 0, loss: found } if found == loss),
            "{heard:?}"
        );
        assert!(matches!(
            collector.hear(Duration::ZERO),
            FromFleet::Message { agent: 1, .. }
        ));
    }

    #[test]
    fn a_coordinator_that_stood_still_loses_no_agent() {
        let (mut collector, _frames) = long_silent(&[0, 1]);
        collector.listened = Nanos::ZERO;
        assert!(matches!(collector.hear(Duration::ZERO), FromFleet::Nothing));
    }

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
