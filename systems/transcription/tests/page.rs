//! Tests the page in a real Chromium whose microphone plays a recording, and checks that the embedded build matches its
//! sources.

use kit::testing::PageSources;

const PAGE: PageSources = PageSources(concat!(env!("CARGO_MANIFEST_DIR"), "/page"));

#[test]
fn people_speak_to_the_page_in_chromium_and_read_along() {
    let folder = std::env::temp_dir().join(format!("headcount-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let speech = folder.join("speech.wav");
    speech::write("The quick brown fox jumps over the lazy dog.", &speech);
    let service = serde_json::json!([env!("CARGO_BIN_EXE_headcount-transcription")]).to_string();
    PAGE.test_in_browser(
        &["page"],
        &[
            ("TRANSCRIPTION_COMMAND", &service),
            ("SPEECH", speech.to_str().unwrap()),
        ],
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_page_that_is_embedded_is_what_its_sources_build() {
    PAGE.must_match_dist();
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
