use std::hint;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::clock::{Nanos, thread_cpu};
use crate::waker::Waker;

/// Number of threads in the pool.
const POOL: usize = 4;

/// The threads on which a job may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crew {
    /// The thread `truth-loop`.
    Loop,
    /// The threads `truth-pool-0` to `truth-pool-3`.
    Pool,
    /// The same threads, one at a time.
    Turns,
}

/// A job: CPU time to use on behalf of `T`.
#[derive(Debug)]
struct Job<T> {
    of: T,
    cpu: Nanos,
    /// Whether no other such job may run at the same time.
    alone: bool,
}

/// Threads that use CPU time on request. They simulate a target that is limited by one thread or by a pool of four
/// threads. The event loop stays free to time all other responses.
#[derive(Debug)]
pub(crate) struct Workers<T> {
    one: SyncSender<Job<T>>,
    pool: SyncSender<Job<T>>,
    done: Receiver<T>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts the five threads, which call `waker` after each job. At most `queue` jobs can wait.
    pub(crate) fn start(waker: &Waker, queue: usize) -> io::Result<Self> {
        let (one, one_jobs) = sync_channel(queue);
        let (pool, pool_jobs) = sync_channel(queue);
        let (finished, done) = sync_channel(2 * queue);
        let mut threads = Vec::new();
        let turn = Arc::new(Mutex::new(()));
        let mut start = |name: String, jobs: Arc<Mutex<Receiver<Job<T>>>>| {
            let (finished, waker, turn) = (finished.clone(), waker.clone(), Arc::clone(&turn));
            let thread = Builder::new().name(name);
            threads.push(thread.spawn(move || work(&jobs, &turn, &finished, &waker))?);
            io::Result::Ok(())
        };
        start("truth-loop".to_owned(), Arc::new(Mutex::new(one_jobs)))?;
        let pool_jobs = Arc::new(Mutex::new(pool_jobs));
        for n in 0..POOL {
            start(format!("truth-pool-{n}"), Arc::clone(&pool_jobs))?;
        }
        Ok(Self {
            one,
            pool,
            done,
            threads,
        })
    }

    /// Adds a job. Returns `false` if too many jobs are waiting.
    pub(crate) fn give(&self, crew: Crew, of: T, cpu: Nanos) -> bool {
        let queue = match crew {
            Crew::Loop => &self.one,
            Crew::Pool | Crew::Turns => &self.pool,
        };
        let alone = crew == Crew::Turns;
        queue.try_send(Job { of, cpu, alone }).is_ok()
    }

    /// Returns the value of the next finished job.
    pub(crate) fn next_done(&self) -> Option<T> {
        self.done.try_recv().ok()
    }

    /// Ends the threads, after their current jobs.
    pub(crate) fn stop(self) {
        drop((self.one, self.pool, self.done));
        for thread in self.threads {
            // A thread that panicked has already reported it.
            let _ = thread.join();
        }
    }
}

fn work<T>(
    jobs: &Mutex<Receiver<Job<T>>>,
    turn: &Mutex<()>,
    finished: &SyncSender<T>,
    waker: &Waker,
) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if job.alone {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            burn(job.cpu);
        } else {
            burn(job.cpu);
        }
        if finished.send(job.of).is_err() {
            return;
        }
        waker.wake();
    }
}

/// Uses this much CPU time on the current thread.
pub(crate) fn burn(cpu: Nanos) {
    let end = thread_cpu() + cpu;
    while thread_cpu() < end {
        hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burn_uses_the_cpu_time_that_was_ordered() {
        let before = thread_cpu();
        burn(5_000_000);
        let used = thread_cpu() - before;
        assert!((5_000_000..6_000_000).contains(&used), "{used}");
    }
}
