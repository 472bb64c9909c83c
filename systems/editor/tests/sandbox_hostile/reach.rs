//! Attempts to reach the host's files, environment, open files, processes and network.

use std::fs::File;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

use super::attack::{Secret, patient, python, shell};

#[tokio::test]
async fn files_of_the_host_are_not_there() {
    let secret = Secret::new();
    let paths = [
        "/etc/shadow",
        "/etc/passwd",
        "/etc/hosts",
        "/root",
        "/home",
        "/var",
        "/run",
        "/sys",
        "/boot",
        "/mnt",
    ];
    let code = format!(
        "for path in sys.argv[1:] + {paths:?} + [{:?}, {:?}]: print(path, os.path.lexists(path))",
        secret.path,
        env!("CARGO_MANIFEST_DIR")
    );
    let result = python(patient(), &code).await;
    assert_eq!(
        result.output.lines().count(),
        paths.len() + 2,
        "{}",
        result.error
    );
    for line in result.output.lines() {
        assert!(line.ends_with(" False"), "{line}");
    }
    let tree = shell(patient(), "ls / /etc /tmp").await;
    let names: Vec<&str> = tree.output.split_whitespace().collect();
    for expected in ["usr", "tmp", "proc", "dev", "main.sh"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    for name in ["root", "home", "var", "run", "sys", "srv", "opt"] {
        assert!(!names.contains(&name), "{names:?}");
    }
}

#[tokio::test]
async fn the_environment_of_the_server_is_nowhere() {
    // This test acts as the server. Cargo has set known environment variables for it.
    assert!(std::env::var("CARGO_PKG_NAME").is_ok());
    let result = shell(
        patient(),
        "env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline | tr '\\0' '\\n'",
    )
    .await;
    assert!(result.output.contains("HOME=/tmp"), "{}", result.error);
    assert!(!result.output.contains("CARGO"), "{}", result.output);
    let names = result
        .output
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name);
    let allowed = [
        "PATH", "HOME", "TMPDIR", "LANG", "PWD", "OLDPWD", "SHLVL", "_",
    ];
    for name in names {
        let known = allowed.contains(&name)
            || ["GO", "PYTHON", "CGO_"]
                .iter()
                .any(|known| name.starts_with(known));
        assert!(
            known || !name.chars().all(|letter| letter.is_ascii_uppercase()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn processes_of_the_host_are_not_seen_and_get_no_signal() {
    let mut victim = Command::new("sleep").arg("100").spawn().unwrap();
    let ours = [victim.id(), std::process::id()];
    let code = format!(
        r"
import signal
print(sum(name.isdigit() for name in os.listdir('/proc')))
for process in {ours:?}:
    try: os.kill(process, 9); print('sent')
    except ProcessLookupError: print('none')
for process in 1, os.getppid(): os.kill(process, signal.SIGTERM); os.kill(process, 9)
print('still here')
os.kill(-1, 9)
"
    );
    let result = python(patient(), &code).await;
    let alive = victim.try_wait().unwrap().is_none();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(alive, "the host's process got a signal");
    let lines: Vec<&str> = result.output.lines().collect();
    let seen: usize = lines[0].parse().unwrap();
    assert!(seen <= 4, "{seen} processes are seen");
    assert_eq!(
        &lines[1..],
        ["none", "none", "still here"],
        "{}",
        result.error
    );
}

#[tokio::test]
async fn there_is_no_network_and_no_name_is_looked_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let code = format!(
        r"
import socket
for kind in (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, socket.SOCK_STREAM), \
    (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_VSOCK, socket.SOCK_STREAM):
    try: socket.socket(*kind); print('a socket')
    except OSError as error: print(error.errno)
try: socket.create_connection(('127.0.0.1', {port}), 2); print('connected')
except OSError as error: print('no connection')
try: socket.getaddrinfo('example.org', 80); print('found')
except OSError as error: print('no name')
print([line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]])
"
    );
    let result = python(patient(), &code).await;
    let refused = "13\n".repeat(6);
    assert_eq!(
        result.output,
        format!("{refused}no connection\nno name\n['lo']\n"),
        "{}",
        result.error
    );
    let bash = shell(
        patient(),
        &format!("echo x > /dev/tcp/127.0.0.1/{port} || echo refused"),
    )
    .await;
    assert_eq!(bash.output, "refused\n");
    let called = listener.accept().map(drop).unwrap_err();
    assert_eq!(
        called.kind(),
        std::io::ErrorKind::WouldBlock,
        "nobody called"
    );
}

#[tokio::test]
async fn a_nameless_unix_socket_of_the_host_is_not_reached() {
    let name = format!("headcount-test-{}", std::process::id());
    let listener =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    listener.set_nonblocking(true).unwrap();
    let code = format!("import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')");
    let result = python(patient(), &code).await;
    assert!(
        result.error.contains("ConnectionRefusedError"),
        "{}",
        result.error
    );
    assert!(listener.accept().is_err());
}

#[tokio::test]
async fn open_files_of_the_server_are_not_inherited() {
    let secret = Secret::new();
    let open = File::open(&secret.path).unwrap();
    let directory = File::open("/").unwrap();
    // A library of the server might open files without close-on-exec.
    for file in [&open, &directory] {
        fcntl_setfd(file, FdFlags::empty()).unwrap();
    }
    let code = r"
for number in range(3, 256):
    try: os.fstat(number); print('open', number, os.readlink(f'/proc/self/fd/{number}'))
    except OSError: pass
for process in filter(str.isdigit, os.listdir('/proc')):
    for number in os.listdir(f'/proc/{process}/fd'):
        try: print(os.readlink(f'/proc/{process}/fd/{number}'))
        except OSError: pass
";
    let result = python(patient(), code).await;
    for line in result.output.lines() {
        let harmless = ["pipe:[", "anon_inode:", "/dev/null", "/proc/"]
            .iter()
            .any(|start| line.starts_with(start));
        assert!(harmless, "{line}");
    }
    assert!(result.output.contains("pipe:["), "{}", result.error);
}
