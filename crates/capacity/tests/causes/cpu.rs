use record::{Cause, CgroupUse, Confidence, Evidence, Level, TargetUse, Unknown};

use super::levels::{level, target, with};
use super::{causes, findings, only};

fn at(per_s: f64, cores: usize, threads: &[(&str, f64, f64)]) -> Level {
    with(level(per_s, 5.0), target(cores, threads))
}

fn quota(per_s: f64, cpu: f64, periods: u64, used_up: u64) -> Level {
    let cgroup = CgroupUse {
        cpu_limit_cores: Some(0.5),
        periods: Some(periods),
        throttled_periods: Some(used_up),
        throttled_s: Some(4.5),
        ..CgroupUse::default()
    };
    let target = TargetUse {
        cgroup: Some(cgroup),
        ..target(2, &[("server", cpu, 1.0)])
    };
    with(level(per_s, 5.0), target)
}

#[test]
fn one_saturated_thread_is_named() {
    let finding = only(vec![
        at(100.0, 2, &[("loop", 25.0, 0.0), ("pool-1", 1.0, 0.0)]),
        at(390.0, 2, &[("loop", 97.0, 1.5), ("pool-1", 4.0, 0.0)]),
    ]);
    let Cause::SaturatedThread(thread) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((thread.name.as_str(), thread.pid), ("loop", 7));
    assert_eq!(finding.confidence, Confidence::High);
    assert_eq!(finding.levels, [1]);
    let less = Evidence::LessCpuAt {
        per_s: 100.0,
        percent: 25.0,
    };
    assert!(finding.evidence.contains(&less), "{finding:#?}");
}

#[test]
fn a_thread_that_is_80_percent_busy_is_no_finding() {
    let levels = vec![
        at(100.0, 2, &[("loop", 20.0, 0.0)]),
        at(400.0, 2, &[("loop", 80.0, 1.0)]),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_thread_that_spins_without_load_is_no_finding() {
    let levels = vec![
        at(10.0, 2, &[("poll", 99.0, 0.5)]),
        at(400.0, 2, &[("poll", 99.5, 0.5)]),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn with_one_level_it_is_open_whether_the_thread_spins() {
    let finding = only(vec![at(390.0, 2, &[("loop", 98.0, 1.0)])]);
    assert_eq!(finding.confidence, Confidence::Low);
    assert_eq!(finding.unknown, [Unknown::BusyWithoutLoad]);
}

#[test]
fn a_pool_is_named_if_all_of_its_threads_are_saturated() {
    let threads = [("hash-0", 97.0, 1.0), ("hash-1", 96.0, 1.0)];
    let finding = only(vec![
        at(50.0, 4, &[("hash-0", 20.0, 0.0), ("hash-1", 22.0, 0.0)]),
        at(200.0, 4, &threads),
    ]);
    let Cause::SaturatedPool(pool) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((pool.name.as_str(), pool.threads), ("hash", 2));
}

#[test]
fn a_pool_with_idle_threads_is_no_finding() {
    let threads = [
        ("hash-0", 97.0, 1.0),
        ("hash-1", 96.0, 1.0),
        ("hash-2", 30.0, 0.0),
    ];
    let levels = vec![
        at(50.0, 8, &[("hash-0", 20.0, 0.0)]),
        at(200.0, 8, &threads),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_pool_with_an_idle_thread_beside_another_saturated_thread_is_no_finding() {
    let threads = [
        ("hash-0", 97.0, 1.0),
        ("main", 96.0, 1.0),
        ("hash-1", 30.0, 0.0),
    ];
    let levels = vec![
        at(50.0, 8, &[("hash-0", 20.0, 0.0)]),
        at(200.0, 8, &threads),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn threads_that_share_all_cores_are_limited_by_the_cores() {
    let waiting = [
        ("hash-0", 50.0, 48.0),
        ("hash-1", 50.0, 47.0),
        ("hash-2", 49.0, 49.0),
        ("hash-3", 49.0, 50.0),
    ];
    let finding = only(vec![
        at(50.0, 2, &[("hash-0", 12.0, 0.0), ("hash-1", 11.0, 0.0)]),
        at(200.0, 2, &waiting),
    ]);
    let Cause::AllCores(all) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((all.cores, all.cpu_percent), (2, 198.0));
}

#[test]
fn a_thread_that_mostly_waits_for_a_cpu_does_not_limit_the_target() {
    let levels = vec![
        at(50.0, 2, &[("loop", 20.0, 0.0)]),
        at(200.0, 2, &[("loop", 40.0, 58.0)]),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_quota_that_is_used_up_is_certain() {
    let finding = only(vec![quota(20.0, 10.0, 100, 0), quota(100.0, 49.0, 100, 92)]);
    let Cause::CpuQuota(found) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((found.cores, found.throttled_percent), (0.5, 92.0));
    assert_eq!(finding.confidence, Confidence::Certain);
}

#[test]
fn a_quota_that_is_used_up_now_and_then_is_no_finding() {
    assert_eq!(findings(vec![quota(90.0, 40.0, 100, 1)]), []);
}
