//! Tests the page in a real Chromium against the real editor, and checks that the embedded build matches its sources.
//! The browser tests are in `page/tests`, because browsers are easier to control from JavaScript.

use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
/// Node's time limit for a test. Each takes a few seconds on an idle machine.
const TEST_LIMIT: &str = "--test-timeout=180000";

#[test]
fn people_at_browsers_write_one_text_and_see_what_the_others_do() {
    let editor = serde_json::json!([env!("CARGO_BIN_EXE_headcount-editor")]);
    let mut node = node();
    node.args(["--test", "--test-concurrency=1", TEST_LIMIT])
        .args(["themes", "room", "typing"].map(|name| format!("tests/{name}.test.mjs")))
        .env("EDITOR_COMMAND", editor.to_string());
    passes(node);
}

#[test]
fn the_page_that_is_embedded_is_what_its_sources_build() {
    let mut node = node();
    node.arg("check-dist.mjs");
    passes(node);
}

/// Node in the page's folder. Panics if a dependency is missing, because a test that skips itself proves nothing.
fn node() -> Command {
    assert!(
        Path::new(PAGE)
            .join("node_modules/playwright-core")
            .exists(),
        "{PAGE}/node_modules is not there: run ./e2e/install.sh (or ./test.sh, which does)"
    );
    let mut node = Command::new("node");
    node.current_dir(PAGE);
    node
}

fn passes(mut node: Command) {
    let output = node
        .output()
        .unwrap_or_else(|why| panic!("node cannot be started: {why}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{node:?}: {}\n{}\n{}",
        output.status,
        said(&output.stdout),
        said(&output.stderr)
    );
}
