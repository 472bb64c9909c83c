use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use model::Nanos;
use wire::TlsSettings;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::messages::{Command, Event};
use crate::net::Waker;
use crate::stop::Stop;
use crate::worker::{Post, work};
use crate::workers::{Heard, LOOK, Workers};

/// Stack size of a worker. The script engine recurses on it.
const STACK_BYTES: usize = 8 << 20;

/// Workers that are threads of this process.
#[derive(Debug)]
pub(crate) struct Threads {
    hands: Vec<WorkerHandle>,
    events: Receiver<(u32, Event)>,
}

#[derive(Debug)]
struct WorkerHandle {
    commands: Sender<Command>,
    waker: Receiver<Waker>,
    awake: Option<Waker>,
    thread: JoinHandle<()>,
}

/// Maximum time to wait for threads to end. Their measurements have already been sent.
const PATIENCE: Nanos = Nanos::from_secs(2);

impl Threads {
    /// Starts the threads.
    pub(crate) fn start(
        config: &Arc<RunConfig>,
        clock: Clock,
        tls: &TlsSettings,
    ) -> std::io::Result<Self> {
        let (tell, events) = channel();
        let hands = (0..config.workers).map(|number| {
            let (commands, orders) = channel();
            let (hand_over, waker) = channel();
            let post = Post {
                number,
                config: Arc::clone(config),
                clock,
                tls: tls.clone(),
                commands: orders,
                events: tell.clone(),
            };
            let thread = thread::Builder::new()
                .name(format!("worker-{number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || {
                    work(post, |waker| {
                        let _ = hand_over.send(waker); // the receiver lives until the thread ends
                    });
                })?;
            Ok(WorkerHandle {
                commands,
                waker,
                awake: None,
                thread,
            })
        });
        Ok(Self {
            hands: hands.collect::<std::io::Result<_>>()?,
            events,
        })
    }
}

impl Workers for Threads {
    fn len(&self) -> usize {
        self.hands.len()
    }

    fn order(&mut self, worker: usize, command: Command) {
        let hand = &mut self.hands[worker];
        let _ = hand.commands.send(command); // `hear` notices a dead worker
        // The thread sends its waker once it has one, so the first command may have to wait for it.
        if hand.awake.is_none() {
            hand.awake = hand.waker.recv().ok();
        }
        if let Some(waker) = &hand.awake {
            waker.wake();
        }
    }

    fn hear(&mut self, patience: Duration) -> Heard {
        match self.events.recv_timeout(patience) {
            Ok((worker, event)) => Heard::Event(worker, event),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // A thread that panicked sends no event, so check for it whenever nothing arrives.
                let dead = self.hands.iter().find(|hand| hand.thread.is_finished());
                dead.map_or(Heard::Nothing, |hand| {
                    Heard::Died(hand.thread.thread().name().unwrap_or("worker").to_owned())
                })
            }
        }
    }

    /// Ends the threads, and waits for them up to [`PATIENCE`] unless the user has interrupted twice. A thread that is
    /// still busy, perhaps in a call of the script that never returns, ends with the process.
    fn dismiss(mut self: Box<Self>, stop: &Stop, clock: Clock) {
        self.order_all(Command::Exit);
        let until = clock.now() + PATIENCE;
        while stop.asked() < 2 && clock.now() < until {
            // Each thread has a sender while it lives, so the channel disconnects when all have ended.
            let heard = self.events.recv_timeout(LOOK);
            if matches!(heard, Err(RecvTimeoutError::Disconnected)) {
                for hand in self.hands {
                    let _ = hand.thread.join(); // a panic was reported when it happened
                }
                return;
            }
        }
    }
}
