use std::sync::{Arc, Weak};

use kit::fault::{Faults, Kind, Lane, Step};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::{Directory, Recipient};
use crate::line::Frame;

/// One frame for one recipient.
#[derive(Debug)]
pub(crate) struct Mail {
    frame: Frame,
    /// The session that sent the message. `None` for the editor's own messages, which no fault affects.
    sender: Option<u64>,
    posted: Instant,
}

impl Mail {
    pub(super) fn new(frame: &Frame, sender: Option<u64>) -> Self {
        Self {
            frame: frame.clone(),
            sender,
            posted: Instant::now(),
        }
    }
}

/// Sends frames to one recipient and injects faults.
struct Tampering<D> {
    directory: Weak<D>,
    faults: Arc<Faults>,
    /// The recipient's own session.
    visit: u64,
    way: Recipient,
    lane: Lane<u64, Frame>,
}

/// Starts the task that injects faults and passes frames to `way`. The task's queue holds at most `queue` frames.
pub(super) fn start(
    directory: &Arc<impl Directory>,
    faults: &Arc<Faults>,
    visit: u64,
    way: &Recipient,
    queue: usize,
) -> mpsc::Sender<Mail> {
    let (posts, mails) = mpsc::channel(queue);
    let tampering = Tampering {
        directory: Arc::downgrade(directory),
        faults: faults.clone(),
        visit,
        way: way.clone(),
        lane: Lane::default(),
    };
    tokio::spawn(tampering.run(mails));
    posts
}

impl<D: Directory> Tampering<D> {
    async fn run(mut self, mut mails: mpsc::Receiver<Mail>) {
        loop {
            let mut steps = Vec::new();
            let mail = match self.lane.next_release() {
                None => mails.recv().await,
                Some(release) => tokio::select! {
                    mail = mails.recv() => mail,
                    () = sleep_until(release) => {
                        self.faults.stall_over().await;
                        self.lane.release(Instant::now(), &mut steps);
                        self.perform(steps);
                        continue;
                    }
                },
            };
            let Some(mail) = mail else {
                self.lane.release_all(&mut steps);
                return self.perform(steps);
            };
            self.faults.hold(mail.posted).await;
            match mail.sender {
                Some(sender) => {
                    let turn = self.faults.next_turn();
                    self.lane
                        .offer(sender, mail.frame, turn, Instant::now(), &mut steps);
                }
                None => steps.push(Step::Send(mail.frame)),
            }
            self.perform(steps);
        }
    }

    fn perform(&self, steps: Vec<Step<Frame>>) {
        for step in steps {
            match step {
                Step::Send(frame) => self.send(&frame),
                Step::Stray(frame) => {
                    self.send(&frame);
                    self.stray(&frame);
                }
                Step::Count(kind) => {
                    self.faults.tally().add(kind, 1);
                }
            }
        }
    }

    fn send(&self, frame: &Frame) {
        if !self.way.post(frame, None)
            && let Some(directory) = self.directory.upgrade()
        {
            directory.count_too_slow();
        }
    }

    /// Sends the frame to a recipient in a room that this recipient has not joined, if there is any.
    fn stray(&self, frame: &Frame) {
        let wrong = self
            .directory
            .upgrade()
            .and_then(|directory| directory.somebody_apart_from(self.visit));
        if let Some(wrong) = wrong {
            wrong.untampered().post(frame, None);
            self.faults.tally().add(Kind::Strayed, 1);
        }
    }
}
