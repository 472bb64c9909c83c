//! Metadata of the workspace and of all packages that it builds, from `cargo metadata`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::error::OpenError;
use super::path::folder_of;

/// The members of the workspace, and all other packages that are built on this platform.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) members: Vec<Package>,
    pub(crate) foreign: Vec<Foreign>,
}

/// A crate of this repository. Paths are relative to the root.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: String,
    pub(crate) folder: String,
    pub(crate) described: bool,
    pub(crate) licence: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    /// Name of the dependency in the manifest.
    pub(crate) name: String,
    /// Whether the package is a crate of this repository.
    pub(crate) ours: bool,
}

#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) root: String,
    pub(crate) kind: TargetKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    Library,
    Binary,
    /// Tests, examples and benches, which are not released.
    Aside,
}

/// A third-party package.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Source of the package: `registry+…` or `git+…`. `None` for a path outside this repository.
    pub(crate) source: Option<String>,
}

/// Runs `cargo metadata` for the host's platform.
pub(crate) fn read(root: &Path) -> Result<Workspace, OpenError> {
    let host = run(root, "rustc", &["-vV"])?
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .ok_or_else(|| OpenError::Metadata("`rustc -vV` reports no host".to_owned()))?;
    let text = run(
        root,
        "cargo",
        &["metadata", "--format-version=1", "--filter-platform", &host],
    )?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| OpenError::Metadata(error.to_string()))?;
    let member_ids = list(&json["workspace_members"]);
    let (ours, others): (Vec<&Value>, Vec<&Value>) = list(&json["packages"])
        .iter()
        .partition(|package| member_ids.contains(&package["id"]));
    Ok(Workspace {
        members: ours.into_iter().map(|value| package(root, value)).collect(),
        foreign: others.into_iter().map(foreign).collect(),
    })
}

fn run(root: &Path, program: &str, args: &[&str]) -> Result<String, OpenError> {
    let output = Command::new(program)
        .args(args)
        .current_dir(root)
        .output()
        .map_err(|error| OpenError::Metadata(format!("{program}: {error}")))?;
    if !output.status.success() {
        return Err(OpenError::Metadata(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ));
    }
    String::from_utf8(output.stdout).map_err(|error| OpenError::Metadata(error.to_string()))
}

fn package(root: &Path, value: &Value) -> Package {
    let manifest = relative(root, &value["manifest_path"]);
    Package {
        name: text(&value["name"]),
        folder: folder_of(&manifest).to_owned(),
        manifest,
        described: value["description"]
            .as_str()
            .is_some_and(|text| !text.trim().is_empty()),
        licence: value["license"].as_str().map(str::to_owned),
        dependencies: list(&value["dependencies"])
            .iter()
            .map(dependency)
            .collect(),
        targets: list(&value["targets"])
            .iter()
            .map(|value| target(root, value))
            .collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    let name = value["rename"].as_str().unwrap_or_default();
    Dependency {
        name: if name.is_empty() {
            text(&value["name"])
        } else {
            name.to_owned()
        },
        ours: value["path"].is_string(),
    }
}

fn target(root: &Path, value: &Value) -> Target {
    let kinds: Vec<&str> = list(&value["kind"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let kind = match kinds[..] {
        ["lib" | "proc-macro" | "rlib" | "cdylib", ..] => TargetKind::Library,
        ["bin" | "custom-build", ..] => TargetKind::Binary,
        _ => TargetKind::Aside,
    };
    Target {
        root: relative(root, &value["src_path"]),
        kind,
    }
}

fn foreign(value: &Value) -> Foreign {
    Foreign {
        name: text(&value["name"]),
        version: text(&value["version"]),
        licence: value["license"].as_str().map(str::to_owned),
        source: value["source"].as_str().map(str::to_owned),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn relative(root: &Path, value: &Value) -> String {
    let path = Path::new(value.as_str().unwrap_or_default());
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}
