//! The pages of saved studies, made from a small one.

use std::fs;

use crate::harness::{Lab, Server};

const STUDY: &str = r#"{
  "kind": "headcount-study", "version": 1, "study": "bridge", "verdict": "passed", "parts": ["short", "http"]
}"#;
const REPORT: &str = "# The bridge, measured again\n\n20 users: 70,516/s.\n\n\
    | users | field report | ours |\n| ---: | ---: | ---: |\n| 20 | 13,712/s | 70,516/s |\n\n\
    ### The tests are too short\n\nTen runs took 15 ms each.\n";

#[test]
fn the_reports_of_saved_studies_become_pages_with_the_published_figures_beside_ours() {
    let (truth, lab) = (Server::truth(&[]), Lab::new());
    for part in ["short", "http"] {
        let folder = format!("tiny/{part}");
        let url = truth.url() + "/delay/1ms";
        lab.headcount(&["bench", &url, "-n", "20", "-c", "2", "--out", &folder]);
    }
    fs::write(lab.path("tiny/study.json"), STUDY).unwrap();
    fs::write(lab.path("tiny/report.md"), REPORT).unwrap();
    let ended = lab.headcount(&["study", "pages", "tiny", "--out", "pages"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let read = |name: &str| fs::read_to_string(lab.path("pages").join(name)).unwrap();
    let markdown = read("bridge.md");
    for said in [
        "| 20 | 13,712/s | 70,516/s |",
        "### The tests are too short",
        "## What the published figures alone show",
        "- arithmetic: ",
        "## Measurements",
        "| short | 20",
        "| http  | 20",
    ] {
        assert!(markdown.contains(said), "{said} in {markdown}");
    }
    let page = read("bridge.html");
    assert!(
        page.contains("<h1>The bridge, measured again</h1>"),
        "{page}"
    );
    assert!(page.contains("<h2>Measurements</h2>"), "{page}");
    let listed = "## [The bridge, measured again](bridge.md)\n\n20 users: 70,516/s.\n";
    assert!(read("README.md").contains(listed));
    assert!(read("index.html").contains("<a href=\"bridge.html\">"));
}

#[test]
fn studies_that_are_measured_already_get_pages_with_one_command() {
    let (truth, lab) = (Server::truth(&[]), Lab::new());
    let names = [
        "bridge",
        "editor",
        "marketplace",
        "registry",
        "transcription",
    ];
    for name in names {
        let folder = format!("all/{name}/http");
        let url = truth.url() + "/delay/1ms";
        lab.headcount(&["bench", &url, "-n", "20", "-c", "2", "--out", &folder]);
        let study = STUDY
            .replace("\"bridge\"", &format!("\"{name}\""))
            .replace("\"short\", ", "");
        fs::write(lab.path(&format!("all/{name}/study.json")), study).unwrap();
        fs::write(lab.path(&format!("all/{name}/report.md")), REPORT).unwrap();
    }
    let ended = lab.headcount(&["study", "all", "--out", "all", "--pages", "pages"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(
        ended.stderr.matches("is measured already").count(),
        names.len()
    );
    for name in names {
        let page = lab.path("pages").join(format!("{name}.html"));
        assert!(page.is_file(), "{name}");
    }
}

#[test]
fn a_folder_without_a_study_is_refused() {
    let lab = Lab::new();
    fs::create_dir(lab.path("empty")).unwrap();
    let ended = lab.headcount(&["study", "pages", "empty"]);
    ended.refused(2, &["empty/study.json", "is it the folder of a study?"]);
    assert!(!lab.path("docs").exists());
}
