use model::Nanos;
use tempfile::TempDir;

use super::*;

/// A tree of files as the kernel provides it.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

const STAT_2: &str = "usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n";

#[test]
fn version_2_is_read_and_the_tightest_limit_counts() {
    let root = tree(&[
        ("cpu.stat", "usage_usec 9\n"),
        ("pod/cpu.max", "150000 100000\n"),
        ("pod/cpu.stat", STAT_2),
        ("pod/memory.max", "1000000\n"),
        ("pod/memory.current", "900000\n"),
        ("pod/app/cpu.max", "max 100000\n"),
        ("pod/app/memory.max", "max\n"),
        ("pod/app/memory.current", "5\n"),
        (
            "pod/app/memory.events",
            "low 0\noom 3\noom_kill 2\noom_group_kill 0\n",
        ),
    ]);
    let cgroup = Cgroup::under(root.path(), "0::/pod/app\n");
    let look = cgroup.look();
    assert_eq!(look.cpu_limit, Some(1.5));
    assert_eq!(
        (look.memory_limit, look.memory),
        (Some(1_000_000), Some(900_000))
    );
    assert_eq!(look.oom_kills, Some(2));
    fs::write(
        root.path().join("pod/cpu.stat"),
        STAT_2.replace("250000", "300000"),
    )
    .unwrap();
    let since = cgroup.look().throttled_since(&look).unwrap();
    assert_eq!(since.throttled, Nanos::from_millis(50));
}

#[test]
fn version_1_is_read() {
    let root = tree(&[
        ("cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n"),
        ("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"),
        (
            "cpu,cpuacct/a/cpu.stat",
            "nr_periods 1\nnr_throttled 1\nthrottled_time 7\n",
        ),
        ("cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
        ("cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ("memory/m/memory.limit_in_bytes", "2000\n"),
        ("memory/m/memory.usage_in_bytes", "1000\n"),
        (
            "memory/m/memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n",
        ),
        ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ("memory/memory.usage_in_bytes", "77777\n"),
        ("unified/cgroup.procs", "1\n"),
    ]);
    let table = "4:memory:/m\n3:cpu,cpuacct:/a\n1:name=systemd:/\n0::/\n";
    let look = Cgroup::under(root.path(), table).look();
    assert_eq!(look.cpu_limit, Some(0.5));
    assert_eq!((look.memory_limit, look.memory), (Some(2000), Some(1000)));
    assert_eq!(look.oom_kills, Some(5));
    assert_eq!(look.throttled_since(&look), Some(Throttling::default()));
}

#[test]
fn without_a_limit_the_memory_of_the_whole_machine_is_not_shown() {
    let root = tree(&[
        ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ("memory/memory.usage_in_bytes", "77777\n"),
    ]);
    let look = Cgroup::under(root.path(), "4:memory:/\n").look();
    assert_eq!(
        (look.memory_limit, look.memory, look.cpu_limit),
        (None, None, None)
    );
}

#[test]
fn inside_a_container_the_mount_is_what_there_is() {
    let root = tree(&[("cpu.max", "20000 10000\n")]);
    let look = Cgroup::under(root.path(), "0::/of/the/host\n").look();
    assert_eq!(look.cpu_limit, Some(2.0));
}

#[test]
fn both_accounts_of_throttling_are_read() {
    let expected = Throttling {
        periods: 10,
        throttled_periods: 4,
        throttled: Nanos::from_millis(250),
    };
    assert_eq!(Throttling::parse(STAT_2), Some(expected));
    let one = "nr_periods 10\nnr_throttled 4\nthrottled_time 250000000\n";
    assert_eq!(Throttling::parse(one), Some(expected));
    assert_eq!(
        Throttling::parse("usage_usec 9\n"),
        None,
        "no quota, no account"
    );
}

#[test]
fn what_happened_in_between_is_a_difference() {
    let at = |periods, throttled_periods, nanos| Throttling {
        periods,
        throttled_periods,
        throttled: Nanos(nanos),
    };
    assert_eq!(at(10, 5, 700).since(at(4, 1, 300)), at(6, 4, 400));
}
