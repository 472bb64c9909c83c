//! Trees whose files import from each other, and trees with types that are too large.

use crate::tree::Tree;

/// A tree whose crate `model` has these files.
fn model(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::tidy();
    for (name, text) in files {
        let path = format!("crates/model/src/{name}");
        if *name == "lib.rs" {
            tree.append(&path, text);
        } else {
            tree.write(&path, text);
        }
    }
    tree
}

#[test]
fn files_must_not_import_from_each_other() {
    let tree = model(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
        (
            "b.rs",
            "\nuse super::a::{self, A};\npub struct B(A, a::Other);\n",
        ),
    ]);
    let expected = "\
crates/model/src/a.rs:1: these files depend on each other:
    crates/model/src/a.rs:1 imports `B` from crates/model/src/b.rs
    crates/model/src/b.rs:2 imports `A` and 1 more from crates/model/src/a.rs
    remedy: move `B` to a file below both crates/model/src/a.rs and crates/model/src/b.rs";
    assert_eq!(tree.complaints(), [expected]);
}

#[test]
fn a_longer_cycle_is_reported_once_wherever_its_paths_are() {
    let tree = model(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "fn a() {\n    crate::b::b();\n}\n"),
        ("b.rs", "use crate::c;\nfn b() -> c::C {\n    c::C\n}\n"),
        (
            "c.rs",
            "pub struct C;\nfn c() -> String {\n    format!(\"{}\", super::a::a())\n}\n",
        ),
    ]);
    let expected = "\
crates/model/src/a.rs:2: these files depend on each other:
    crates/model/src/a.rs:2 imports `b` from crates/model/src/b.rs
    crates/model/src/b.rs:2 imports `C` from crates/model/src/c.rs
    crates/model/src/c.rs:3 imports `a` from crates/model/src/a.rs
    remedy: move `b` to a file below both crates/model/src/a.rs and crates/model/src/b.rs";
    assert_eq!(tree.complaints(), [expected]);
}

#[test]
fn a_module_and_its_child_may_import_from_each_other_but_not_through_a_third_file() {
    let parent = "mod b;\nmod c;\nuse b::B;\npub struct A(B);\n";
    let mut tree = model(&[
        ("lib.rs", "mod a;\n"),
        ("a.rs", parent),
        ("a/b.rs", "use super::A;\npub struct B(Option<A>);\n"),
        ("a/c.rs", "use crate::a::A;\npub struct C(A);\n"),
    ]);
    assert_eq!(tree.complaints(), [""; 0]);
    tree.append("crates/model/src/a/b.rs", "use super::c::C;\n");
    tree.refused("crates/model/src/a/c.rs:1 imports `A` from crates/model/src/a.rs");
}

#[test]
fn methods_in_other_files_count_like_imports() {
    let types = "pub struct A {\n    pub inner: Inner,\n}\npub struct Inner;\n";
    let mut tree = model(&[
        ("lib.rs", "mod b;\nmod c;\nmod types;\n"),
        ("types.rs", types),
        (
            "b.rs",
            "use crate::types::A;\nimpl A {\n    pub fn b(&self) {\n        self.c();\n    }\n}\n",
        ),
        (
            "c.rs",
            "use crate::types::{A, Inner};\nimpl A {\n    pub fn c(&self) {}\n}\nimpl Inner {\n    pub fn d(&self) {}\n}\n",
        ),
    ]);
    assert_eq!(tree.complaints(), [""; 0]);
    let calls = [
        ("fn f(it: &A) {\n    it.b();\n}\n", "A::b"),
        (
            "impl A {\n    fn f(&self) {\n        (*self).b();\n    }\n}\n",
            "A::b",
        ),
        ("fn f() {\n    A { inner: Inner }.b();\n}\n", "A::b"),
    ];
    let before = tree.text("crates/model/src/c.rs");
    for (call, name) in calls {
        tree.write("crates/model/src/c.rs", &format!("{before}{call}"));
        tree.refused(&format!("calls `{name}` from crates/model/src/b.rs"));
    }
    // A method of another type is no dependence on this file.
    tree.write(
        "crates/model/src/c.rs",
        &format!("{before}struct Other;\nimpl Other {{\n    fn b(&self) {{}}\n}}\nfn f(it: &Other) {{\n    it.b();\n}}\n"),
    );
    assert_eq!(tree.complaints(), [""; 0]);
}

#[test]
fn methods_of_fields_count_too() {
    let types = "pub struct A {\n    pub inner: Inner,\n}\npub struct Inner;\n";
    let inner = "impl Inner {\n    pub fn d(&self) {}\n}\n";
    let mut tree = model(&[
        ("lib.rs", "mod b;\nmod c;\nmod types;\n"),
        ("types.rs", types),
        (
            "b.rs",
            &format!("use crate::types::Inner;\n{inner}fn f() {{\n    crate::c::c();\n}}\n"),
        ),
        ("c.rs", "pub fn c() {}\n"),
    ]);
    assert_eq!(tree.complaints(), [""; 0]);
    tree.append(
        "crates/model/src/c.rs",
        "use crate::types::A;\nfn g(it: &A) {\n    it.inner.d();\n}\n",
    );
    tree.refused("calls `Inner::d` from crates/model/src/b.rs");
}

#[test]
fn what_a_module_exports_from_another_is_imported_from_there() {
    let exports = "mod a;\nmod b;\nmod c;\npub use a::A;\npub use b::*;\npub use c::inner::C;\n";
    let mut tree = model(&[
        ("lib.rs", exports),
        ("a.rs", "use crate::{B, C};\npub struct A(B, C);\n"),
        ("b.rs", "pub struct B;\n"),
        ("c.rs", "pub mod inner {\n    pub struct C;\n}\n"),
    ]);
    assert_eq!(tree.complaints(), [""; 0]);
    tree.append("crates/model/src/b.rs", "use super::A;\n");
    tree.refused("crates/model/src/b.rs:2 imports `A` from crates/model/src/a.rs");
}

#[test]
fn tests_may_import_anything() {
    let tests =
        "#[cfg(test)]\nuse crate::b::B;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n";
    let tree = model(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        (
            "a.rs",
            &format!("pub struct A;\n#[cfg(test)]\nmod apart;\n{tests}"),
        ),
        ("a/apart.rs", "use crate::b::B;\n"),
        ("b.rs", "use crate::a::A;\npub struct B(A);\n"),
    ]);
    assert_eq!(tree.complaints(), [""; 0]);
}

#[test]
fn an_import_that_was_part_of_a_cycle_may_stay_and_not_return() {
    let b = "crates/model/src/b.rs";
    let mut tree = model(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
        ("b.rs", "use crate::a::A;\npub struct B(A);\n"),
    ]);
    tree.bless();
    assert_eq!(tree.complaints(), [""; 0]);
    let before = tree.text(b);
    tree.write(b, "pub struct B;\n");
    tree.refused(
        "the import of `crates/model/src/b.rs` in `crates/model/src/a.rs` is no longer part of a cycle",
    );
    tree.bless();
    assert_eq!(tree.complaints(), [""; 0]);
    tree.write(b, &before);
    tree.refused("crates/model/src/a.rs:1: these files depend on each other");
    tree.bless();
    tree.refused("crates/model/src/a.rs:1: these files depend on each other");
}

#[test]
fn a_struct_of_the_engine_has_at_most_twelve_fields() {
    let large = |fields: usize| {
        let fields: Vec<_> = (0..fields).map(|at| format!("    f{at}: u8,")).collect();
        format!("struct Large {{\n{}\n}}\n", fields.join("\n"))
    };
    let mut tree = Tree::tidy();
    tree.package("crates/engine", "engine", &[]);
    tree.append("crates/engine/src/lib.rs", &large(12));
    tree.append("crates/model/src/lib.rs", &large(13));
    assert_eq!(tree.complaints(), [""; 0]);
    tree.package("crates/engine", "engine", &[]);
    tree.append("crates/engine/src/lib.rs", &large(13));
    tree.refused("crates/engine/src/lib.rs:6: `Large` has 13 fields (limit 12): group fields");
    tree.bless();
    assert_eq!(tree.complaints(), [""; 0]);
}

#[test]
fn the_methods_of_a_type_of_the_engine_are_in_at_most_three_files() {
    let methods = "use crate::world::World;\nimpl World {}\nimpl Drop for World {}\n";
    let mut tree = Tree::tidy();
    tree.package("crates/engine", "engine", &[]);
    tree.append(
        "crates/engine/src/lib.rs",
        "mod a;\nmod b;\nmod c;\nmod world;\n",
    );
    tree.write(
        "crates/engine/src/world.rs",
        "\npub struct World;\nimpl World {}\n",
    );
    for name in ["a", "b"] {
        tree.write(&format!("crates/engine/src/{name}.rs"), methods);
    }
    tree.write(
        "crates/engine/src/c.rs",
        "use crate::world::World;\nimpl Drop for World {}\n#[cfg(test)]\nimpl World {}\n",
    );
    assert_eq!(tree.complaints(), [""; 0]);
    tree.write("crates/engine/src/c.rs", methods);
    tree.refused(
        "crates/engine/src/world.rs:2: `World` has 4 files with methods (limit 3): split it",
    );
}
