//! Detects the runtime of a process by marks that only one runtime leaves. Such marks are the name of the program, the
//! mapped libraries, and text that the compiler wrote into the file. Without a mark there is no result.

mod elf;
mod marks;

use std::fs;
use std::path::Path;

use elf::Program;

/// The runtime of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// The name: `Node.js`, `Python`, `JVM`, `Go`, `Rust`, …
    pub name: &'static str,
    /// The version, if files show it: `3.11`, `1.22.1`.
    pub version: Option<String>,
}

/// The runtime of a process. `None` if it is uncertain or the process cannot be read.
///
/// This reads parts of the program's file, which takes some milliseconds. Call it once per process, not every second.
pub fn runtime_of(pid: i32) -> Option<Runtime> {
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let libraries = libraries(pid);
    let found = marks::by_program(&program).or_else(|| {
        libraries
            .iter()
            .find_map(|library| marks::by_library(library))
    });
    if let Some(mut found) = found {
        if found.name == "JVM" {
            found.version = jvm_version(pid, &program, &libraries);
        }
        return Some(found);
    }
    // The link `exe` opens the file even if it was replaced or is inside a container.
    Program::open(Path::new(&format!("/proc/{pid}/exe")))?.built_by()
}

/// The paths of the shared libraries that a process has mapped, without duplicates.
fn libraries(pid: i32) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let paths = maps
        .lines()
        .filter_map(|line| Some(line[line.find('/')?..].to_owned()));
    let mut paths: Vec<String> = paths.filter(|path| path.contains(".so")).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The version in the file `release` of a Java home: `JAVA_VERSION="17.0.2"`.
fn jvm_version(pid: i32, program: &Path, libraries: &[String]) -> Option<String> {
    let library = libraries.iter().find(|path| path.ends_with("/libjvm.so"));
    let within = library.map_or(program, |path| Path::new(path.as_str()));
    within.ancestors().skip(1).take(4).find_map(|home| {
        let inside = home.strip_prefix("/").ok()?;
        let file = Path::new(&format!("/proc/{pid}/root"))
            .join(inside)
            .join("release");
        let text = fs::read_to_string(file).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        Some(line.trim_matches('"').to_owned())
    })
}
