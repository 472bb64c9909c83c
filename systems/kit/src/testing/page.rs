//! Runs the tests of a system's web page, which are written in JavaScript, because browsers are easier to control from it.

use std::path::Path;
use std::process::Command;

/// Node's time limit for a test. Each takes a few seconds on an idle machine.
const TEST_LIMIT: &str = "--test-timeout=180000";

/// The sources of a system's page.
#[derive(Clone, Copy, Debug)]
pub struct PageSources(pub &'static str);

impl PageSources {
    /// Fails unless the embedded build is what the sources build.
    pub fn must_match_dist(self) {
        let mut node = self.node();
        node.args(["../../../e2e/check-dist.mjs", "production"]);
        passes(node);
    }

    /// Runs these files of `tests`, with these environment variables. Fails if one of their tests fails.
    pub fn test_in_browser(self, names: &[&str], environment: &[(&str, &str)]) {
        let mut node = self.node();
        node.args(["--test", "--test-concurrency=1", TEST_LIMIT])
            .args(names.iter().map(|name| format!("tests/{name}.test.mjs")))
            .envs(environment.iter().copied());
        passes(node);
    }

    /// Node in the page's folder. Panics if a dependency is missing, because a test that skips itself proves nothing.
    fn node(self) -> Command {
        let folder = Path::new(self.0);
        assert!(
            folder.join("node_modules/playwright-core").exists(),
            "{}/node_modules is not there: run ./e2e/install.sh (or ./test.sh, which does)",
            folder.display()
        );
        let mut node = Command::new("node");
        node.current_dir(folder);
        node
    }
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
