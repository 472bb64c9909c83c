use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fuzz::{Mutator, Target};

use crate::{MEMORY, number};

/// Time after which an input counts as hanging. Even on a busy machine no parser takes that long.
const HANGS: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(500);

/// Memory is counted for the whole process, so only one campaign runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn run(target: &'static Target) {
    let _alone = lock(&ALONE);
    if let Ok(path) = std::env::var("FUZZ_INPUT") {
        return (target.run)(&fs::read(path).unwrap());
    }
    let seed = number("FUZZ_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now();
        now.duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    });
    let time = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(1));
    println!("{}: FUZZ_SEED={seed}", target.name);
    let mut corpus = (target.seeds)();
    corpus.extend(saved(target));
    let watch = Watch::start(target);
    for input in &corpus {
        watch.attempt(target, input);
    }
    let mut mutator = Mutator::new(seed, target.words);
    let began = Instant::now();
    let mut count = 0_u64;
    while began.elapsed() < time {
        watch.attempt(target, &mutator.next(&corpus));
        count += 1;
    }
    watch.end();
    println!("{}: {count} inputs", target.name);
    assert!(count > 0);
}

/// Inputs that failed once, and other useful ones.
fn saved(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name);
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

fn keep(target: &Target, input: &[u8]) -> PathBuf {
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{hash:016x}", target.name));
    fs::write(&path, input).unwrap();
    path
}

/// The current input and its start time.
type Current = Option<(Instant, Vec<u8>)>;

/// A separate thread that checks the current input until the campaign ends. It aborts the process if an input hangs.
struct Watch(Arc<Mutex<Current>>, Arc<Mutex<bool>>);

impl Watch {
    fn start(target: &'static Target) -> Self {
        let (current, over) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(false)));
        let watch = Self(Arc::clone(&current), Arc::clone(&over));
        thread::spawn(move || {
            while !*lock(&over) {
                if let Some((since, input)) = &*lock(&current)
                    && Instant::elapsed(since) > HANGS
                {
                    let path = keep(target, input);
                    eprintln!("{}: hangs with {}", target.name, path.display());
                    std::process::abort();
                }
                thread::sleep(LOOK);
            }
        });
        watch
    }

    fn end(&self) {
        *lock(&self.1) = true;
    }

    /// Returns whether the input passed, and the peak memory in bytes.
    fn once(&self, target: &Target, input: &[u8]) -> (bool, usize) {
        *lock(&self.0) = Some((Instant::now(), input.to_vec()));
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
        let used = MEMORY.peak_usage().saturating_sub(before);
        *lock(&self.0) = None;
        (outcome.is_ok(), used)
    }

    fn attempt(&self, target: &Target, input: &[u8]) {
        let (mut sound, mut used) = self.once(target, input);
        // The test runner's threads also allocate memory. An input that really needs too much does so every time.
        for _ in 0..2 {
            if sound && used > target.memory {
                (sound, used) = self.once(target, input);
            }
        }
        if !sound || used > target.memory {
            let path = keep(target, input);
            self.end();
            panic!(
                "{}: {} ({used} bytes of memory)",
                target.name,
                path.display()
            );
        }
    }
}
