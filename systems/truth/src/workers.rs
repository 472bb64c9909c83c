use std::fs::File;
use std::hint;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::clock::{Nanos, now, thread_cpu};
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
    /// The thread `truth-loop`, which writes to a file and waits for the disk.
    Writer,
}

/// A job: time to spend on behalf of `T`.
#[derive(Debug)]
struct Job<T> {
    of: T,
    time: Nanos,
    work: Work,
}

/// How a job spends its time.
#[derive(Debug)]
enum Work {
    /// On a CPU.
    Burn,
    /// On a CPU, and no other such job runs at the same time.
    BurnAlone,
    /// Writing the same block again and again, and waiting until it is on the disk.
    Commit(Arc<File>),
}

/// A finished job.
#[derive(Debug)]
pub(crate) struct Done<T> {
    pub(crate) of: T,
    /// Whether the work was done. Writing to the disk may fail.
    pub(crate) succeeded: bool,
}

/// Size of a written block in bytes.
const BLOCK: usize = 4096;

/// Threads that are busy on request. They simulate a target that is limited by one thread, by a pool of four threads, by a
/// lock or by one writer. The event loop stays free to time all other responses.
#[derive(Debug)]
pub(crate) struct Workers<T> {
    one: SyncSender<Job<T>>,
    pool: SyncSender<Job<T>>,
    done: Receiver<Done<T>>,
    /// The file of [`Crew::Writer`], in the folder for temporary files. It has no name.
    file: Option<Arc<File>>,
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
            file: None,
            threads,
        })
    }

    /// Adds a job. Returns `false` if too many jobs are waiting, or there is no file to write to.
    pub(crate) fn give(&mut self, crew: Crew, of: T, time: Nanos) -> bool {
        let work = match crew {
            Crew::Loop | Crew::Pool => Work::Burn,
            Crew::Turns => Work::BurnAlone,
            Crew::Writer => match self.file() {
                Ok(file) => Work::Commit(file),
                Err(error) => {
                    tracing::warn!(%error, "no temporary file");
                    return false;
                }
            },
        };
        let queue = match crew {
            Crew::Loop | Crew::Writer => &self.one,
            Crew::Pool | Crew::Turns => &self.pool,
        };
        queue.try_send(Job { of, time, work }).is_ok()
    }

    fn file(&mut self) -> io::Result<Arc<File>> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(tempfile::tempfile()?);
        self.file = Some(Arc::clone(&file));
        Ok(file)
    }

    /// Returns the next finished job.
    pub(crate) fn next_done(&self) -> Option<Done<T>> {
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
    finished: &SyncSender<Done<T>>,
    waker: &Waker,
) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let succeeded = match job.work {
            Work::Burn => {
                burn(job.time);
                true
            }
            Work::BurnAlone => {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                burn(job.time);
                true
            }
            Work::Commit(file) => commit(&file, job.time)
                .inspect_err(|error| tracing::warn!(%error, "cannot write to the temporary file"))
                .is_ok(),
        };
        let done = Done {
            of: job.of,
            succeeded,
        };
        if finished.send(done).is_err() {
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

/// Writes to the file and waits for the disk until this time has passed.
fn commit(file: &File, time: Nanos) -> io::Result<()> {
    let end = now() + time;
    while now() < end {
        file.write_all_at(&[0; BLOCK], 0)?;
        file.sync_data()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_takes_the_time_that_was_ordered() {
        let file = tempfile::tempfile().unwrap();
        let begin = now();
        commit(&file, 5_000_000).unwrap();
        assert!(now() - begin >= 5_000_000);
        assert_eq!(file.metadata().unwrap().len(), 4096);
    }

    #[test]
    fn a_burn_uses_the_cpu_time_that_was_ordered() {
        let before = thread_cpu();
        burn(5_000_000);
        let used = thread_cpu() - before;
        assert!((5_000_000..6_000_000).contains(&used), "{used}");
    }
}
