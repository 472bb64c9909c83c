use super::*;

fn thread(tid: i32, cpu_ms: u64) -> ThreadSample {
    ThreadSample {
        tid,
        started: 1,
        name: format!("thread {tid}"),
        cpu: Nanos::from_millis(cpu_ms),
        waited: Some(Nanos::ZERO),
    }
}

fn process(pid: i32, cpu_ms: u64, threads: Vec<ThreadSample>) -> ProcessSample {
    ProcessSample {
        pid,
        parent: 0,
        started: 1,
        name: format!("process {pid}"),
        cpu: Nanos::from_millis(cpu_ms),
        cpu_of_ended_children: Nanos::ZERO,
        memory: 1000,
        descriptors: Some(10),
        descriptor_limit: Some(100),
        threads,
    }
}

fn at(millis: u64, processes: Vec<ProcessSample>) -> Sample {
    Sample {
        at: Nanos::from_millis(millis),
        processes,
    }
}

/// CPU usage between two samples that are one second apart.
fn percent(before: Vec<ProcessSample>, after: Vec<ProcessSample>) -> f64 {
    use_between(&at(0, before), &at(1000, after))
        .unwrap()
        .cpu_percent
}

#[test]
fn cpu_is_the_threads_own_account() {
    let before = vec![process(1, 100, vec![thread(1, 100), thread(2, 0)])];
    let after = vec![process(1, 850, vec![thread(1, 203), thread(2, 652)])];
    let used = use_between(&at(0, before), &at(1000, after)).unwrap();
    assert!(
        (used.cpu_percent - 75.5).abs() < 1e-9,
        "not the 75.0 of the ticks: {used:?}"
    );
    let busiest = used.busiest_thread.unwrap();
    assert_eq!(busiest.name, "thread 2");
    assert!((busiest.percent - 65.2).abs() < 1e-9);
}

#[test]
fn threads_that_ended_count_through_the_process() {
    let before = vec![process(1, 0, vec![thread(1, 0), thread(2, 0)])];
    let after = vec![process(1, 500, vec![thread(1, 100)])];
    let used = percent(before, after);
    assert!(
        (used - 48.0).abs() < 1e-9,
        "500 ms less the error of two ticks, got {used}"
    );
}

#[test]
fn children_count_while_they_live_and_after() {
    let alive = vec![
        process(1, 0, vec![thread(1, 0)]),
        process(2, 100, vec![thread(2, 100)]),
    ];
    let mut parent = process(1, 0, vec![thread(1, 0)]);
    parent.cpu_of_ended_children = Nanos::from_millis(400);
    let used = percent(alive.clone(), vec![parent]);
    assert!(
        (used - 30.0).abs() < 1e-9,
        "400 ms at its end, 100 before: {used}"
    );
    let later = vec![
        process(1, 0, vec![thread(1, 0)]),
        process(2, 300, vec![thread(2, 300)]),
    ];
    let used = percent(alive, later);
    assert!((used - 20.0).abs() < 1e-9, "{used}");
}

#[test]
fn a_new_child_counts_from_its_start() {
    let before = vec![process(1, 0, vec![thread(1, 0)])];
    let mut after = before.clone();
    after.push(process(3, 250, vec![thread(3, 250)]));
    let used = percent(before, after);
    assert!((used - 25.0).abs() < 1e-9, "{used}");
}

#[test]
fn a_thread_number_used_again_is_another_thread() {
    let before = vec![process(1, 0, vec![thread(7, 900)])];
    let mut again = thread(7, 100);
    again.started = 2;
    let used = use_between(&at(0, before), &at(1000, vec![process(1, 0, vec![again])])).unwrap();
    assert!((used.busiest_thread.unwrap().percent - 10.0).abs() < 1e-9);
}

#[test]
fn samples_that_cannot_be_compared_give_nothing() {
    let one = at(0, vec![process(1, 0, Vec::new())]);
    assert_eq!(use_between(&one, &one), None, "no time passed");
    let mut again = process(1, 0, Vec::new());
    again.started = 2;
    assert_eq!(
        use_between(&one, &at(1, vec![again])),
        None,
        "another process with that number"
    );
}

#[test]
fn the_process_nearest_to_its_limit_is_reported() {
    let mut child = process(2, 0, Vec::new());
    child.descriptors = Some(45);
    child.descriptor_limit = Some(50);
    let both = vec![process(1, 0, Vec::new()), child];
    let used = use_between(&at(0, both.clone()), &at(1, both)).unwrap();
    assert_eq!(
        (used.descriptors, used.descriptor_limit),
        (Some(55), Some(50))
    );
    assert!((used.descriptors_used.unwrap() - 0.9).abs() < 1e-9);
}

#[test]
fn a_process_number_used_again_is_seen() {
    let pid = i32::try_from(std::process::id()).unwrap();
    let mut sampler = Sampler::new(pid).unwrap();
    assert!(sampler.sample(Nanos::ZERO).is_ok());
    sampler.started += 1;
    assert_eq!(sampler.sample(Nanos(1)), Err(SampleError::Ended(pid)));
    sampler.started -= 1;
    assert_eq!(
        sampler.sample(Nanos(2)),
        Err(SampleError::Ended(pid)),
        "an end is final"
    );
}

#[test]
fn a_process_that_never_was_has_ended() {
    assert_eq!(
        Sampler::new(i32::MAX).unwrap_err(),
        SampleError::Ended(i32::MAX)
    );
}
