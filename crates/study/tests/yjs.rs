//! The study of the editor writes Yjs updates by hand; Yjs itself must read them as they are meant.

use std::path::Path;
use std::process::Command;

#[test]
fn yjs_reads_the_updates_of_the_scenario() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let modules = root.join("e2e/node_modules/yjs");
    assert!(modules.exists(), "run e2e/install.sh first");
    let output = Command::new("timeout")
        .args(["60", "node", "written.mjs"])
        .arg(root.join("crates/study/scenarios/editor-crdt.ts"))
        .current_dir(root.join("e2e/editor"))
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
}
