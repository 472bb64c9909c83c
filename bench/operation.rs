//! Measures the operations of the hot path in two ways. Criterion times each operation (`cargo bench`). Alternatively,
//! the program runs one operation a given number of times, and callgrind counts its instructions
//! (`python3 bench instructions`). The benches of all crates share this file.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};

/// The allocator of the headcount binary, so that allocations have the same cost here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An operation of the hot path.
pub(crate) struct Operation {
    name: &'static str,
    /// The number of operations per call.
    count: u32,
    prepare: Box<dyn FnOnce() -> Call>,
}

type Call = Box<dyn FnMut()>;

impl Operation {
    /// Creates an operation. `prepare` sets everything up and returns the call to measure. Each call must have the same
    /// cost, no matter how many preceded it, so the data that it stores must be bounded.
    pub(crate) fn new<R, F: FnMut() -> R + 'static>(
        name: &'static str,
        count: u32,
        prepare: impl FnOnce() -> F + 'static,
    ) -> Self {
        let prepare = || -> Call {
            let mut call = prepare();
            Box::new(move || drop(black_box(call())))
        };
        Self {
            name,
            count,
            prepare: Box::new(prepare),
        }
    }
}

/// The `main` function of a bench. `names` lists the operations, and `times N NAME` calls one of them N times. With any
/// other arguments, Criterion runs.
pub(crate) fn run(of: &str, operations: Vec<Operation>) {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["names"] => list(&operations),
        ["times", times, name] => repeat(operations, times, name),
        _ => time(of, operations),
    }
}

#[expect(clippy::print_stdout, reason = "the counting program reads it")]
fn list(operations: &[Operation]) {
    for Operation { name, count, .. } in operations {
        println!("{count}\t{name}");
    }
}

fn repeat(operations: Vec<Operation>, times: &str, name: &str) {
    let found = operations.into_iter().find(|one| one.name == name);
    let (Ok(times), Some(operation)) = (times.parse::<u32>(), found) else {
        panic!("unknown operation {name:?}, or {times:?} is not a number");
    };
    let mut call = (operation.prepare)();
    for _ in 0..times {
        call();
    }
}

fn time(of: &str, operations: Vec<Operation>) {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let mut group = criterion.benchmark_group(of);
    for operation in operations {
        group.throughput(Throughput::Elements(u64::from(operation.count)));
        let mut prepare = Some(operation.prepare);
        let mut call = None;
        group.bench_function(operation.name, |bencher| {
            if let Some(prepare) = prepare.take() {
                call = Some(prepare());
            }
            bencher.iter(|| call.as_mut().map(|call| call()));
        });
    }
    group.finish();
    criterion.final_summary();
}
