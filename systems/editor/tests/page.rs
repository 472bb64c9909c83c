//! Whether the page that is embedded is what its sources build.

use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/page");

#[test]
fn the_page_that_is_embedded_is_what_its_sources_build() {
    let mut node = node();
    node.arg("check-dist.mjs");
    passes(node);
}

/// Node in the page's folder. A missing dependency is said: a test that skips itself proves nothing.
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
