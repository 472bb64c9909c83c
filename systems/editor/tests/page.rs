//! Tests the page in a real Chromium against the real editor, and checks that the embedded build matches its sources.

use kit::testing::PageSources;

const PAGE: PageSources = PageSources(concat!(env!("CARGO_MANIFEST_DIR"), "/page"));

#[test]
fn people_at_browsers_write_one_text_and_see_what_the_others_do() {
    let editor = serde_json::json!([env!("CARGO_BIN_EXE_headcount-editor")]).to_string();
    PAGE.test_in_browser(
        &["themes", "room", "typing"],
        &[("EDITOR_COMMAND", &editor)],
    );
}

#[test]
fn the_page_that_is_embedded_is_what_its_sources_build() {
    PAGE.must_match_dist();
}
