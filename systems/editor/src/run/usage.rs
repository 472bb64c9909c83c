//! Measures the memory of a sandbox with all its processes, files and sockets, from `/proc`.
//!
//! Data queued in a socket belongs to no process. Without a control group the kernel reports only the number of
//! sockets, not the amount of data. Therefore each socket counts with its maximum.
//!
//! The kernel's own limits are per process. Without a control group, only frequent measurements limit the total.
//! Between two measurements, the limit per process (from `Limits::memory`) bounds the growth.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{stat, statvfs};

/// Interval between measurements.
const EVERY: Duration = Duration::from_millis(20);

/// Kernel memory of an empty file, in bytes.
const PER_FILE: u64 = 1024;

/// Maximum memory of a socket in bytes beyond its buffer limit, for its own structures and the last accepted piece.
const BESIDE_BUFFER: u64 = 32 * 1024;
/// Assumed buffer limit of a socket whose limit the kernel does not report. The system call filter prevents programs from
/// raising the limit.
const BUFFER: u64 = 212_992;

/// Waits until the sandbox whose first process is `process` uses more than `most` bytes. Sockets count only if
/// `counted` is true, because a control group already covers them.
pub(super) async fn beyond(process: i32, most: u64, counted: bool) {
    loop {
        tokio::time::sleep(EVERY).await;
        let looked = tokio::task::spawn_blocking(move || is_beyond(process, most, counted)).await;
        if looked.unwrap_or(false) {
            return;
        }
    }
}

fn is_beyond(process: i32, most: u64, counted: bool) -> bool {
    let root = PathBuf::from(format!("/proc/{process}/root"));
    if !is_made(&root) {
        return false;
    }
    let sockets = if counted { sockets(process) } else { 0 };
    let beside = files(&root) + sockets;
    // The quick sum counts shared pages once per process, so it only decides whether to compute the exact sum.
    beside + memory(&root, quick) > most && beside + memory(&root, exact) > most
}

/// Upper bound of the memory, in bytes, of all sockets in the sandbox's own network.
fn sockets(process: i32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{process}/net/sockstat")).unwrap_or_default();
    let buffer = fs::read_to_string("/proc/sys/net/core/wmem_default").ok();
    let buffer = buffer.and_then(|bytes| bytes.trim().parse().ok());
    used(&told) * (buffer.unwrap_or(BUFFER) + BESIDE_BUFFER)
}

/// Parses the number in `sockets: used 12`.
fn used(sockstat: &str) -> u64 {
    let line = sockstat
        .lines()
        .find_map(|line| line.strip_prefix("sockets: used "));
    line.and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

/// Whether the sandbox exists. Until bubblewrap has created it, the process still has the host's root, and the sum
/// would cover the whole machine.
fn is_made(root: &Path) -> bool {
    let device = |proc: &Path| Some(stat(proc).ok()?.st_dev);
    let inside = device(&root.join("proc"));
    inside.is_some() && inside != device(Path::new("/proc"))
}

fn files(root: &Path) -> u64 {
    ["tmp", "dev/shm"]
        .iter()
        .filter_map(|place| statvfs(root.join(place)).ok())
        .map(|space| {
            (space.f_blocks - space.f_bfree) * space.f_frsize
                + (space.f_files - space.f_ffree) * PER_FILE
        })
        .sum()
}

/// Adds up the memory of the processes in the sandbox's own `/proc`.
fn memory(root: &Path, of_one: fn(&Path) -> Option<u64>) -> u64 {
    let Ok(entries) = fs::read_dir(root.join("proc")) else {
        return 0;
    };
    entries
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .iter()
                .all(u8::is_ascii_digit)
        })
        .filter_map(|entry| of_one(&entry.path()))
        .sum()
}

fn quick(process: &Path) -> Option<u64> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    Some(sum(&status, &["RssAnon:", "RssShmem:"]))
}

fn exact(process: &Path) -> Option<u64> {
    let pages = fs::read_to_string(process.join("smaps_rollup")).ok()?;
    Some(sum(&pages, &["Pss_Anon:", "Pss_Shmem:"]))
}

/// Adds up lines such as `RssAnon: 1234 kB`, in bytes. A process that is ending has no such lines.
fn sum(text: &str, names: &[&str]) -> u64 {
    let kibibytes = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        names
            .contains(&name)
            .then(|| words.next()?.parse::<u64>().ok())?
    });
    kibibytes.sum::<u64>() * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_sandbox_is_made_nothing_of_the_host_is_counted() {
        assert!(!is_made(Path::new("/")));
        assert!(!is_beyond(std::process::id().cast_signed(), 1, true));
    }

    #[test]
    fn the_sockets_of_a_network_are_read() {
        assert_eq!(used("sockets: used 12\nTCP: inuse 3 orphan 0\n"), 12);
        assert_eq!(used(""), 0);
    }

    #[test]
    fn the_named_lines_are_added_up_in_bytes() {
        let status = "Name:\tx\nVmRSS:\t 900 kB\nRssAnon:\t     100 kB\nRssFile:\t 7 kB\nRssShmem:\t       3 kB\n";
        assert_eq!(sum(status, &["RssAnon:", "RssShmem:"]), 103 * 1024);
        assert_eq!(sum("", &["RssAnon:"]), 0);
    }
}
