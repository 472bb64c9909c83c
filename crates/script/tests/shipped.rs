//! A scenario that is sent to another machine is the same there, and reads nothing from that machine.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use model::Nanos;
use script::{Bundle, DataStore, Env, Script, ScriptError};

const MAIN: &str = r#"
import { csv } from "headcount";
import { path } from "./lib/paths.ts";
export const options = { load: { users: 2, duration: "1s" } };
export const people = csv(path, { take: "unique" });
export default async function go() { await import("./lib/later.ts"); }
"#;

fn declare(bundle: &Bundle, data: &DataStore) -> Result<(), ScriptError> {
    Script::declare(bundle, data, &Env::default(), || Nanos::ZERO).map(drop)
}

#[test]
fn modules_and_files_arrive_unchanged_and_nothing_else_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("lib")).unwrap();
    fs::write(at("main.ts"), MAIN).unwrap();
    fs::write(
        at("lib/paths.ts"),
        "export const path: string = \"people.csv\";",
    )
    .unwrap();
    fs::write(at("lib/later.ts"), "export const later = 1;").unwrap();
    fs::write(at("people.csv"), "name\nann\nbob\n").unwrap();
    let bundle = Bundle::read(&at("main.ts")).unwrap();
    let data = DataStore::new(folder.path());
    declare(&bundle, &data).unwrap();
    let files = data.to_ship().unwrap();
    let modules: Vec<_> = bundle.modules().collect();
    assert_eq!((modules.len(), files.len()), (3, 1));
    let there = Bundle::embedded_with(modules[0].0, modules[0].1, &modules[1..]).unwrap();
    assert_eq!(there.sha256(), bundle.sha256());
    let data = DataStore::shipped(&files).unwrap();
    declare(&there, &data).unwrap();
    assert_eq!(data.unique_tables()[0].rows, 2);

    let nothing = DataStore::shipped(&[]).unwrap();
    let why = declare(&there, &nothing).unwrap_err().to_string();
    assert!(why.contains("people.csv"), "{why}");
    assert!(
        Path::new(&at("people.csv")).exists(),
        "although it is there"
    );
}
