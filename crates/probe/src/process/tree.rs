//! The descendants of a process.

use std::collections::HashSet;

use procfs::process::{Process, Stat, all_processes};

/// Maximum number of descendants: more than any server has. A fork bomb must not take the generator down.
const MOST: usize = 1024;

/// All living descendants of a process, parents before children.
pub(super) fn descendants(root: &Process) -> Vec<(Process, Stat)> {
    let mut found: Vec<(Process, Stat)> = Vec::new();
    let mut seen = HashSet::from([root.pid()]);
    let mut pending = children(root);
    while let Some(pid) = pending.pop() {
        if found.len() >= MOST || !seen.insert(pid) {
            continue;
        }
        let Ok(process) = Process::new(pid) else {
            continue;
        };
        let Ok(stat) = process.stat() else { continue };
        if matches!(stat.state, 'Z' | 'X' | 'x') {
            continue;
        }
        pending.extend(children(&process));
        found.push((process, stat));
    }
    found
}

/// The children of a process, from `/proc/PID/task/*/children`. If the kernel has no such file, the parents of all
/// processes are compared.
fn children(process: &Process) -> Vec<i32> {
    let mut children = Vec::new();
    for task in process.tasks().into_iter().flatten().filter_map(Result::ok) {
        match task.children() {
            Ok(pids) => children.extend(pids.into_iter().filter_map(|pid| i32::try_from(pid).ok())),
            // A thread that has just ended has no such file. If the main thread has none, the kernel has no such files.
            Err(_) if task.tid == process.pid() => return children_by_parent(process.pid()),
            Err(_) => {}
        }
    }
    children
}

fn children_by_parent(parent: i32) -> Vec<i32> {
    let stats = all_processes()
        .into_iter()
        .flatten()
        .filter_map(|process| process.ok()?.stat().ok());
    stats
        .filter(|stat| stat.ppid == parent)
        .map(|stat| stat.pid)
        .collect()
}
