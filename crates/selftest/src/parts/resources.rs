use crate::compare::{Rows, Unit};
use crate::evidence::Evidence;

/// Allowed error of CPU use, in percent of one core. The server's I/O runs on the same core.
const CPU_ALLOWED: f64 = 7.0;

pub(crate) fn leak(found: &Evidence, rows: &mut Rows) {
    let told = |name| found.route("/leak/1048576", &[name]);
    let (requests, leaked) = (told("requests"), told("leaked_bytes"));
    rows.count(
        "bytes leaked, 1 MiB per request",
        requests * 1_048_576,
        leaked,
    );
    let truth = leaked as f64 / 1e6;
    let target = found.level.target.as_ref();
    let grown = target.and_then(|target| Some(target.memory_mb_end? - target.memory_mb_start?));
    // The tolerance covers the memory of the server's own counts, and the kernel's pages of 2 MiB.
    rows.add(
        "memory growth during the measurement",
        Unit::Megabytes,
        truth,
        grown,
        truth * 0.05 + 3.0,
    );
}

pub(crate) fn busy_loop(found: &Evidence, rows: &mut Rows) {
    busy(found, "/burn/2ms", "truth-loop", 1, rows);
}

pub(crate) fn busy_pool(found: &Evidence, rows: &mut Rows) {
    busy(found, "/pool/2ms", "truth-pool-", 4, rows);
}

/// Compares the CPU use of threads whose names start with `prefix` with the CPU time that the server used on them.
fn busy(found: &Evidence, path: &str, prefix: &str, threads: u64, rows: &mut Rows) {
    let burnt_s = found.route(path, &["answers", "200"]) as f64 * 0.002;
    let truth = 100.0 * burnt_s / found.level.phases.duration_s.max(0.001);
    let target = found.level.target.as_ref();
    let listed = target.map_or(&[][..], |target| &target.busiest_threads);
    let named = |name: &str| name.starts_with(prefix);
    let busy = listed.iter().filter(|thread| named(&thread.name));
    let shares: Vec<f64> = busy.map(|thread| thread.cpu_percent).collect();
    rows.count(
        &format!("threads named {prefix}…"),
        threads,
        shares.len() as u64,
    );
    let measured = (!shares.is_empty()).then(|| shares.iter().sum());
    rows.add(
        "total CPU of the named threads",
        Unit::Percent,
        truth,
        measured,
        CPU_ALLOWED,
    );
    let most = target.and_then(|target| target.busiest_thread.as_ref());
    let is_named = most.is_some_and(|thread| named(&thread.name));
    rows.count(
        "the busiest thread is one of the named threads",
        1,
        u64::from(is_named),
    );
}
