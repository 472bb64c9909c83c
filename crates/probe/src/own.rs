//! Measures how long each thread of headcount itself ran and waited for a CPU, so that stalls of the generator are not
//! blamed on the target.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use model::Nanos;
use serde::{Deserialize, Serialize};

use crate::process::parse_schedstat;

/// One thread of this process. It must be created in that thread, and can be read from any thread while that thread
/// lives.
#[derive(Debug)]
pub struct OwnThread {
    tid: i32,
    schedstat: File,
}

/// The CPU times of a thread, since its start or, as a difference, between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTime {
    /// Time on a CPU. For a thread that is running now, it may be one scheduler tick old.
    pub ran: Nanos,
    /// Time ready to run and waiting for a CPU.
    pub waited: Nanos,
    /// Number of times that the thread got a CPU.
    pub slices: u64,
}

impl OwnThread {
    /// The calling thread. Fails if the kernel does not provide CPU times of single threads.
    pub fn current() -> io::Result<Self> {
        let tid = rustix::thread::gettid().as_raw_nonzero().get();
        let schedstat = File::open(format!("/proc/self/task/{tid}/schedstat"))?;
        let thread = Self { tid, schedstat };
        thread.read()?;
        Ok(thread)
    }

    /// The thread id.
    pub fn tid(&self) -> i32 {
        self.tid
    }

    /// Reads the CPU times since the start of the thread, in about a microsecond. Fails if the thread has ended.
    pub fn read(&self) -> io::Result<ThreadTime> {
        let mut bytes = [0; 64];
        let length = self.schedstat.read_at(&mut bytes, 0)?;
        let text = std::str::from_utf8(&bytes[..length]).map_err(io::Error::other)?;
        let (ran, waited) = parse_schedstat(text).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::Unsupported,
                "the kernel provides no CPU times of threads (schedstat)",
            )
        })?;
        let slices = text.split_ascii_whitespace().nth(2);
        Ok(ThreadTime {
            ran,
            waited,
            slices: slices.and_then(|count| count.parse().ok()).unwrap_or(0),
        })
    }
}

/// Resident memory of this process, in bytes. Cheap enough to read once per second.
pub fn own_memory() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * u64::try_from(rustix::param::page_size()).ok()?)
}

impl ThreadTime {
    /// The mean wait for a CPU. `None` if the thread never got a CPU.
    pub fn waited_each(self) -> Option<Nanos> {
        self.waited.0.checked_div(self.slices).map(Nanos)
    }

    /// The difference to `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            ran: self.ran - earlier.ran,
            waited: self.waited - earlier.waited,
            slices: self.slices.saturating_sub(earlier.slices),
        }
    }
}
