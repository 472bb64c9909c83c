//! The repository itself is tidy.

use std::path::Path;

#[test]
fn there_is_nothing_to_mend() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let repository = xtask::Repository::open(&root).unwrap();
    assert!(
        repository.files.contains_key("xtask/tests/repository.rs"),
        "the walk misses files"
    );
    let complaints: Vec<String> = xtask::tidy(&repository)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        complaints.is_empty(),
        "{} to mend:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
