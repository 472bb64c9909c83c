//! Tests the page in a real Chromium whose microphone plays a recording, and checks that the embedded build matches its
//! sources. The browser tests are in `page/tests`, because browsers are easier to control from JavaScript.

use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
/// Node's time limit for a test. Each takes a few seconds on an idle machine.
const TEST_LIMIT: &str = "--test-timeout=180000";

#[test]
fn people_speak_to_the_page_in_chromium_and_read_along() {
    let folder = std::env::temp_dir().join(format!("headcount-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let speech = folder.join("speech.wav");
    speech::write("The quick brown fox jumps over the lazy dog.", &speech);
    let service = serde_json::json!([env!("CARGO_BIN_EXE_headcount-transcription")]);
    let mut node = node();
    node.args(["--test", "--test-concurrency=1", TEST_LIMIT])
        .arg("tests/page.test.mjs")
        .env("TRANSCRIPTION_COMMAND", service.to_string())
        .env("SPEECH", &speech);
    passes(node);
    std::fs::remove_dir_all(folder).unwrap();
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

#[cfg(test)]
mod speech {
    use std::path::Path;
    use std::process::Command;

    /// Writes speech of a free synthesizer, followed by a pause, because the browser repeats the file.
    pub(crate) fn write(text: &str, file: &Path) {
        let said = Command::new("flite")
            .args(["-voice", "slt", "-t", text, "-o"])
            .arg(file)
            .status();
        assert!(
            said.expect("flite is not installed: run ./test.sh or `apt-get install flite`")
                .success()
        );
        let mut reader = hound::WavReader::open(file).unwrap();
        let spec = reader.spec();
        let mut samples: Vec<i16> = reader.samples().map(Result::unwrap).collect();
        samples.extend(vec![0; spec.sample_rate as usize]);
        let mut writer = hound::WavWriter::create(file, spec).unwrap();
        for sample in samples {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
    }
}
