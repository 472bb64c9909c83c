//! The folder that a scenario may read. A scenario from someone else can read nothing outside it.

use std::fs::canonicalize;
use std::io;
use std::path::{Path, PathBuf};

/// A folder. No `..`, absolute path or symbolic link may lead outside it.
#[derive(Clone, Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(folder: &Path) -> Self {
        Self(if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder.to_owned()
        })
    }

    /// Checks that the file is inside the folder, with all links resolved. A missing file passes, because reading it
    /// reports the error.
    pub(crate) fn check(&self, path: &Path) -> Result<(), String> {
        let unresolved = |what: &Path, why: &io::Error| format!("{}: {why}", what.display());
        let root = canonicalize(&self.0).map_err(|why| unresolved(&self.0, &why))?;
        let file = match canonicalize(path) {
            Ok(file) => file,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(why) => return Err(unresolved(path, &why)),
        };
        if file.starts_with(&root) {
            return Ok(());
        }
        Err(format!(
            "{} leads to {}, outside the folder {}: a scenario can read only files in its own folder, or in the folder \
             given with --root",
            path.display(),
            file.display(),
            root.display()
        ))
    }
}

/// Returns the path of a scenario's file. `path` is relative to the folder `base`. The file must be inside the folder
/// `root`.
pub fn file_within(base: &Path, root: &Path, path: &str) -> Result<PathBuf, String> {
    let file = base.join(path);
    Root::new(root).check(&file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn neither_dots_nor_absolute_paths_nor_links_lead_out() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        fs::create_dir_all(at("own/data")).unwrap();
        fs::write(at("secret.json"), "[]").unwrap();
        fs::write(at("own/data/a.json"), "[]").unwrap();
        symlink(at("secret.json"), at("own/link.json")).unwrap();
        symlink(parent.path(), at("own/up")).unwrap();
        symlink("data/a.json", at("own/within.json")).unwrap();
        let root = Root::new(&at("own"));
        for inside in [
            "own/data/a.json",
            "own/data/../data/a.json",
            "own/within.json",
            "own/none.json",
        ] {
            root.check(&at(inside)).unwrap();
        }
        for outside in [
            "secret.json",
            "own/../secret.json",
            "own/link.json",
            "own/up/secret.json",
        ] {
            let refused = root.check(&at(outside)).unwrap_err();
            assert!(refused.contains("--root"), "{refused}");
        }
        Root::new(parent.path())
            .check(&at("own/link.json"))
            .unwrap();
    }
}
