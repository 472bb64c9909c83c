//! The files of real tools, made against a server whose behaviour is known.

use std::fs;
use std::path::Path;

use audit::{Results, Severity, audit, read, terminal};

fn fixture(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    (name.to_owned(), fs::read_to_string(path).unwrap())
}

fn one(names: &[&str]) -> Results {
    let files: Vec<_> = names.iter().map(|name| fixture(name)).collect();
    let mut all = read(&files).unwrap();
    assert_eq!(all.len(), 1, "{names:?}");
    all.remove(0)
}

#[test]
fn show() {
    let mut names: Vec<String> =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
    names.sort();
    for name in names {
        let results = one(&[&name]);
        println!("==== {name}\n{results:#?}");
        println!("{}", terminal(&audit(&results), false));
    }
}
