//! Paths relative to the root, with `/` between their parts.

use std::path::Path;

/// Whether the path has one of these extensions.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}

/// Returns the folder of a file, without a trailing slash.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins the paths and resolves `.` and `..`. `None` if the result is outside the tree.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_relative_path_is_followed_and_never_leaves_the_tree() {
        assert_eq!(
            join("docs/design", "../../README.md").as_deref(),
            Some("README.md")
        );
        assert_eq!(join("", "./a/./b").as_deref(), Some("a/b"));
        assert_eq!(join("docs", "../../etc"), None);
    }
}
