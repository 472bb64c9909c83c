//! Names of programs and libraries that identify a runtime.

use std::path::Path;

use super::Runtime;

/// Beginnings of program names, each with its runtime. Only a version may follow the beginning.
const PROGRAMS: [(&str, &str); 14] = [
    ("nodejs", "Node.js"),
    ("node", "Node.js"),
    ("deno", "Deno"),
    ("bun", "Bun"),
    ("pypy", "PyPy"),
    ("python", "Python"),
    ("java", "JVM"),
    ("ruby", "Ruby"),
    ("php-fpm", "PHP"),
    ("php", "PHP"),
    ("perl", "Perl"),
    ("dotnet", ".NET"),
    ("beam.smp", "Erlang"),
    ("luajit", "Lua"),
];

/// Beginnings of library names, each with the only runtime to which the library belongs.
const LIBRARIES: [(&str, &str); 6] = [
    ("libjvm.so", "JVM"),
    ("libpython", "Python"),
    ("libnode.so", "Node.js"),
    ("libcoreclr.so", ".NET"),
    ("libruby", "Ruby"),
    ("libphp", "PHP"),
];

pub(super) fn by_program(program: &Path) -> Option<Runtime> {
    let file = program.file_name()?.to_str()?;
    // The kernel appends this to the path of a program that was replaced while it runs.
    let file = file.strip_suffix(" (deleted)").unwrap_or(file);
    let (name, rest) = PROGRAMS
        .iter()
        .find_map(|(start, name)| Some((*name, file.strip_prefix(start)?)))
        .filter(|(_, rest)| is_version(rest))?;
    let version = Some(rest)
        .filter(|rest| rest.contains('.'))
        .map(|rest| rest.trim_start_matches('-').to_owned())
        .or_else(|| version_in_path(program));
    Some(Runtime { name, version })
}

pub(super) fn by_library(path: &str) -> Option<Runtime> {
    let file = path.rsplit('/').next()?;
    let (start, name) = LIBRARIES
        .iter()
        .find(|(start, _)| file.starts_with(start))?;
    let rest = file.strip_prefix(start)?.split(".so").next()?;
    // `libpython3.so` has no full version, and `libpythonic.so` is a different library.
    if !is_version(rest) {
        return None;
    }
    let version = rest.trim_start_matches('-');
    Some(Runtime {
        name,
        version: version.contains('.').then(|| version.to_owned()),
    })
}

/// Whether the text is empty or a version such as `3`, `3.11` or `-3.2`.
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.is_empty() || digits.split('.').all(plain)
}

/// The version in the path of a program. If several versions are installed, each has a folder: `…/v20.20.2/bin/node`.
fn version_in_path(program: &Path) -> Option<String> {
    let folders = program
        .parent()?
        .iter()
        .rev()
        .filter_map(|part| part.to_str());
    let versions = folders.map(|part| part.strip_prefix('v').unwrap_or(part));
    let mut versions = versions.filter(|part| part.split('.').count() == 3 && is_version(part));
    versions.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> Option<(&'static str, Option<String>)> {
        by_program(Path::new(path)).map(|found| (found.name, found.version))
    }

    #[test]
    fn programs_are_known_by_name_and_version() {
        let version = |text: &str| Some(text.to_owned());
        for (path, expected) in [
            ("/usr/bin/node", Some(("Node.js", None))),
            (
                "/opt/v20.20.2/bin/node",
                Some(("Node.js", version("20.20.2"))),
            ),
            ("/usr/bin/python3.11", Some(("Python", version("3.11")))),
            (
                "/usr/bin/python3.11 (deleted)",
                Some(("Python", version("3.11"))),
            ),
            ("/usr/bin/python3", Some(("Python", None))),
            ("/usr/bin/php-fpm8.2", Some(("PHP", version("8.2")))),
            ("/usr/bin/node_exporter", None),
            ("/usr/bin/javac", None),
            ("/usr/bin/server", None),
        ] {
            assert_eq!(program(path), expected, "{path}");
        }
    }

    #[test]
    fn libraries_are_known_by_name() {
        let library = |path| by_library(path).map(|found| (found.name, found.version));
        assert_eq!(library("/x/libjvm.so"), Some(("JVM", None)));
        assert_eq!(
            library("/x/libpython3.11.so.1.0"),
            Some(("Python", Some("3.11".to_owned())))
        );
        assert_eq!(library("/x/libpythonic.so"), None);
        assert_eq!(library("/x/libc.so.6"), None);
    }
}
