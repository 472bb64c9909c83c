//! Concurrent runs do not write to each other's folders.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufReader, Write as _};
use std::sync::mpsc::channel;

use serde_json::Value;

use crate::harness::{Lab, Raw, read_request};

const ONCE: &str = r#"export const options = { load: { users: 1, once: true }, timeouts: { total: "50s" } };
export default async function go({ users: [u] }) { await u.get("/x"); }
"#;

#[test]
fn runs_that_start_in_the_same_second_have_folders_of_their_own() {
    let server = Raw::start(|stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while read_request(&mut reader).is_some() {
            let _ = writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let lab = Lab::new().with("go.ts", ONCE);
    let url = server.url();
    let seeds = ["1", "2", "3", "4", "5", "6"];
    let start = |seed| lab.start(&["run", "go.ts", "--target", &url, "--quiet", "--seed", seed]);
    let running: Vec<_> = seeds.map(start).into_iter().collect();
    for run in running {
        run.end();
    }
    let folders = fs::read_dir(lab.path("")).unwrap().map(Result::unwrap);
    let folders = folders.filter(|entry| entry.path().is_dir());
    let saved: BTreeSet<String> = folders
        .map(|folder| {
            let text = fs::read_to_string(folder.path().join("run.json")).unwrap();
            let record: Value = serde_json::from_str(&text).unwrap();
            record["seed"].to_string()
        })
        .collect();
    assert_eq!(saved, seeds.map(str::to_owned).into());
}

#[test]
fn a_folder_that_a_run_writes_to_is_refused_to_others() {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut reader = BufReader::new(stream);
        while read_request(&mut reader).is_some() {
            let _ = tell.send(()); // and never respond
        }
    });
    let lab = Lab::new().with("go.ts", ONCE);
    let first = lab.start_run("go.ts", &server.url(), &[]);
    told.recv().unwrap();
    let second = lab.run("go.ts", &server.url(), &[]);
    second.refused(2, &["another run is writing to run"]);
    drop(first); // kills the run; its lock must not block the next one
    let third = lab.start_run("go.ts", &server.url(), &[]);
    told.recv().unwrap();
    drop(third);
}
