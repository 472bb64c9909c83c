//! Names of modules: paths with forward slashes, resolved without reading the disk.

use std::path::Path;

use super::foreign::instead_of;

/// The target of an import.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Import {
    /// The API.
    Api,
    /// Another module, with its name.
    Module(String),
}

/// File extensions of modules.
const ENDINGS: [&str; 5] = [".ts", ".mts", ".js", ".mjs", ".json"];

/// Returns the module name of a scenario given on a command line.
pub(super) fn name_of(path: &Path) -> String {
    let shown = path.to_string_lossy().replace('\\', "/");
    shown
        .strip_prefix("./")
        .map_or(shown.clone(), str::to_owned)
}

/// Returns a name up to its last slash, inclusive.
pub(super) fn folder(name: &str) -> &str {
    name.rfind('/')
        .and_then(|slash| name.get(..=slash))
        .unwrap_or("")
}

/// Resolves `specifier` in the module `base`, or returns the error message.
pub(crate) fn resolve(base: &str, specifier: &str) -> Result<Import, String> {
    if specifier == "headcount" {
        return Ok(Import::Api);
    }
    if !specifier.starts_with("./") && !specifier.starts_with("../") {
        let advice = instead_of(specifier)
            .unwrap_or("write \"headcount\", or a path that begins with ./ or ../");
        return Err(format!("cannot import `{specifier}`: {advice}"));
    }
    if !ENDINGS.iter().any(|ending| specifier.ends_with(ending)) {
        return Err(format!(
            "cannot import `{specifier}`: write the file extension (.ts, .js or .json)"
        ));
    }
    Ok(Import::Module(join(folder(base), specifier)))
}

fn join(folder: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(specifier.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{Import, resolve};

    fn module(base: &str, specifier: &str) -> String {
        match resolve(base, specifier) {
            Ok(Import::Module(name)) => name,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn imports_are_joined_to_their_importer() {
        assert_eq!(module("a/room.ts", "./lib/x.ts"), "a/lib/x.ts");
        assert_eq!(module("a/room.ts", "../x.ts"), "x.ts");
        assert_eq!(module("room.ts", "../x.ts"), "../x.ts");
        assert_eq!(module("../room.ts", "../x.ts"), "../../x.ts");
        assert_eq!(module("/a/b/room.ts", "../../x.json"), "/x.json");
    }

    #[test]
    fn other_imports_are_refused() {
        assert_eq!(resolve("room.ts", "headcount"), Ok(Import::Api));
        for bad in [
            "fs",
            "headcount/native",
            "/etc/x.ts",
            "https://x/y.js",
            "./x",
            "./x.css",
        ] {
            assert!(resolve("room.ts", bad).is_err(), "{bad}");
        }
    }
}
