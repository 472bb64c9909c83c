use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::setpriority_process;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::HashConfig;
use super::scheme::{Scheme, SchemeError};
use crate::metrics::HashCounters;
use crate::refusal::Refusal;
use crate::types::Password;

/// How far one thread by core steps back behind what answers requests, and how far threads can at most.
const NICE: (i32, i32) = (10, 19);
/// By how much a step of niceness lessens a thread's part of a core (Linux's `sched_prio_to_weight`).
const NICE_STEP: f64 = 1.25;

/// The last in a full queue waits for the bearable time and a hash; nobody waits for longer than this many times of it.
const OVER_THE_WAIT: f64 = 1.25;

/// What a password is held against when there is no such user: it takes as long, so that nobody learns
/// who has an account.
const NOBODY: &str = "nobody's password";

/// The threads that hash, and the queue before them.
#[derive(Clone, Debug)]
pub(crate) struct Hashing {
    jobs: SyncSender<Job>,
    scheme: Arc<Scheme>,
    nobody: Arc<str>,
    counters: HashCounters,
    state: HashingState,
    /// Who has waited for so long is refused too: hashing takes longer than at the start when its cores are busy.
    patience: Option<Duration>,
}

/// What there is, for health.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashingState {
    pub(crate) threads: u32,
    pub(crate) queue: u32,
    /// Hashes that are made at the same time: more threads than cores make none faster.
    at_once: u32,
    /// What one hash took at the start.
    pub(crate) cost: Duration,
}

/// What came of checking a password.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) good: bool,
    /// Its hash by today's scheme, where the one that was kept is by another.
    pub(crate) renewed: Option<String>,
}

type Work = Box<dyn FnOnce() + Send>;

/// Something to be hashed; `wanted` says whether anybody still waits for it.
struct Job {
    wanted: Box<dyn Fn() -> bool + Send>,
    work: Work,
}

impl Hashing {
    /// Starts the threads; hashes, to see what it costs here.
    pub(crate) fn start(config: &HashConfig, counters: HashCounters) -> Result<Self, SchemeError> {
        let scheme = Scheme::new(config)?;
        let (nobody, cost) = measured(&scheme)?;
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = match config.hash_threads {
            0 => u32::try_from(cores).unwrap_or(1),
            threads => u32::from(threads),
        };
        let at_once = threads.min(u32::try_from(cores).unwrap_or(1));
        let queue = match config.hash_queue {
            0 => fitting(config.hash_wait, cost, at_once),
            queue => queue,
        };
        let (jobs, queued) = sync_channel(queue as usize);
        let queued = Arc::new(Mutex::new(queued));
        let nice = nice(threads, at_once);
        for _ in 0..threads {
            let (queued, counters) = (queued.clone(), counters.clone());
            let thread = thread::Builder::new().name("hashing".to_owned());
            thread
                .spawn(move || work_off(&queued, &counters, nice))
                .map_err(SchemeError::Thread)?;
        }
        let state = HashingState {
            threads,
            queue,
            at_once,
            cost,
        };
        tracing::info!(
            scheme = scheme.name(),
            threads,
            queue,
            cost_ms = cost.as_millis(),
            "passwords are hashed"
        );
        Ok(Self {
            jobs,
            scheme: Arc::new(scheme),
            nobody: nobody.into(),
            counters,
            state,
            patience: (config.hash_queue == 0).then(|| config.hash_wait.mul_f64(OVER_THE_WAIT)),
        })
    }

    pub(crate) fn state(&self) -> HashingState {
        self.state
    }

    /// The scheme of new passwords, for people.
    pub(crate) fn scheme(&self) -> String {
        self.scheme.name()
    }

    /// Passwords that wait.
    pub(crate) fn waiting(&self) -> i64 {
        self.counters.waiting.get()
    }

    /// Hashes a new password.
    pub(crate) async fn hash(&self, password: Password) -> Result<String, Refusal> {
        let scheme = self.scheme.clone();
        let hashed = self.run(move || scheme.hash(password.reveal())).await?;
        hashed.map_err(|error| match error {
            SchemeError::TooLong => Refusal::InvalidField("password", error.to_string()),
            SchemeError::Broken(_) | SchemeError::Thread(_) => Refusal::Internal(error.to_string()),
        })
    }

    /// Holds a password against a hash, or against nobody's.
    pub(crate) async fn check(
        &self,
        password: Password,
        hash: Option<String>,
    ) -> Result<Checked, Refusal> {
        let (scheme, nobody) = (self.scheme.clone(), self.nobody.clone());
        let checked = self
            .run(move || check(&scheme, &password, hash.as_deref(), &nobody))
            .await?;
        checked.map_err(|error| Refusal::Internal(error.to_string()))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (done, result) = oneshot::channel();
        let done = Arc::new(Mutex::new(Some(done)));
        let asked = done.clone();
        let wanted = move || {
            let done = asked.lock().unwrap_or_else(PoisonError::into_inner);
            done.as_ref().is_some_and(|done| !done.is_closed())
        };
        let work = move || {
            let result = work();
            let done = done.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Nobody waits any longer: fine.
            let _ = done.map(|done| done.send(result));
        };
        self.counters.waiting.inc();
        let job = Job {
            wanted: Box::new(wanted),
            work: Box::new(work),
        };
        if let Err(error) = self.jobs.try_send(job) {
            self.counters.waiting.dec();
            self.counters.refused.inc();
            return Err(match error {
                TrySendError::Full(_) => self.full(),
                TrySendError::Disconnected(_) => Refusal::Stopping,
            });
        }
        let result = async { result.await.map_err(|_| Refusal::Stopping) };
        let Some(patience) = self.patience else {
            return result.await;
        };
        timeout(patience, result).await.unwrap_or_else(|_| {
            self.counters.refused.inc();
            Err(self.full())
        })
    }

    fn full(&self) -> Refusal {
        Refusal::HashingFull {
            retry_s: self.drain_time().as_secs() + 1,
        }
    }

    /// How long the full queue takes.
    fn drain_time(&self) -> Duration {
        self.state.cost * self.state.queue / self.state.at_once.max(1)
    }
}

/// A hash, and what it costs here: the better of two, since the first finds no memory ready.
fn measured(scheme: &Scheme) -> Result<(String, Duration), SchemeError> {
    let begun = Instant::now();
    scheme.hash(NOBODY)?;
    let first = begun.elapsed();
    let hash = scheme.hash(NOBODY)?;
    let second = begun.elapsed().saturating_sub(first);
    Ok((hash, first.min(second).max(Duration::from_micros(1))))
}

/// How many hashes fit into a time.
fn fitting(wait: Duration, cost: Duration, threads: u32) -> u32 {
    let fit = wait.as_secs_f64() / cost.as_secs_f64() * f64::from(threads);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to what fits"
    )]
    let fit = fit.clamp(4.0, 65_536.0) as u32;
    fit
}

/// How far each thread steps back: however many share a core, together they weigh there as one does.
fn nice(threads: u32, cores: u32) -> i32 {
    let sharing = f64::from(threads.max(1)) / f64::from(cores.max(1));
    let (least, most) = NICE;
    #[expect(clippy::cast_possible_truncation, reason = "a few steps")]
    let more = (sharing.ln() / NICE_STEP.ln()).ceil() as i32;
    (least + more).clamp(least, most)
}

fn check(
    scheme: &Scheme,
    password: &Password,
    hash: Option<&str>,
    nobody: &str,
) -> Result<Checked, SchemeError> {
    let matches = Scheme::verify(password.reveal(), hash.unwrap_or(nobody))?;
    let good = matches && hash.is_some();
    let renewed = hash.filter(|hash| good && !scheme.made(hash));
    // A password that today's scheme does not take keeps its old hash.
    let renewed = renewed.and_then(|_| scheme.hash(password.reveal()).ok());
    Ok(Checked { good, renewed })
}

/// One thread: until the last sender is gone.
fn work_off(queued: &Mutex<Receiver<Job>>, counters: &HashCounters, nice: i32) {
    if let Err(error) = setpriority_process(None, nice) {
        tracing::debug!(%error, "hashing does not step back");
    }
    loop {
        let next = queued.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        counters.waiting.dec();
        if !(job.wanted)() {
            counters.abandoned.inc();
            continue;
        }
        let begun = Instant::now();
        (job.work)();
        counters.hashed.inc();
        counters.busy.inc_by(begun.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_holds_what_is_hashed_in_time() {
        let ms = Duration::from_millis;
        assert_eq!(fitting(ms(8000), ms(250), 2), 64);
        assert_eq!(fitting(ms(8000), ms(25), 2), 640);
        assert_eq!(fitting(ms(1), ms(250), 2), 4);
    }

    #[test]
    fn threads_that_share_a_core_weigh_no_more_than_one() {
        assert_eq!(
            [(1, 1), (2, 2), (1, 2)].map(|(threads, cores)| nice(threads, cores)),
            [10; 3]
        );
        // Linux: a thread of niceness 10 weighs 110, one of 17 weighs 23, one of 19 weighs 15.
        assert_eq!(nice(8, 2), 17);
        assert_eq!((nice(16, 2), nice(256, 2)), (19, 19));
    }
}
