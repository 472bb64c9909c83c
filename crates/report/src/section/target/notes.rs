use format::{amount, count, megabytes, number, percent, plural, seconds};
use record::{CgroupUse, Level, MemoryGrowth, Run, Scrapes, TargetEnd, TargetUse};

use super::super::label;

/// Returns the notable observations of each level.
pub(super) fn all(run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    for level in &run.levels {
        let at = label(&level.load);
        let of_level = level.target.iter().flat_map(of_target);
        notes.extend(of_level.map(|note| format!("at {at}: {note}")));
    }
    let missing = run.levels.iter().filter(|level| level.target.is_none());
    let missing: Vec<String> = missing.map(|level| label(&level.load)).collect();
    if !missing.is_empty() {
        notes.push(format!(
            "the target's process was not found at {}",
            missing.join(", ")
        ));
    }
    notes.extend(cores(&run.levels));
    notes
}

fn of_target(target: &TargetUse) -> Vec<String> {
    let queue = target.listen_queue.filter(|queue| queue.full > 0);
    let notes = [
        target.memory_growth.as_ref().and_then(growth),
        queue.map(|queue| {
            format!(
                "the listen queue was full in {} of {}",
                count(queue.full),
                plural(queue.looks, "sample")
            )
        }),
        target.cgroup.as_ref().and_then(throttled),
        target.cgroup.as_ref().and_then(memory_limit),
        target.cgroup.as_ref().and_then(killed),
        target.scrapes.as_ref().and_then(scrapes),
    ];
    let ends = target.ends.iter().map(end);
    ends.chain(notes.into_iter().flatten()).collect()
}

/// Formats the end of a process:
/// `process 4711 was gone after 3.0 s, killed for lack of memory; process 4712 was found after 5.0 s`.
fn end(end: &TargetEnd) -> String {
    if end.pid == 0 {
        return format!("a restart was detected after {}", seconds(end.at_s));
    }
    let why = match end.out_of_memory {
        Some(true) => ", killed for lack of memory",
        Some(false) | None => "",
    };
    let then = match (end.next_pid, end.next_at_s) {
        (Some(next), Some(at)) => format!("process {next} was found after {}", seconds(at)),
        _ => "no later process was found".to_owned(),
    };
    format!(
        "process {} was gone after {}{why}; {then}",
        end.pid,
        seconds(end.at_s)
    )
}

/// Formats the end of a process briefly: `killed for lack of memory after 12 s`.
pub(super) fn end_in_short(end: &TargetEnd) -> String {
    let what = match end.out_of_memory {
        _ if end.pid == 0 => "restarted",
        Some(true) => "killed for lack of memory",
        Some(false) | None => "gone",
    };
    format!("{what} after {}", seconds(end.at_s))
}

fn growth(growth: &MemoryGrowth) -> Option<String> {
    let kilobytes = |bytes: f64| number(bytes / 1e3);
    growth.steady.then(|| {
        format!(
            "memory grew steadily, by {} kB/s (95 % interval {} to {})",
            kilobytes(growth.bytes_per_s),
            kilobytes(growth.low),
            kilobytes(growth.high)
        )
    })
}

fn throttled(cgroup: &CgroupUse) -> Option<String> {
    let periods = cgroup.throttled_periods.filter(|periods| *periods > 0)?;
    let limit = cgroup.cpu_limit_cores;
    let limit = limit.map_or(String::new(), |cores| {
        format!(" of {} cores", amount(cores))
    });
    let all = cgroup
        .periods
        .map_or(String::new(), |all| format!(" of {}", count(all)));
    let time = cgroup.throttled_s.unwrap_or(0.0);
    Some(format!(
        "the target's CPU quota{limit} was used up in {}{all} periods, which stopped its threads for {}",
        count(periods),
        seconds(time)
    ))
}

/// Share of the memory limit from which memory use is reported, in percent.
const NEAR_PERCENT: f64 = 80.0;

fn memory_limit(cgroup: &CgroupUse) -> Option<String> {
    let (used, limit) = (cgroup.memory_mb_max?, cgroup.memory_limit_mb?);
    let share = used * 100.0 / limit;
    (share >= NEAR_PERCENT).then(|| {
        format!(
            "the target's cgroup used {} of its memory limit of {}",
            percent(share),
            megabytes(limit)
        )
    })
}

fn killed(cgroup: &CgroupUse) -> Option<String> {
    let kills = cgroup.oom_kills.filter(|kills| *kills > 0)?;
    Some(format!(
        "{} in the target's cgroup",
        plural(kills, "out-of-memory kill")
    ))
}

fn scrapes(scrapes: &Scrapes) -> Option<String> {
    let why = scrapes
        .first_failure
        .as_deref()
        .unwrap_or("no reason given");
    let failed = (scrapes.failed > 0).then(|| {
        format!(
            "{} failed for {} of {}: {why}",
            scrapes.url,
            count(scrapes.failed),
            plural(scrapes.asked, "request")
        )
    });
    let left_out = (scrapes.series_left_out > 0).then(|| {
        format!(
            "{} series of {} were not recorded: list fewer series",
            count(scrapes.series_left_out),
            scrapes.url
        )
    });
    match (failed, left_out) {
        (Some(failed), Some(left_out)) => Some(format!("{failed}; {left_out}")),
        (failed, left_out) => failed.or(left_out),
    }
}

/// Reports the cores on which both the target and the generator could run. These are usually the same in all levels.
fn cores(levels: &[Level]) -> Option<String> {
    let mut shared = levels.iter().filter(|level| level.shares_cores_with_target);
    let target = shared.next_back()?.target.as_ref();
    let cores = target.and_then(|target| target.shared_cores.as_deref());
    let which = match cores.unwrap_or_default() {
        [] => return Some("target and generator ran on the same cores".to_owned()),
        [one] => format!("core {one}"),
        cores => {
            let numbers: Vec<String> = cores.iter().map(usize::to_string).collect();
            format!("cores {}", numbers.join(", "))
        }
    };
    Some(format!(
        "target and generator could both run on {which}, so each may have slowed the other"
    ))
}
