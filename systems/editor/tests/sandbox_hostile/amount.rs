//! Excessive use of processes, time, output, memory and files.

use std::time::Duration;

use editor::run::{Ending, Limits};
use tokio::time::Instant;

use super::attack::{brief, patient, python, shell};

const MEBIBYTE: u64 = 1 << 20;

#[tokio::test]
async fn a_fork_bomb_is_held_and_ended() {
    let begun = Instant::now();
    shell(
        Limits {
            processes: 64,
            ..brief()
        },
        "bomb() { bomb | bomb & }; bomb; sleep 30",
    )
    .await;
    assert!(
        begun.elapsed() < Duration::from_secs(40),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn processes_are_counted_for_each_program_alone() {
    let code = r"
children = 0
try:
    while children < 500:
        if os.fork() == 0:
            import time; time.sleep(50); os._exit(0)
        children += 1
except BlockingIOError: pass
print(children)
";
    let result = python(
        Limits {
            processes: 40,
            ..patient()
        },
        code,
    )
    .await;
    let children: u32 = result.output.trim().parse().expect("a number");
    assert!((30..40).contains(&children), "{children}");
}

#[tokio::test]
async fn threads_are_counted_as_processes_are() {
    let code = r"
import threading
threads, stop = 0, threading.Event()
try:
    while threads < 500:
        threading.Thread(target=stop.wait, daemon=True).start(); threads += 1
except RuntimeError: pass
print(threads)
";
    let result = python(
        Limits {
            processes: 40,
            ..patient()
        },
        code,
    )
    .await;
    let threads: u32 = result.output.trim().parse().expect("a number");
    assert!((30..40).contains(&threads), "{threads}");
}

#[tokio::test]
async fn an_endless_loop_is_stopped_in_time() {
    let begun = Instant::now();
    let result = python(brief(), "print('begun')\nwhile True: pass").await;
    assert_eq!((result.ending, result.success), (Ending::Time(2000), false));
    assert_eq!(result.output, "begun\n", "what came before is kept");
    assert!(
        result.error.contains("Stopped after 2 s"),
        "{}",
        result.error
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn who_is_asleep_or_stopped_or_ignores_signals_is_stopped_in_time() {
    for code in [
        "sleep 50",
        "kill -STOP $$",
        "kill -STOP -1; sleep 50",
        "trap '' TERM INT HUP; exec >&- 2>&-; while :; do :; done",
    ] {
        let result = shell(brief(), code).await;
        assert_eq!(
            result.ending,
            Ending::Time(2000),
            "{code}: {}",
            result.error
        );
    }
}

#[tokio::test]
async fn endless_output_is_cut_at_the_limit_on_both_streams() {
    let output = shell(patient(), "yes 'endless output'").await;
    assert_eq!(output.ending, Ending::Output(1 << 20));
    assert!(
        output.output.len() as u64 > MEBIBYTE - 64,
        "{}",
        output.output.len()
    );
    assert!(
        output.error.contains("more than 1 MiB of output"),
        "{}",
        output.error
    );
    let error = shell(patient(), "yes >&2").await;
    assert_eq!(error.ending, Ending::Output(1 << 20));
    assert!(
        (1 << 20..(1 << 20) + 200).contains(&error.error.len()),
        "{}",
        error.error.len()
    );
}

#[tokio::test]
async fn output_in_a_burst_before_a_quick_end_is_cut_too() {
    let result = shell(patient(), "head -c 2000000 /dev/zero | tr '\\0' x; exit 0").await;
    assert_eq!(
        (result.ending, result.success),
        (Ending::Output(1 << 20), false)
    );
}

#[tokio::test]
async fn a_process_that_takes_more_and_more_memory_is_stopped_with_the_reason() {
    let code = r"
all = []
for piece in range(400):
    all.append(bytearray(b'x' * (4 << 20)))
print('all of it')
";
    let result = python(
        Limits {
            memory: 128 * MEBIBYTE,
            ..patient()
        },
        code,
    )
    .await;
    // On a fast machine, the kernel's own limit may apply first.
    assert!(
        result.ending == Ending::Memory(128 * MEBIBYTE) || result.error.contains("MemoryError"),
        "{result:?}"
    );
    assert!(!result.success && !result.output.contains("all of it"));
}

#[tokio::test]
async fn one_great_piece_of_memory_is_refused_by_the_kernel() {
    let result = python(
        Limits {
            memory: 128 * MEBIBYTE,
            ..patient()
        },
        "bytearray(1 << 30); print('got it')",
    )
    .await;
    assert!(result.error.contains("MemoryError"), "{result:?}");
}

#[tokio::test]
async fn memory_is_summed_over_all_processes() {
    let code = r"
import time
for child in range(8):
    if os.fork() == 0:
        mine = bytearray(b'x' * (40 << 20)); time.sleep(50); os._exit(0)
time.sleep(50)
";
    let result = python(
        Limits {
            memory: 128 * MEBIBYTE,
            ..patient()
        },
        code,
    )
    .await;
    assert_eq!(
        result.ending,
        Ending::Memory(128 * MEBIBYTE),
        "{}",
        result.error
    );
    assert!(
        result.error.contains("128 MiB of memory"),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn memory_that_processes_share_counts_once() {
    let code = r"
import time
mine = bytearray(b'x' * (40 << 20))
for child in range(8):
    if os.fork() == 0: time.sleep(0.5); os._exit(0)
for child in range(8): os.wait()
print('ended')
";
    let result = python(
        Limits {
            memory: 128 * MEBIBYTE,
            ..patient()
        },
        code,
    )
    .await;
    assert_eq!(
        (result.ending, result.output.as_str()),
        (Ending::Done, "ended\n"),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn shared_memory_and_memory_without_a_process_are_no_way_around() {
    let mapped = r"
import mmap, time
all = []
for piece in range(64):
    one = mmap.mmap(-1, 8 << 20); all.append(one)
    for page in range(0, 8 << 20, 4096): one[page] = 1
time.sleep(50)
";
    let result = python(
        Limits {
            memory: 128 * MEBIBYTE,
            ..patient()
        },
        mapped,
    )
    .await;
    assert_eq!(
        result.ending,
        Ending::Memory(128 * MEBIBYTE),
        "{}",
        result.error
    );
    let nameless = "os.memfd_create('m')";
    let result = python(patient(), nameless).await;
    assert!(
        result.error.contains("Function not implemented"),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn the_disk_cannot_be_filled() {
    let code = r"
def fill(directory):
    total = 0
    try:
        for number in range(20):
            with open(f'{directory}/{number}', 'wb', buffering=0) as file:
                for piece in range(16): total += file.write(b'x' * (1 << 20))
    except OSError as error: print(directory, error.errno)
    return total
print(fill('/tmp') >> 20, fill('/dev/shm') >> 20)
for directory in '/', '/usr', '/dev', '/proc', '/etc', '/usr/lib': fill(directory)
";
    let result = python(patient(), code).await;
    let lines: Vec<&str> = result.output.lines().collect();
    assert_eq!(
        &lines[..2],
        ["/tmp 28", "/dev/shm 28"],
        "no space left: {result:?}"
    );
    let sizes: Vec<u64> = lines[2]
        .split(' ')
        .map(|size| size.parse().unwrap())
        .collect();
    assert!(sizes[0] < 64 && sizes[1] <= 16, "{sizes:?}");
    for (line, directory) in lines[3..]
        .iter()
        .zip(["/", "/usr", "/dev", "/proc", "/etc", "/usr/lib"])
    {
        let read_only = [
            format!("{directory} 30"),
            format!("{directory} 13"),
            format!("{directory} 2"),
        ];
        assert!(read_only.contains(&(*line).to_owned()), "{line}");
    }
    assert_eq!(lines.len(), 9, "{lines:?}");
}

#[tokio::test]
async fn a_file_beyond_the_limit_ends_who_writes_it() {
    let limits = Limits {
        files: 4 * MEBIBYTE,
        ..patient()
    };
    let result = python(
        limits,
        "import signal; open('/dev/shm/x', 'wb').write(bytes(6 << 20))",
    )
    .await;
    assert!(
        result.error.contains("File too large") || result.ending == Ending::Signal(25),
        "{result:?}"
    );
}

#[tokio::test]
async fn countless_empty_files_are_memory_too() {
    let code = "for number in range(1_000_000): os.close(os.open(f'/tmp/{number}', os.O_CREAT))\nprint('all')";
    let result = python(
        Limits {
            memory: 64 * MEBIBYTE,
            ..patient()
        },
        code,
    )
    .await;
    assert_eq!(
        result.ending,
        Ending::Memory(64 * MEBIBYTE),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn open_files_are_limited() {
    let code = "all = []\nfor number in range(5000): all.append(open('/dev/null'))";
    let result = python(patient(), code).await;
    assert!(
        result.error.contains("Too many open files"),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn file_names_of_any_length_and_depth_do_no_harm() {
    let code = r"
open('x' * 255, 'w').close()
open('a\nb\x1b[31m', 'w').close()
open(b'\xff\xfe', 'w').close()
try: open('x' * 256, 'w')
except OSError as error: print(error.errno)
for depth in range(3000):
    os.mkdir('y' * 200); os.chdir('y' * 200)
print('deep')
";
    let result = python(patient(), code).await;
    assert_eq!(result.output, "36\ndeep\n", "{}", result.error);
}
