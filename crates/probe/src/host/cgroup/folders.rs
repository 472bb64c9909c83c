use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a controller: the folder of the process, followed by its parents up to the mount. `table` is the text
/// of `/proc/PID/cgroup`, with lines such as `0::/a` (version 2) and `4:cpu,cpuacct:/a` (version 1).
///
/// Inside a container, the path may be the host's while the mount begins at the container's own root. Then only that
/// root is visible.
pub(super) fn folders(root: &Path, table: &str, controller: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in table.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        for mount in mounts(root, controllers, controller) {
            found.extend(chain(&mount, path));
        }
    }
    found
}

/// The folders at which the hierarchy of one line of `/proc/PID/cgroup` may be mounted.
fn mounts(root: &Path, controllers: &str, wanted: &str) -> Vec<PathBuf> {
    if controllers.is_empty() {
        // If version 1 is also mounted, version 2 is at `unified`, and `root` contains no controller files.
        return vec![root.to_owned(), root.join("unified")];
    }
    if !controllers.split(',').any(|name| name == wanted) {
        return Vec::new();
    }
    let together = root.join(controllers);
    if together.is_dir() {
        vec![together]
    } else {
        vec![root.join(wanted)]
    }
}

fn chain(mount: &Path, path: &str) -> Vec<PathBuf> {
    let own = mount.join(path.trim_start_matches('/'));
    let seen = fs::metadata(&own).is_ok_and(|metadata| metadata.is_dir());
    let innermost = if seen { own } else { mount.to_owned() };
    innermost
        .ancestors()
        .take_while(|folder| folder.starts_with(mount))
        .map(Path::to_owned)
        .collect()
}
