//! Attempts to escape: links, daemons, tracing, namespaces, kernel settings.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use editor::run::{Ending, Limits, Runner};
use tokio::time::Instant;

use super::attack::{Secret, patient, processes_in, python, shell};

#[tokio::test]
async fn links_lead_nowhere_outside() {
    let secret = Secret::new();
    let code = format!(
        r"
secret = {:?}
os.symlink(secret, 'link')
os.symlink(os.path.dirname(secret), 'directory')
os.symlink('/proc/1/root' + secret, 'root')
os.symlink('/proc/1/cwd/..' + secret, 'cwd')
os.symlink('../../../../../../../..' + secret, 'up')
for path in 'link', 'directory/new', 'root', 'cwd', 'up', '/proc/self/root' + secret, '/proc/1/root' + secret:
    for mode in 'r', 'w':
        try: open(path, mode); print('open', path)
        except OSError as error: pass
for target in '/usr/bin/env', '/usr/bin/python3':
    for way in os.link, lambda old, new: os.rename(new, old):
        try: way(target, 'copy'); print('linked')
        except OSError: pass
print('tried')
",
        secret.path
    );
    let result = python(patient(), &code).await;
    assert_eq!(result.output, "tried\n", "{}", result.error);
    secret.assert_untouched();
}

#[tokio::test]
async fn daemons_end_with_the_program_and_do_not_hold_its_result_back() {
    let code = r"
import time
for keeps in True, False:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if not keeps:
                for number in 0, 1, 2: os.close(number)
            time.sleep(50)
        os._exit(0)
print('gone')
";
    let begun = Instant::now();
    let result = python(patient(), code).await;
    assert_eq!(
        (result.output.as_str(), result.ending),
        ("gone\n", Ending::Done),
        "{}",
        result.error
    );
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
}

/// Calls the kernel directly and prints the error's name.
const CALLS: &str = r"
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result == 0 and arguments[0] == CLONE: os._exit(0)
    print(arguments[0], errno.errorcode.get(ctypes.get_errno(), 'allowed' if result >= 0 else '?'))
";

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn tracing_and_reading_other_processes_is_refused() {
    let calls = "
CLONE = 56
for process in 1, os.getppid(): call(101, 16, process, 0, 0)
call(101, 0, 0, 0, 0)
call(310, 1, 0, 0, 0, 0, 0); call(311, 1, 0, 0, 0, 0, 0)
call(438, 3, 0, 0); call(312, 1, 2, 0, 0, 0)
try: open('/proc/1/mem', 'rb'); print('memory of 1')
except OSError as error: print('mem', errno.errorcode[error.errno])
";
    let result = python(patient(), &format!("{CALLS}{calls}")).await;
    let expected = "101 EPERM\n101 EPERM\n101 EPERM\n310 EPERM\n311 EPERM\n438 EPERM\n312 EPERM\n";
    assert!(
        result.output.starts_with(expected),
        "{} {}",
        result.output,
        result.error
    );
    assert!(!result.output.contains("allowed"), "{}", result.output);
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn new_namespaces_mounts_keys_and_other_strong_calls_are_refused() {
    let calls = "
CLONE = 56
for space in 0x10000000, 0x20000, 0x40000000, 0x20000000:
    call(272, space); call(CLONE, space | 17, 0, 0, 0, 0)
call(435, 0, 0)
call(308, 0, 0)
call(165, b'x', b'/tmp', b'tmpfs', 0, 0); call(161, b'/tmp'); call(155, b'/tmp', b'/tmp')
call(428, 0, b'/', 0); call(430, b'tmpfs', 0)
call(248, b'user', b'a', b'b', 1, -4); call(250, 0, -4, 1)
call(321, 0, 0, 0); call(298, 0, 0, -1, -1, 0); call(323, 0)
call(425, 1, 0)
call(175, 0, 0, b''); call(246, 0, 0, 0, 0); call(169, 0, 0, 0, 0)
call(29, 0, 4096, 0o1600)
call(467, 0, b'/', 0, 0, 0); call(0x40000000 + 39)
";
    let result = python(patient(), &format!("{CALLS}{calls}")).await;
    let mut expected = "272 EPERM\n56 EPERM\n".repeat(4);
    expected.push_str("435 ENOSYS\n");
    for call in [308, 165, 161, 155, 428, 430, 248, 250, 321, 298, 323] {
        expected += &[&call.to_string(), " EPERM\n"].concat();
    }
    expected.push_str(
        "425 ENOSYS\n175 EPERM\n246 EPERM\n169 EPERM\n29 ENOSYS\n467 ENOSYS\n1073741863 ENOSYS\n",
    );
    assert_eq!(result.output, expected, "{}", result.error);
}

#[tokio::test]
async fn no_privilege_is_there_or_can_be_had() {
    let code = r"
grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status
cat /proc/self/uid_map
unshare -U true || echo refused
for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/drop_caches; do
  { echo 0 > $file; } 2> /dev/null && echo wrote $file
done
mount -o remount,rw / 2> /dev/null && echo mounted
mount -o remount,rw /usr 2> /dev/null && echo mounted
mknod /tmp/disk b 254 0 2> /dev/null && echo made
grep -c . /sys/fs/cgroup/cgroup.procs 2> /dev/null
ls -d /dev/[!fnpstuzr]*
";
    let result = shell(patient(), code).await;
    let lines: Vec<Vec<&str>> = result
        .output
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    for lacking in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert!(
            lines.contains(&vec![lacking, "0000000000000000"]),
            "{}",
            result.output
        );
    }
    assert!(
        lines.contains(&vec!["NoNewPrivs:", "1"]) && lines.contains(&vec!["Seccomp:", "2"]),
        "{}",
        result.output
    );
    assert_eq!(
        lines[7][0], "65534",
        "the one user that there is: {}",
        result.output
    );
    assert_eq!(&lines[7][2..], ["1"], "{}", result.output);
    let rest: Vec<String> = lines[8..].iter().map(|line| line.join(" ")).collect();
    assert_eq!(rest, ["refused", "/dev/core"], "{}", result.error);
}

#[test]
fn when_the_server_is_killed_its_programs_die() {
    let me = std::env::current_exe().unwrap();
    let mut server = Command::new(me)
        .args([
            "--ignored",
            "--exact",
            "escape::a_server_that_is_to_be_killed",
            "--nocapture",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let namespace = lines
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once("sandbox ")?.1.to_owned()));
    let namespace = namespace.expect("its program ran");
    let before = processes_in(&namespace).len();
    server.kill().unwrap();
    server.wait().unwrap();
    let begun = Instant::now();
    while !processes_in(&namespace).is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "its program lives on"
        );
        std::thread::yield_now();
    }
    assert!(before >= 2, "{before} processes ran before");
}

#[tokio::test]
#[ignore = "only run, and killed, by another test"]
async fn a_server_that_is_to_be_killed() {
    let limits = Limits {
        wall: Duration::from_mins(1),
        ..Limits::default()
    };
    let runner = Runner::start(limits);
    let mut running = Box::pin(runner.run("shell", "setsid sleep 49.875 & exec sleep 49.875"));
    let mut told = false;
    loop {
        tokio::select! {
            result = &mut running => panic!("nobody killed it: {result:?}"),
            () = tokio::time::sleep(Duration::from_millis(10)), if !told => {
                if let Some(namespace) = namespaces_with("sleep\x0049.875\0") {
                    println!("sandbox {namespace}");
                    told = true;
                }
            }
        }
    }
}

/// Returns the PID namespace in which two processes have this command line.
fn namespaces_with(command: &str) -> Option<String> {
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let such = processes.filter(|path| {
        std::fs::read_to_string(path.join("cmdline")).is_ok_and(|line| line == command)
    });
    let mut links = such.filter_map(|path| std::fs::read_link(path.join("ns/pid")).ok());
    let (first, second) = links.next().zip(links.next())?;
    (first == second).then(|| first.to_string_lossy().into_owned())
}
