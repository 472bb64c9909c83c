//! Turns: connections with much work leave time for everything else on their thread, such as health checks.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::Instant;

/// Work of connections after which everything else that is ready runs, such as a health check.
const ROUND: Duration = Duration::from_millis(2);

/// Turns given out per thread at once. A task that waits for a turn runs again only after everything else that is ready,
/// so with a single turn a busy thread would do one quick piece of work per round. Each turn beyond those that fit into a
/// round is woken in vain, once per round.
const AT_ONCE: usize = 32;

thread_local! {
    /// Work on this thread in its current round.
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// Number of this thread's current round.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// Shares each thread between the connections and everything else. One message can take milliseconds and one of each of
/// hundreds of connections can arrive at once, but a health check then waits only for 2 ms of work and one message.
#[derive(Debug)]
pub struct Turns {
    /// [`AT_ONCE`] turns per thread.
    threads: Semaphore,
    /// Slow work takes its turns one piece at a time, even with several threads. Otherwise, other work would wait behind a
    /// piece of every slow connection.
    heavy: Semaphore,
}

impl Turns {
    /// Creates the turns of the current runtime.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    #[must_use]
    pub fn of_runtime() -> Self {
        Self {
            threads: Semaphore::new(Handle::current().metrics().num_workers() * AT_ONCE),
            heavy: Semaphore::new(1),
        }
    }

    /// Whether work on this thread must wait for its turn.
    #[must_use]
    pub fn is_spent() -> bool {
        SPENT.get() >= ROUND
    }

    /// Does the work without waiting for a turn.
    pub fn now<T>(work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = work();
        SPENT.set(SPENT.get() + began.elapsed());
        result
    }

    /// Does the work in its turn. `heavy` states that it is known to be slow.
    pub async fn take<T>(&self, heavy: bool, work: impl FnOnce() -> T) -> T {
        // Errors mean a closed semaphore, and nobody closes these.
        let _heavy = if heavy {
            self.heavy.acquire().await.ok()
        } else {
            None
        };
        let _turn = self.threads.acquire().await;
        Self::others().await;
        Self::now(work)
    }

    /// Runs a future in turns: while there is nothing else to do on its thread, at once, and otherwise one piece after the
    /// other with those of all other futures that are run like this.
    pub async fn share<F: Future>(&self, work: F) -> F::Output {
        self.share_while(|| true, work).await
    }

    /// Like [`Self::share`], but only while `shares` is true. Otherwise the future runs as if it was alone. A future that
    /// shares must not contain others that do: it would wait for itself.
    pub async fn share_while<F: Future>(&self, shares: impl Fn() -> bool, work: F) -> F::Output {
        let mut work = pin!(work);
        loop {
            let shared = shares();
            let must_wait = || Self::is_spent() || self.threads.available_permits() == 0;
            let turn = if shared && must_wait() {
                let turn = self.threads.acquire().await;
                Self::others().await;
                Some(turn)
            } else {
                None
            };
            let piece = poll_fn(|context| {
                let mut poll = || work.as_mut().poll(context);
                Poll::Ready(if shared { Self::now(poll) } else { poll() })
            });
            if let Poll::Ready(result) = piece.await {
                return result;
            }
            drop(turn);
            woken().await;
        }
    }

    /// Lets everything else that is ready run, if this thread's round is over.
    pub async fn others() {
        while Self::is_spent() {
            let round = NUMBER.get();
            yield_now().await;
            // Several tasks can wait for the same round, and only the first of them begins it. The task may also continue
            // on another thread, whose round usually has another number and is then left as it is.
            if NUMBER.get() == round {
                NUMBER.set(round + 1);
                SPENT.set(Duration::ZERO);
            }
        }
    }
}

/// Waits until something wakes the current task.
async fn woken() {
    let mut waited = false;
    poll_fn(|_| {
        if waited {
            return Poll::Ready(());
        }
        waited = true;
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::thread;

    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test]
    async fn other_tasks_run_after_each_round_of_work() {
        let (turns, ran) = (
            Arc::new(Turns::of_runtime()),
            Arc::new(Mutex::new(Vec::new())),
        );
        let mut tasks = JoinSet::new();
        for heavy in [true, false, true, false] {
            let (turns, ran) = (turns.clone(), ran.clone());
            tasks.spawn(async move {
                turns
                    .take(heavy, || {
                        thread::sleep(ROUND);
                        ran.lock().unwrap().push("slow");
                    })
                    .await;
            });
        }
        let check = ran.clone();
        tasks.spawn(async move {
            yield_now().await;
            check.lock().unwrap().push("check");
        });
        tasks.join_all().await;
        let ran = ran.lock().unwrap();
        let before = ran.iter().position(|one| *one == "check");
        assert_eq!(ran.len(), 5);
        assert!(before.is_some_and(|before| before <= 2), "{ran:?}");
    }

    #[tokio::test]
    async fn slow_work_of_many_does_not_delay_quick_work() {
        let (turns, ran) = (
            Arc::new(Turns::of_runtime()),
            Arc::new(Mutex::new(Vec::new())),
        );
        let mut tasks = JoinSet::new();
        for heavy in [true, true, true, true, false] {
            let (turns, ran) = (turns.clone(), ran.clone());
            tasks.spawn(async move {
                let work = || {
                    thread::sleep(if heavy { ROUND } else { Duration::ZERO });
                    ran.lock().unwrap().push(heavy);
                };
                turns.take(heavy, work).await;
            });
        }
        tasks.join_all().await;
        let ran = ran.lock().unwrap();
        assert_eq!(ran.len(), 5);
        // Two began before it: at once, and in the first turn.
        assert!(ran[..3].contains(&false), "{ran:?}");
    }

    #[tokio::test]
    async fn much_other_work_leaves_many_turns_for_quick_work() {
        const PIECES: usize = 100;
        let turns = Arc::new(Turns::of_runtime());
        let passes = Arc::new(AtomicUsize::new(0));
        let other = tokio::spawn({
            let passes = passes.clone();
            async move {
                loop {
                    passes.fetch_add(1, Ordering::Relaxed);
                    yield_now().await;
                }
            }
        });
        // The round is spent, so all that follow wait for their turns.
        Turns::now(|| thread::sleep(ROUND));
        let mut quick = JoinSet::new();
        for _ in 0..PIECES {
            let turns = turns.clone();
            quick.spawn(async move { turns.share(async {}).await });
        }
        quick.join_all().await;
        other.abort();
        let passes = passes.load(Ordering::Relaxed);
        assert!(passes < PIECES / 4, "{passes} passes");
    }

    #[tokio::test]
    async fn shared_work_of_many_leaves_room_for_everything_else() {
        let turns = Arc::new(Turns::of_runtime());
        let ran = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        for _ in 0..20 {
            let (turns, ran) = (turns.clone(), ran.clone());
            tasks.spawn(async move {
                let work = async {
                    for _ in 0..3 {
                        thread::sleep(ROUND);
                        ran.lock().unwrap().push("slow");
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                };
                turns.share(work).await;
            });
        }
        let check = ran.clone();
        tasks.spawn(async move {
            yield_now().await;
            check.lock().unwrap().push("check");
        });
        tasks.join_all().await;
        let ran = ran.lock().unwrap();
        let before = ran.iter().position(|one| *one == "check");
        assert_eq!(ran.len(), 61);
        assert!(before.is_some_and(|before| before <= 2), "{ran:?}");
    }
}
