//! A generator that lacks CPU time reports that, and never blames the target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::harness::{Lab, Program, Server, issue};

const LIGHT: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { rate: "300/s", duration: "2s" } };
export default async function asks({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
"#;

/// More load than one core can make: each iteration computes for some milliseconds.
const HEAVY: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { rate: "2000/s", duration: "2s", users: 20000 } };
export default async function asks({ users: [user] }: Group) {
  let sum = 0;
  for (let i = 0; i < 100000; i++) sum += i % 7;
  if (sum > 0) await user!.get("/delay/1ms");
}
"#;

/// Processes that compete for one core. They are killed by process id.
struct Hogs(Vec<Child>);

impl Hogs {
    fn on(core: &str, count: usize) -> Self {
        let hog = || {
            Command::new("taskset")
                .args(["-c", core, "sh", "-c", "while :; do :; done"])
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        };
        Self((0..count).map(|_| hog()).collect())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

fn level(text: &str) -> Value {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("load.ts", text);
    lab.level("load.ts", &truth.url(), &["--workers", "1", "--cores", "0"])
}

#[test]
fn a_generator_whose_cpu_is_taken_is_not_called_valid() {
    let _hogs = Hogs::on("0", 4);
    let level = level(LIGHT);
    assert_ne!(level["validity"], "valid", "{level:#}");
}

#[test]
fn more_load_than_its_core_can_make_is_not_sound() {
    let level = level(HEAVY);
    assert_eq!(level["validity"], "invalid", "{level:#}");
    assert!(
        level["generator"]["busiest_worker_percent"].as_f64() > Some(60.0),
        "{level:#}"
    );
}

/// A cgroup with a quota of 5 % of a core, removed when dropped.
pub(crate) struct Quota(PathBuf);

impl Quota {
    /// `None` if this machine does not permit a cgroup.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let (one, two) = (Path::new("/sys/fs/cgroup/cpu"), Path::new("/sys/fs/cgroup"));
        let (root, file, quota) = if one.is_dir() {
            (one, "cpu.cfs_quota_us", "5000")
        } else {
            (two, "cpu.max", "5000 100000")
        };
        let folder = root.join(format!("headcount-{name}-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let quota_set = fs::write(folder.join(file), quota);
        let made = Self(folder);
        quota_set.ok().map(|()| made)
    }

    /// The command that starts headcount under the quota.
    pub(crate) fn headcount(&self) -> Command {
        let mut command = Command::new("sh");
        let enter = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", self.0.display());
        command.args(["-c", &enter, "sh", env!("CARGO_BIN_EXE_headcount")]);
        command
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_generator_stopped_by_its_cpu_quota_is_not_sound() {
    let Some(quota) = Quota::new("alone") else {
        eprintln!("not tested: no control group can be made here");
        return;
    };
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("load.ts", HEAVY);
    let mut command = quota.headcount();
    command
        .arg("run")
        .arg(lab.path("load.ts"))
        .args(["--target", &truth.url(), "--json", "--quiet", "--out"])
        .arg(lab.path("run"));
    let summary = Program::start(command).end().summary();
    let level = &summary["levels"][0];
    assert_eq!(level["validity"], "invalid", "{level:#}");
    assert!(
        level["generator"]["throttled_ms"].as_f64() > Some(500.0),
        "{level:#}"
    );
    assert_eq!(issue(level, "cpu_quota")["severity"], "invalid");
}
