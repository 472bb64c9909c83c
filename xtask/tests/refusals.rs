//! Each tree with an error gets a complaint with the line and the remedy.

mod structure;
mod tree;

use tree::Tree;

#[test]
fn a_tidy_tree_gets_no_complaint() {
    assert_eq!(Tree::tidy().complaints(), [""; 0]);
}

#[test]
fn a_crate_must_not_use_one_on_its_own_floor_or_above() {
    let mut tree = Tree::tidy();
    tree.package("crates/plan", "plan", &["stats"]);
    tree.refused(
        "crates/plan/Cargo.toml:7: `plan` is on floor 1 and may not use `stats` on floor 1",
    );
    let mut tree = Tree::tidy();
    tree.package("crates/model", "model", &["plan"]);
    tree.package("crates/plan", "plan", &[]);
    tree.refused(
        "crates/model/Cargo.toml:7: `model` is on floor 0 and may not use `plan` on floor 1",
    );
}

#[test]
fn a_crate_without_a_floor_is_refused() {
    let mut tree = Tree::tidy();
    tree.package("crates/extra", "extra", &[]);
    tree.refused("crates/extra/Cargo.toml: `extra` has no floor");
}

#[test]
fn only_the_binary_uses_systems_and_systems_use_only_the_kit() {
    let mut tree = Tree::tidy();
    tree.package("systems/bridge", "bridge", &["kit"]);
    tree.package("crates/headcount", "headcount", &["bridge"]);
    assert_eq!(tree.complaints(), [""; 0]);
    tree.package("crates/engine", "engine", &["bridge"]);
    tree.refused("crates/engine/Cargo.toml:7: only `headcount` may use the systems");
    tree.package("systems/bridge", "bridge", &["kit", "model"]);
    tree.refused("systems/bridge/Cargo.toml:8: the systems share `kit` and nothing else");
}

#[test]
fn a_file_may_not_outgrow_its_limit() {
    let mut tree = Tree::tidy();
    tree.append("crates/model/src/lib.rs", &"// a line\n".repeat(400));
    tree.refused("crates/model/src/lib.rs:1: the file has 405 lines (limit 400): split it");
}

#[test]
fn a_function_may_not_outgrow_its_limit_in_rust_or_javascript() {
    let mut tree = Tree::tidy();
    tree.append(
        "crates/model/src/lib.rs",
        &format!("fn long() {{\n{}}}\n", "    one();\n".repeat(69)),
    );
    tree.refused("crates/model/src/lib.rs:6: `long` has 71 lines (limit 70): split it");
    let mut tree = Tree::tidy();
    let body = "  one();\n".repeat(69);
    tree.write(
        "scenarios/long.js",
        &format!("export default function story() {{\n{body}}}\n"),
    );
    tree.refused("scenarios/long.js:1: `story` has 71 lines");
}

#[test]
fn what_was_too_long_may_shrink_and_not_grow() {
    let mut tree = Tree::tidy();
    let body = |lines: usize| format!("fn long() {{\n{}}}\n", "    one();\n".repeat(lines));
    let lib = tree.text("crates/model/src/lib.rs");
    tree.write("crates/model/src/lib.rs", &format!("{lib}{}", body(80)));
    tree.write(
        "xtask/ratchet.txt",
        "function crates/model/src/lib.rs long 82\n",
    );
    assert_eq!(tree.complaints(), [""; 0]);

    tree.write("crates/model/src/lib.rs", &format!("{lib}{}", body(81)));
    tree.refused("crates/model/src/lib.rs:6: `long` has grown from 82 to 83 lines");
    tree.bless();
    tree.refused("`long` has grown from 82 to 83 lines");

    tree.write("crates/model/src/lib.rs", &format!("{lib}{}", body(75)));
    tree.refused("`long` has shrunk from 82 to 77 lines: run `cargo run -p xtask -- tidy --bless`");
    tree.bless();
    assert_eq!(tree.complaints(), [""; 0]);
    assert!(
        tree.text("xtask/ratchet.txt")
            .ends_with("function crates/model/src/lib.rs long 77\n")
    );

    tree.write("crates/model/src/lib.rs", &lib);
    tree.refused(
        "xtask/ratchet.txt:3: `long` in `crates/model/src/lib.rs` no longer exceeds its limit",
    );
}

#[test]
fn dead_files_are_found() {
    let mut tree = Tree::tidy();
    tree.write("crates/model/src/alone.rs", "");
    tree.write("crates/model/src/alone.js", "");
    tree.write("crates/model/tests/common/unused.rs", "");
    tree.write("stray.rs", "");
    tree.refused("stray.rs: no `mod` and no target reaches this file");
    tree.refused("crates/model/src/alone.rs: no `mod` and no target reaches this file");
    tree.refused("crates/model/src/alone.js: nothing includes this file");
    tree.refused("crates/model/tests/common/unused.rs: no `mod` and no target reaches this file");
    tree.append(
        "crates/model/src/lib.rs",
        "mod alone;\nconst A: &str = include_str!(\"alone.js\");\n",
    );
    tree.write(
        "crates/model/tests/it.rs",
        "#[path = \"common/unused.rs\"]\nmod used;\n#[path = \"../../../stray.rs\"]\nmod stray;\n",
    );
    assert_eq!(tree.complaints(), [""; 0]);
}

#[test]
fn files_of_a_package_outside_of_the_workspace_are_its_own_business() {
    let mut tree = Tree::tidy();
    tree.write("bench/peer/src/main.rs", "");
    tree.refused("bench/peer/src/main.rs: no `mod` and no target reaches this file");
    tree.write(
        "bench/peer/Cargo.toml",
        "[package]\nname = \"peer\"\nversion = \"0.1.0\"\n\n[workspace]\n",
    );
    assert_eq!(tree.complaints(), [""; 0]);
}

#[test]
fn what_is_included_or_linked_must_be_in_the_repository() {
    let mut tree = Tree::tidy();
    tree.append(
        "crates/model/src/lib.rs",
        "const A: &str = include_str!(\"gone.txt\");\n",
    );
    tree.write(
        "docs/page.md",
        "see [there](../gone.md#part), [here](#part) and [deny](/deny.toml)\n",
    );
    let complaints = tree.complaints();
    let expected = [
        "crates/model/src/lib.rs:6: includes `gone.txt`, which is not in the repository",
        "docs/page.md:1: links to `../gone.md#part`, which does not exist",
    ];
    assert_eq!(complaints, expected);
}

#[test]
fn a_crate_says_what_it_is_for() {
    let mut tree = Tree::tidy();
    tree.write("crates/model/src/lib.rs", "//! Short.\n");
    let manifest = tree
        .text("crates/model/Cargo.toml")
        .replace("description = \"A crate.\"\n", "");
    tree.write("crates/model/Cargo.toml", &manifest);
    tree.refused("crates/model/Cargo.toml: no description");
    tree.refused("crates/model/src/lib.rs:1: 1 lines of `//!`");
}

#[test]
fn a_shared_dependency_is_used_and_explained_and_the_only_one_with_a_version() {
    let mut tree = Tree::tidy();
    tree.append("Cargo.toml", "\nserde = \"1\"\n");
    let manifest = tree.text("crates/stats/Cargo.toml");
    let manifest = manifest.replace("model.workspace = true", "model = { path = \"../model\" }");
    tree.write("crates/stats/Cargo.toml", &manifest);
    tree.refused("Cargo.toml:11: no crate uses `serde`: remove it");
    tree.refused("Cargo.toml:11: `serde` has no comment");
    tree.refused("crates/stats/Cargo.toml:7: `model` must be `workspace = true`");
}

#[test]
fn words_that_do_not_belong_here_are_found_in_every_file() {
    let table = [
        (concat!("TO", "DO"), "later"),
        (concat!("FIX", "ME"), "later"),
        (concat!("/wo", "rk/main"), "is mine"),
        (concat!("registry.", "npmjs.org"), "/ws"),
        (concat!("<<<<", "<<< "), "ours"),
    ];
    for (word, rest) in table {
        let mut tree = Tree::tidy();
        tree.write("docs/page.md", &format!("first\n{word}{}{rest}\n", " "));
        tree.refused(&format!("docs/page.md:2: `{}", &word[..4]));
    }
}

#[test]
fn long_lines_are_for_rows_of_data_in_tests_only() {
    let mut tree = Tree::tidy();
    let row = format!("const ROW: &str = \"{}\";\n", "x".repeat(140));
    tree.write("crates/model/tests/it.rs", &row);
    assert_eq!(tree.complaints(), [""; 0]);
    tree.append("crates/model/src/lib.rs", &row);
    tree.refused("crates/model/src/lib.rs:6: 161 columns (limit 140): break the line");
}

#[test]
fn one_place_reads_the_clock_prints_ends_and_asks_the_environment() {
    let table = [
        (
            "std::time::Instant::now()",
            "only crates/engine/src/clock.rs reads the clock",
        ),
        (
            "SystemTime::now()",
            "only crates/engine/src/clock.rs reads the clock",
        ),
        ("println!(\"a\")", "only crates/headcount prints"),
        ("eprintln!(\"a\")", "only crates/headcount prints"),
        (
            "std::process::exit(1)",
            "only crates/headcount ends the process",
        ),
        (
            "std::env::var(\"A\")",
            "only crates/headcount reads the environment",
        ),
    ];
    for (call, reason) in table {
        let mut tree = Tree::tidy();
        let code = format!("fn call() {{\n    let _ = {call};\n}}\n");
        let in_tests = format!("#[cfg(test)]\nmod tests {{\n{code}}}\n");
        tree.append("crates/model/src/lib.rs", &in_tests);
        tree.write("crates/model/tests/it.rs", &code);
        tree.package("systems/kit", "kit", &[]);
        tree.append(
            "crates/model/src/lib.rs",
            "// println! and Instant::now() in words only\n",
        );
        assert_eq!(tree.complaints(), [""; 0], "{call}");
        tree.append("crates/stats/src/lib.rs", &code);
        tree.refused("crates/stats/src/lib.rs:7: `");
        tree.refused(reason);
    }
}

#[test]
fn unsafe_code_is_refused_even_in_tests() {
    let mut tree = Tree::tidy();
    let word = concat!("un", "safe");
    tree.write(
        "crates/model/tests/it.rs",
        &format!("fn f() {{\n    {word} {{}}\n}}\n"),
    );
    tree.refused("crates/model/tests/it.rs:2: `unsafe`: no unsafe code here");
}

#[test]
fn a_licence_must_be_on_the_list() {
    let mut tree = Tree::tidy();
    tree.write("deny.toml", "[licenses]\nallow = [\"ISC\"]\n");
    tree.refused("deny.toml: `model` is under `MIT`, which is not allowed here");
}
