use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::setpriority_process;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::config::HashConfig;
use super::scheme::{Scheme, SchemeError, Scratch};
use crate::metrics::HashCounters;
use crate::refusal::Refusal;
use crate::types::Password;

/// The minimum and maximum niceness of hashing threads, so that threads that respond run first. The minimum applies to
/// one thread per core.
const NICE: (i32, i32) = (10, 19);
/// The factor by which one step of niceness reduces a thread's weight (Linux's `sched_prio_to_weight`).
const NICE_STEP: f64 = 1.25;

/// The longest wait of a request, as a multiple of `--hash-wait`. It exceeds 1 because the last request in a full queue
/// also waits for its own hash.
const OVER_THE_WAIT: f64 = 1.25;

/// The password whose hash is checked if the user does not exist. The check takes as long as a real one, so response
/// times do not reveal whether an account exists.
const NOBODY: &str = "nobody's password";

/// The hashing threads and their queue.
#[derive(Clone, Debug)]
pub(crate) struct Hashing {
    jobs: SyncSender<Job>,
    scheme: Arc<Scheme>,
    nobody: Arc<str>,
    counters: HashCounters,
    state: HashingState,
    /// Time limit for a queued request. A full queue can take longer than expected, because other work on the cores
    /// slows hashing down. `None` if `--hash-queue` sets the queue length.
    patience: Option<Duration>,
}

/// Facts about hashing, for `/healthz`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashingState {
    pub(crate) threads: u32,
    pub(crate) queue: u32,
    /// Number of hashes computed in parallel: at most one per core, because more threads are not faster.
    at_once: u32,
    /// The time that one hash takes, measured at startup.
    pub(crate) cost: Duration,
}

/// The result of checking a password.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) good: bool,
    /// The password's hash under the current scheme. `None` if the stored hash already uses that scheme.
    pub(crate) renewed: Option<String>,
}

type Work = Box<dyn FnOnce(&mut Scratch) + Send>;

/// Queued work. `wanted` returns whether a request still waits for the result.
struct Job {
    wanted: Box<dyn Fn() -> bool + Send>,
    work: Work,
}

impl Hashing {
    /// Starts the threads. First computes two hashes, to measure how long a hash takes on this machine.
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
            "hashing threads started"
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

    /// The scheme of new passwords, as text.
    pub(crate) fn scheme(&self) -> String {
        self.scheme.name()
    }

    /// Number of queued passwords.
    pub(crate) fn waiting(&self) -> i64 {
        self.counters.waiting.get()
    }

    /// Hashes a new password. Waits for a thread, but fails at once if the queue is full.
    pub(crate) async fn hash(&self, password: Password) -> Result<String, Refusal> {
        let scheme = self.scheme.clone();
        let hashed = self
            .run(move |scratch| scheme.hash(password.reveal(), scratch))
            .await?;
        hashed.map_err(|error| match error {
            SchemeError::TooLong => Refusal::InvalidField("password", error.to_string()),
            SchemeError::Broken(_) | SchemeError::Thread(_) => Refusal::Internal(error.to_string()),
        })
    }

    /// Checks a password against a hash. Without a hash, the check takes the same time and fails.
    pub(crate) async fn check(
        &self,
        password: Password,
        hash: Option<String>,
    ) -> Result<Checked, Refusal> {
        let (scheme, nobody) = (self.scheme.clone(), self.nobody.clone());
        let checked = self
            .run(move |scratch| check(&scheme, (&password, hash.as_deref()), &nobody, scratch))
            .await?;
        checked.map_err(|error| Refusal::Internal(error.to_string()))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Scratch) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (done, result) = oneshot::channel();
        let done = Arc::new(Mutex::new(Some(done)));
        let asked = done.clone();
        let wanted = move || {
            let done = asked.lock().unwrap_or_else(PoisonError::into_inner);
            done.as_ref().is_some_and(|done| !done.is_closed())
        };
        let work = move |scratch: &mut Scratch| {
            let result = work(scratch);
            let done = done.lock().unwrap_or_else(PoisonError::into_inner).take();
            // An error means that the request has been cancelled and needs no result.
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

    /// The time that hashing a full queue takes.
    fn drain_time(&self) -> Duration {
        self.state.cost * self.state.queue / self.state.at_once.max(1)
    }
}

/// Returns the hash of [`NOBODY`] and the shorter time of two hashes. The first hash is slower, because it also
/// allocates memory.
fn measured(scheme: &Scheme) -> Result<(String, Duration), SchemeError> {
    let begun = Instant::now();
    let mut scratch = Scratch::default();
    scheme.hash(NOBODY, &mut scratch)?;
    let first = begun.elapsed();
    let hash = scheme.hash(NOBODY, &mut scratch)?;
    let second = begun.elapsed().saturating_sub(first);
    Ok((hash, first.min(second).max(Duration::from_micros(1))))
}

/// The number of hashes that `threads` threads compute within `wait`, clamped to 4 to 65,536.
fn fitting(wait: Duration, cost: Duration, threads: u32) -> u32 {
    let fit = wait.as_secs_f64() / cost.as_secs_f64() * f64::from(threads);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of u32"
    )]
    let fit = fit.clamp(4.0, 65_536.0) as u32;
    fit
}

/// The niceness of each thread. Threads that share a core get a higher niceness, so that together they weigh as much as
/// a single thread. The niceness is limited to the maximum of [`NICE`].
fn nice(threads: u32, cores: u32) -> i32 {
    let sharing = f64::from(threads.max(1)) / f64::from(cores.max(1));
    let (least, most) = NICE;
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let more = (sharing.ln() / NICE_STEP.ln()).ceil() as i32;
    (least + more).clamp(least, most)
}

fn check(
    scheme: &Scheme,
    (password, hash): (&Password, Option<&str>),
    nobody: &str,
    scratch: &mut Scratch,
) -> Result<Checked, SchemeError> {
    let matches = Scheme::verify(password.reveal(), hash.unwrap_or(nobody), scratch)?;
    let good = matches && hash.is_some();
    let renewed = hash.filter(|hash| good && !scheme.made(hash));
    // A password that is too long for the current scheme (bcrypt) keeps its old hash.
    let renewed = renewed.and_then(|_| scheme.hash(password.reveal(), scratch).ok());
    scratch.fit(scheme);
    Ok(Checked { good, renewed })
}

/// Runs a hashing thread until every sender is dropped.
fn work_off(queued: &Mutex<Receiver<Job>>, counters: &HashCounters, nice: i32) {
    if let Err(error) = setpriority_process(None, nice) {
        tracing::debug!(%error, "cannot lower the priority of a hashing thread");
    }
    let mut scratch = Scratch::default();
    loop {
        let next = queued.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        counters.waiting.dec();
        if !(job.wanted)() {
            counters.abandoned.inc();
            continue;
        }
        let begun = Instant::now();
        (job.work)(&mut scratch);
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
