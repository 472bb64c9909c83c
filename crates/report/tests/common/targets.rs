//! Records of targets with every kind of trouble.

use record::{
    BusiestThread, CgroupUse, ListenQueue, MemoryGrowth, ProcessUse, Run, Scrapes, TargetEnd,
    TargetSource, TargetUse, ThreadUse, WatchedMetric,
};

use super::parts::{editor_level, frame};

/// A pool of four busy threads in a child, a full listen queue, a quota, growing memory, and a kill for lack of it.
pub(crate) fn in_trouble() -> Run {
    let mut level = editor_level(0, 200, 2.3, 0);
    level.shares_cores_with_target = true;
    level.target = Some(TargetUse {
        pid: 4720,
        name: "shop".to_owned(),
        source: Some(TargetSource::Proc),
        runtime: Some("Go".to_owned()),
        runtime_version: Some("1.22.1".to_owned()),
        cpu_percent: Some(391.0),
        busiest_thread: Some(BusiestThread {
            name: "hash-0".to_owned(),
            cpu_percent: 98.1,
        }),
        busy_threads: Some(4),
        busiest_threads: (0..4).map(pool_thread).collect(),
        processes: vec![
            process(4720, 1, "shop", 2.0),
            process(4721, 4720, "hasher", 389.0),
        ],
        process_count: Some(2),
        memory_mb_start: Some(18.0),
        memory_mb_end: Some(48.0),
        memory_mb_max: Some(48.2),
        memory_growth: Some(MemoryGrowth {
            bytes_per_s: 1_003_200.0,
            low: 981_000.0,
            high: 1_025_000.0,
            steady: true,
        }),
        threads: Some(9),
        descriptors: Some(900),
        descriptor_limit: Some(1_024),
        descriptors_used_percent: Some(87.9),
        connections: Some(650),
        listen_queue: Some(ListenQueue {
            longest: 129,
            limit: Some(128),
            looks: 300,
            full: 42,
        }),
        listen_overflows: Some(1_234),
        listen_drops: Some(1_300),
        retransmissions: Some(77),
        cgroup: Some(CgroupUse {
            cpu_limit_cores: Some(4.0),
            memory_limit_mb: Some(50.0),
            memory_mb_max: Some(49.5),
            periods: Some(300),
            throttled_periods: Some(120),
            throttled_s: Some(4.2),
            oom_kills: Some(1),
        }),
        ends: vec![TargetEnd {
            at_s: 12.0,
            pid: 4711,
            out_of_memory: Some(true),
            next_pid: Some(4720),
            next_at_s: Some(14.0),
        }],
        cores: Some(vec![0, 1, 2, 3]),
        shared_cores: Some(vec![2, 3]),
        ..TargetUse::default()
    });
    Run {
        levels: vec![level],
        ..frame()
    }
}

fn pool_thread(number: u8) -> ThreadUse {
    ThreadUse {
        pid: 4721,
        tid: 4730 + u32::from(number),
        name: format!("hash-{number}"),
        cpu_percent: 98.1 - f64::from(number),
        waiting_percent: Some(1.1),
        series: Vec::new(),
    }
}

fn process(pid: u32, parent: u32, name: &str, cpu_percent: f64) -> ProcessUse {
    ProcessUse {
        pid,
        parent,
        name: name.to_owned(),
        cpu_percent,
        memory_mb: 24.0,
        threads: 4,
        descriptors: Some(450),
    }
}

/// On another machine: what is known comes from its endpoint, which did not always answer.
pub(crate) fn elsewhere() -> Run {
    let mut level = editor_level(0, 200, 2.3, 0);
    let queue = WatchedMetric {
        mean: Some(3.4),
        min: Some(0.0),
        max: Some(17.0),
        last: Some(2.0),
        ..WatchedMetric::default()
    };
    let rate = WatchedMetric {
        rate: true,
        increase: Some(29_990.0),
        mean: Some(999.7),
        min: Some(990.0),
        max: Some(1_010.5),
        ..WatchedMetric::default()
    };
    level.target = Some(TargetUse {
        name: "10.0.0.5:9100".to_owned(),
        source: Some(TargetSource::Prometheus),
        runtime: Some("Node.js".to_owned()),
        runtime_version: Some("20.20.2".to_owned()),
        cpu_percent: Some(71.0),
        memory_mb_start: Some(90.0),
        memory_mb_end: Some(91.0),
        memory_mb_max: Some(91.0),
        scrapes: Some(Scrapes {
            url: "http://10.0.0.5:9100/metrics".to_owned(),
            asked: 30,
            failed: 2,
            first_failure: Some("timed out: no answer within 800ms".to_owned()),
            series_left_out: 0,
        }),
        metrics: [
            ("queue_length".to_owned(), queue),
            ("orders_total{kind=\"new\"}".to_owned(), rate),
        ]
        .into(),
        ..TargetUse::default()
    });
    Run {
        levels: vec![level],
        ..frame()
    }
}
