//! The five field reports: what their own figures refute.

use std::fs;
use std::path::Path;

use audit::{Audit, audit, read, terminal};

fn study(name: &str) -> Audit {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("studies")
        .join(name);
    let text = fs::read_to_string(path).unwrap();
    let all = read(&[(name.to_owned(), text)]).unwrap_or_else(|why| panic!("{why}"));
    audit(&all[0])
}

#[test]
fn show() {
    for name in [
        "bridge.toml",
        "editor.toml",
        "registry.toml",
        "marketplace.toml",
        "transcription.toml",
    ] {
        println!("{}", terminal(&study(name), false));
    }
}
