//! The arguments of bubblewrap, which define what a program can see of the machine. No argument comes from a client.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::golang;
use super::limits::Limits;
use super::shown::Shown;

/// File descriptors of bubblewrap, for the code, the filter, its status output, and the pipe for which it waits.
pub(super) const CODE: i32 = 3;
pub(super) const FILTER: i32 = 4;
pub(super) const STATUS: i32 = 5;
pub(super) const GATE: i32 = 6;

/// Directories that are links into `/usr` on Debian, but separate on other systems.
const BESIDE_USR: &[&str] = &["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// Files that programs in `/usr` need and that usually contain no secrets.
const NEEDED: &[&str] = &[
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/R",
    "/nix/store",
];

/// Directories for manual installations of Go.
const BY_HAND: &[&str] = &["/usr/local/go", "/usr/lib/go"];

const SHARED_MEMORY: u64 = 16 * 1024 * 1024;

/// The arguments that isolate the program.
const ALONE: &[&str] = &[
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup",
    "--disable-userns",
    "--assert-userns-disabled",
    "--die-with-parent",
    "--as-pid-1", // bubblewrap then waits until the whole namespace has ended
    "--new-session",
    "--cap-drop",
    "ALL",
    "--uid",
    "65534",
    "--gid",
    "65534",
    "--hostname",
    "sandbox",
    "--clearenv",
];

/// Builds the arguments of bubblewrap before `--`. If `file` is set, the code becomes that file in `/tmp`.
pub(super) fn arguments(
    limits: &Limits,
    file: Option<&str>,
    shown: Option<&Shown>,
) -> Vec<OsString> {
    let mut all = Arguments(ALONE.iter().map(OsString::from).collect());
    for (name, value) in environment(limits) {
        all.add(["--setenv", name, &value]);
    }
    all.system();
    for toolchain in &limits.toolchains {
        all.add([
            "--ro-bind".as_ref(),
            toolchain.as_os_str(),
            toolchain.as_os_str(),
        ]);
    }
    if let Some(shown) = shown {
        let how = if shown.writable {
            "--bind"
        } else {
            "--ro-bind"
        };
        all.add([how.as_ref(), shown.host.as_os_str(), shown.inside.as_ref()]);
    }
    all.add(["--proc", "/proc", "--dev", "/dev"]);
    all.add([
        "--size",
        &SHARED_MEMORY.to_string(),
        "--tmpfs",
        "/dev/shm",
        "--remount-ro",
        "/dev",
    ]);
    all.add(["--size", &limits.files.to_string(), "--tmpfs", "/tmp"]);
    if let Some(file) = file {
        all.add([
            "--perms",
            "0644",
            "--file",
            &CODE.to_string(),
            &format!("/tmp/{file}"),
        ]);
    }
    all.add(["--remount-ro", "/", "--chdir", "/tmp"]);
    all.add([
        "--seccomp",
        &FILTER.to_string(),
        "--json-status-fd",
        &STATUS.to_string(),
    ]);
    all.0
}

/// The complete environment of a program.
fn environment(limits: &Limits) -> Vec<(&'static str, String)> {
    let mut path = "/usr/local/bin:/usr/bin:/bin".to_owned();
    for directory in BY_HAND
        .iter()
        .map(Path::new)
        .chain(limits.toolchains.iter().map(PathBuf::as_path))
    {
        path.push(':');
        path.push_str(&directory.join("bin").to_string_lossy());
    }
    let mut all = vec![("PATH", path)];
    let fixed = [
        ("HOME", "/tmp"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
        ("PYTHONUNBUFFERED", "1"), // keeps output from before a timeout
        ("PYTHONDONTWRITEBYTECODE", "1"),
    ];
    all.extend(fixed.map(|(name, value)| (name, value.to_owned())));
    all.extend(
        golang::ENVIRONMENT
            .iter()
            .map(|&(name, value)| (name, value.to_owned())),
    );
    all
}

/// Returns the configuration files that Java needs to start. Debian stores them in `/etc`, in a directory per version,
/// where other files may contain passwords.
fn of_java() -> Vec<OsString> {
    let entries = fs::read_dir("/etc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("java-"))
        .map(|entry| entry.path().join("security").into_os_string())
        .collect()
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn add<A: Into<OsString>>(&mut self, arguments: impl IntoIterator<Item = A>) {
        self.0.extend(arguments.into_iter().map(Into::into));
    }

    fn system(&mut self) {
        self.add(["--ro-bind", "/usr", "/usr"]);
        for &directory in BESIDE_USR {
            if let Ok(target) = fs::read_link(directory) {
                let [how, link] = ["--symlink", directory].map(OsString::from);
                self.add([how, target.into_os_string(), link]);
            } else {
                self.add(["--ro-bind-try", directory, directory]);
            }
        }
        for &needed in NEEDED {
            self.add(["--ro-bind-try", needed, needed]);
        }
        for needed in of_java() {
            self.add(["--ro-bind-try".into(), needed.clone(), needed]);
        }
        if Path::new("/usr/local/etc").is_dir() {
            // hide the configuration of the host's own services
            self.add([
                "--size",
                "4096",
                "--tmpfs",
                "/usr/local/etc",
                "--remount-ro",
                "/usr/local/etc",
            ]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_host_is_writable_and_no_home_is_shown() {
        let words: Vec<String> = arguments(&Limits::default(), Some("main.py"), None)
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        assert!(
            !words
                .iter()
                .any(|word| ["--bind", "--dev-bind", "--share-net"].contains(&word.as_str()))
        );
        for directory in ["/", "/home", "/root", "/var", "/run", "/etc", "/sys"] {
            let shown = words
                .windows(2)
                .any(|pair| pair[0].starts_with("--ro-bind") && pair[1] == directory);
            assert!(!shown, "{directory}");
        }
    }
}
