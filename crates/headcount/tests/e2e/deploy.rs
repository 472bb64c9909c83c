//! The files with which agents are deployed: they are valid, and agents have no more rights than they need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Lab, Server, python};

fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../deploy")
        .join(name)
}

/// Checks the text of a Kubernetes manifest. Returns its objects, or its defects.
fn check_manifest(text: &str) -> Result<String, String> {
    let lab = Lab::new().with("manifest.yaml", text);
    let script = Server::folder().join("manifest.py");
    let mut python = python();
    let command = python.arg(script).arg(lab.path("manifest.yaml"));
    let output = command.output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    if output.status.success() {
        Ok(stdout)
    } else {
        Err(stderr)
    }
}

#[test]
fn the_kubernetes_manifest_is_valid_and_grants_no_rights() {
    let manifest = fs::read_to_string(deployed("kubernetes.yaml")).unwrap();
    let objects = check_manifest(&manifest).unwrap();
    assert!(objects.contains("Deployment/headcount-agent"), "{objects}");

    let breaks = [
        ("replicas: 4", "replicas: four", "is not of type 'integer'"),
        ("workingDir:", "workingdir:", "'workingdir' was unexpected"),
        ("runAsUser: 65532", "runAsUser: 0", "may run as root"),
        ("drop: [ALL]", "add: [NET_ADMIN]", "has capabilities"),
        (
            "readOnlyRootFilesystem: true",
            "readOnlyRootFilesystem: false",
            "can write to its root",
        ),
        (
            "automountServiceAccountToken: false",
            "automountServiceAccountToken: true",
            "mounts a token of the service account",
        ),
        (
            "limits: { cpu: \"2\", memory: 2Gi }",
            "limits: { cpu: \"2\" }",
            "has no limits",
        ),
        ("sizeLimit: 256Mi", "medium: Memory", "without a limit"),
    ];
    for (right, wrong, complaint) in breaks {
        assert!(manifest.contains(right), "{right}");
        let defects = check_manifest(&manifest.replace(right, wrong)).unwrap_err();
        assert!(defects.contains(complaint), "{wrong}: {defects}");
    }
}

#[test]
fn nats_server_accepts_its_configuration() {
    let path = std::env::var("PATH").unwrap() + ":/usr/sbin";
    let mut nats = Command::new("nats-server");
    nats.arg("-t").arg("-c").arg(deployed("nats-server.conf"));
    let output = nats.env("PATH", path).env("NATS_TOKEN", "t0").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_manifest_configures_nats_as_the_configuration_file_does() {
    let lines = |name: &str| {
        let text = fs::read_to_string(deployed(name)).unwrap();
        let line = |line: &str| line.trim().to_owned();
        text.lines().map(line).collect::<Vec<_>>()
    };
    let (file, manifest) = (lines("nats-server.conf"), lines("kubernetes.yaml"));
    let settings = file
        .iter()
        .filter(|line| line.contains(": ") && !line.starts_with('#'));
    // The folder of the store differs.
    for setting in settings.filter(|line| !line.starts_with("store_dir")) {
        assert!(manifest.contains(setting), "{setting}");
    }
}

/// Checks the text of a systemd unit, with this program as its program. Returns whether the check succeeded, and what it
/// complained about.
fn check_unit(check: &[&str], text: &str) -> (bool, String) {
    let text = text.replace("/usr/local/bin/headcount", env!("CARGO_BIN_EXE_headcount"));
    let lab = Lab::new().with("headcount-agent.service", &text);
    let mut analyze = Command::new("systemd-analyze");
    analyze.args(check).arg(lab.path("headcount-agent.service"));
    let output = analyze.output().unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), complaints)
}

#[test]
fn the_systemd_unit_is_valid_and_hardened() {
    let unit = fs::read_to_string(deployed("headcount-agent.service")).unwrap();
    assert_eq!(check_unit(&["verify"], &unit), (true, String::new()));
    // systemd ignores wrong lines, and so the check succeeds, but it mentions them.
    let wrong = unit.replace("Restart=on-failure", "Restart=sometimes");
    let (_, complaints) = check_unit(&["verify"], &wrong);
    assert!(complaints.contains("sometimes"), "{complaints}");

    // The exposure, in tenths: 0 is the best, 100 the worst. A service without hardening has over 90.
    let security = ["security", "--offline=true", "--threshold=20"];
    assert!(check_unit(&security, &unit).0);
    let open = unit.replace("CapabilityBoundingSet=\n", "");
    assert!(!check_unit(&security, &open).0);
}
