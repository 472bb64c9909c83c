//! Reading, checking and loading modules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use std::cell::Cell;
use std::fs;
use std::path::Path;

use common::{Call, Stage, group, reply, try_stage, try_stage_of};
use model::Nanos;
use script::{Bundle, DataStore, Declared, Env, Limits, Script, ScriptError};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn staged(files: &[(&str, &str)]) -> Result<Stage, ScriptError> {
    let folder = folder(files);
    let bundle = Bundle::read_within(&folder.path().join(files[0].0), folder.path())?;
    try_stage_of(&bundle, folder.path(), Limits::default())
}

fn refused(files: &[(&str, &str)]) -> String {
    staged(files)
        .err()
        .map(|error| error.to_string())
        .expect("it must be refused")
}

fn ran(files: &[(&str, &str)]) -> Vec<String> {
    let mut stage = staged(files).unwrap_or_else(|error| panic!("{error}"));
    stage.script.start_group(group(1, 1));
    stage.answer_all(&reply(200, ""));
    stage.ends_well();
    stage.logged()
}

const MAIN: &str = "export default async function () {}";

#[test]
fn modules_data_and_cycles_are_imported() {
    let logged = ran(&[
        (
            "a/main.ts",
            "import { twice, type N } from '../lib/x.ts'; import data from './data.json'; import * as plain from './plain.js';\nexport const base: N = 4; export default async function () { const late = await import('./late.ts'); console.log(twice(base), data.list[1], plain.y, late.z); }",
        ),
        (
            "lib/x.ts",
            "import { base } from '../a/main.ts'; export type N = number; export const twice = (n: N): N => 2 * n + (base - base);",
        ),
        ("a/data.json", "{\"list\": [1, \"zwei\"]}"),
        ("a/plain.js", "export const y = 3;"),
        ("a/late.ts", "export const z: string = 'late';"),
    ]);
    assert_eq!(logged, ["8 zwei 3 late"]);
}

#[test]
fn imports_stay_in_the_folder_of_the_scenario() {
    let files = [
        ("own/main.ts", "\nimport { x } from '../other/x.ts';"),
        (
            "own/late.ts",
            "export default () => import('../other/x.ts');",
        ),
        ("own/linked.ts", "import { x } from './link/x.ts';"),
        ("other/x.ts", "export const x = 1;"),
    ];
    let folder = folder(&files);
    let own = folder.path().join("own");
    std::os::unix::fs::symlink(folder.path().join("other"), own.join("link")).unwrap();
    for (name, line) in [("main.ts", 2), ("late.ts", 1), ("linked.ts", 1)] {
        let error = Bundle::read(&own.join(name)).unwrap_err().to_string();
        assert!(error.contains("outside the folder"), "{error}");
        assert!(error.contains(&format!("{name}:{line}:")), "{error}");
        Bundle::read_within(&own.join(name), folder.path()).unwrap();
    }
}

#[test]
fn a_missing_import_names_its_importer_and_line() {
    let error = refused(&[
        ("m.ts", "import './ok.ts';\nexport default 1;"),
        ("ok.ts", "\nimport x from './gone.ts';"),
    ]);
    assert!(
        error.contains("ok.ts:2:15: no such file")
            && error.contains("gone.ts")
            && error.contains("> 2 |"),
        "{error}"
    );
    let error = refused(&[("m.ts", "import fs from 'fs';\nexport default 1;")]);
    assert!(error.contains("m.ts:1:16: cannot import `fs`"), "{error}");
    let error = refused(&[("m.ts", "import x from './x.css';")]);
    assert!(error.contains(".ts, .js or .json"), "{error}");
}

#[test]
fn files_that_are_no_modules_are_refused() {
    let missing = Bundle::read(Path::new("no/such.ts")).unwrap_err();
    assert!(matches!(missing, ScriptError::NotFound { .. }));
    let folder = folder(&[("x.ts", "")]);
    assert!(matches!(
        Bundle::read(folder.path()),
        Err(ScriptError::Read { .. })
    ));
    fs::write(folder.path().join("x.ts"), b"const a = '\xff';").unwrap();
    let error = Bundle::read(&folder.path().join("x.ts"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("not UTF-8 from byte 11"), "{error}");
    let error = refused(&[("m.ts", "import './d.json'"), ("d.json", "{\n x }")]);
    assert!(error.contains("d.json:2:2: not JSON"), "{error}");
}

#[test]
fn a_byte_order_mark_is_no_syntax_error() {
    let source = format!("\u{feff}{MAIN}");
    assert!(ran(&[("m.ts", &source)]).is_empty());
}

#[test]
fn syntax_errors_show_line_column_and_frame() {
    let error = refused(&[("m.ts", "const a = 1;\nconst b = ;\n")]);
    assert!(
        error.contains("m.ts:2:11: syntax error") && error.contains("> 2 | const b = ;"),
        "{error}"
    );
    let error = refused(&[("m.js", "const a = 1;\nconst b = ;\n")]);
    assert!(error.contains("m.js:2:11: syntax error"), "{error}");
    let error = refused(&[("m.ts", "let a = 1; let a = 2;")]);
    assert!(error.contains("m.ts:1:"), "{error}");
}

#[test]
fn typescript_that_needs_code_is_refused_where_it_stands() {
    for (source, place) in [
        ("\nenum A { B }", "m.ts:2:1"),
        ("\n namespace A { export const b = 1; }", "m.ts:2:2"),
        (
            "class A {\n constructor(private b: number) {} }",
            "m.ts:2:22",
        ),
    ] {
        let error = refused(&[("m.ts", source)]);
        assert!(
            error.contains(place) && error.contains("use a const object"),
            "{error}"
        );
    }
}

#[test]
fn errors_keep_their_columns_after_stripping() {
    let mut stage = staged(&[("m.ts", "export default async function (g: { users: any[] }): Promise<void> {\n  const a: Map<string, number> = new Map<string, number>(); (a as any).no.more;\n}")]).unwrap();
    stage.script.start_group(group(1, 1));
    let place = stage.fault().location.unwrap();
    assert_eq!((place.line, place.column), (2, 62));
}

#[test]
fn a_type_that_is_imported_as_a_value_is_explained() {
    let error = refused(&[(
        "m.ts",
        "import { Group } from 'headcount'; export default async function (g: Group) {}",
    )]);
    assert!(error.contains("import type { Group }"), "{error}");
}

#[test]
fn what_a_module_throws_is_shown_with_its_place() {
    let error = refused(&[
        ("m.ts", "import './b.ts'; export default 1;"),
        ("b.ts", "\nconst x: any = null; x.y;"),
    ]);
    assert!(error.contains("b.ts:2:22: TypeError"), "{error}");
    let error = refused(&[("m.ts", "await new Promise(() => {});")]);
    assert!(error.contains("must load without waiting"), "{error}");
}

#[test]
fn options_are_plain_data() {
    let declared = |source: &str| {
        try_stage(source)
            .unwrap_or_else(|error| panic!("{error}"))
            .script
            .declared()
    };
    let good = declared("export const options = { load: { users: [1, 2] }, b: 1, a: undefined }; export default () => {}; export const setup = () => {};").unwrap();
    assert_eq!(
        good.options.to_string(),
        r#"{"load":{"users":[1,2]},"b":1}"#
    );
    assert!(good.has_setup && !good.has_teardown && good.problems.is_empty());
    let error = |source: &str| declared(source).unwrap_err().to_string();
    let bad = declared(
        "const o = { load: { users: [1, () => 1] }, rate: NaN, seed: 5n, wait: Promise.resolve() }; o.o = o; export const options = o; export default () => {}",
    );
    let told: Vec<_> = bad.unwrap().problems;
    let told: Vec<_> = told
        .iter()
        .map(|p| format!("{}: {}", p.path, p.message))
        .collect();
    assert_eq!(
        told,
        [
            "load.users[1]: must be plain data, not a function",
            "rate: must be plain data, not NaN",
            "seed: must be plain data, not a bigint",
            "wait: must be plain data, not a promise",
            "o: must be plain data, not something that contains itself",
        ]
    );
    assert!(error("export const options = {};").contains("no default export"));
    assert!(declared(MAIN).unwrap().options.is_null());
}

/// Reads the exports with a clock that advances by a millisecond at each reading.
fn declared_alone(source: &str) -> Result<Declared, ScriptError> {
    let bundle = Bundle::embedded("m.ts", source)?;
    let readings = Cell::new(0);
    let now = move || {
        readings.set(readings.get() + 1);
        Nanos::from_millis(readings.get())
    };
    Script::declare(
        &bundle,
        &DataStore::new(Path::new(".")),
        &Env::default(),
        now,
    )
}

#[test]
fn exports_are_read_without_an_engine() {
    let declared = declared_alone(
        "import { Counter } from 'headcount'; console.log('hello'); new Counter('c').add();\nexport const options = { users: Math.random() < 1 ? 1 : 2 }; export default () => {}; export const teardown = () => {};",
    );
    let declared = declared.unwrap();
    assert_eq!(declared.options.to_string(), r#"{"users":1}"#);
    assert!(declared.has_default && declared.has_teardown && !declared.has_setup);
    let error = declared_alone("for (;;) {}").unwrap_err().to_string();
    assert!(error.contains("without a pause"), "{error}");
}

#[test]
fn a_built_in_scenario_imports_what_it_brings_along_and_nothing_from_the_disk() {
    let main = "import { one } from './one.ts';\nexport default () => one;";
    let own = [("one.ts", "export const one: number = 1;")];
    assert!(Bundle::embedded_with("main.ts", main, &own).is_ok());
    for others in [&[][..], &[("two.ts", "")]] {
        let refused = Bundle::embedded_with("main.ts", main, others).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("its own modules"), "{refused}");
    }
}

#[test]
fn the_hash_is_of_the_text_and_not_of_the_place() {
    // `printf '' | sha256sum`
    let empty = Bundle::embedded("x.ts", "").unwrap().sha256();
    assert_eq!(
        empty,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    let hash = |files: &[(&str, &str)]| {
        let folder = folder(files);
        Bundle::read(&folder.path().join(files[0].0))
            .unwrap()
            .sha256()
    };
    let one = hash(&[("m.ts", "import './a.ts';"), ("a.ts", "1")]);
    assert_eq!(one, hash(&[("m.ts", "import './a.ts';"), ("a.ts", "1")]));
    assert_ne!(one, hash(&[("m.ts", "import './a.ts';"), ("a.ts", "2")]));
}

#[test]
fn tables_are_read_while_loading_and_shared_out() {
    let files = |take: &str, rest: &str| {
        format!(
            "import {{ csv, json }} from 'headcount'; const people = csv('people.csv', {{ take: '{take}' }}); const items = json('items.json');\nexport default async function ({{ users }}) {{ const [user] = users;\n{rest} }}"
        )
    };
    let run = |take: &str, rest: &str, number: u32| {
        let source = files(take, rest);
        let mut stage = staged(&[
            ("m.ts", &source),
            ("people.csv", "name,age\nann,3\nbob,4\n"),
            ("items.json", "[{\"a\":1},5]"),
        ])?;
        let mut start = group(1, 1);
        start.users[0].number = number;
        stage.script.start_group(start);
        Ok::<_, ScriptError>(stage)
    };
    let mut stage = run("unique", "console.log(people.length, people.at(-1), people.at(9), items.at(1), user.row(people).name, user.row(people) === user.row(people));", 1).unwrap();
    stage.ends_well();
    assert_eq!(
        stage.logged(),
        ["2 { name: \"bob\", age: \"4\" } undefined 5 bob true"]
    );
    let fault = run("unique", "user.row(people);", 2).unwrap().fault();
    assert_eq!(
        fault.fault.detail,
        "Error: people.csv has only 2 rows, but user 3 needs a unique row"
    );
    assert_eq!(
        run("cycle", "console.log(user.row(people).name);", 2)
            .unwrap()
            .logged(),
        ["ann"]
    );
    assert_eq!(
        run("random", "console.log(user.row(people).name);", 0)
            .unwrap()
            .logged(),
        ["bob"]
    );
    let fault = run("cycle", "csv('people.csv');", 0).unwrap().fault();
    assert!(
        fault.fault.detail.contains("only while the module loads"),
        "{fault}"
    );
    let error = run("uniqe", "", 0).err().unwrap().to_string();
    assert!(error.contains("did you mean `unique`?"), "{error}");
    let error = refused(&[("m.ts", "import { csv } from 'headcount';\ncsv('gone.csv');")]);
    assert!(
        error.contains("m.ts:2:") && error.contains("gone.csv"),
        "{error}"
    );
}

#[test]
fn own_metrics_and_the_console() {
    let mut stage = try_stage(
        "import { Counter, Gauge, Trend } from 'headcount'; const c = new Counter('c'); const g = new Gauge('g'); const t = new Trend('t');\nexport default async function ({ users: [user] }) { c.add(); c.add(2); g.set(-1.5); t.add(3); const loop = { n: 1 }; loop.self = loop;\nconsole.warn('a', 1, [1, 'x'], { b: null, 'c-d': undefined }, new Map([[1, 2]]), new Set(['s']), loop, 5n, () => {}, new Date(0)); console.log(new TextDecoder().decode(new TextEncoder().encode('äß')), new TextEncoder().encode('ü').length);\nt.add('x'); }",
    )
    .unwrap();
    stage.start(1);
    let said: Vec<String> = stage
        .take_calls()
        .into_iter()
        .filter_map(|call| match call {
            Call::Other(text) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        ["Counter c 1", "Counter c 2", "Gauge g -1.5", "Trend t 3"]
    );
    let logged = stage.logged();
    assert_eq!(
        logged[0],
        "a 1 [1, \"x\"] { b: null, \"c-d\": undefined } Map(1) { 1 => 2 } Set(1) { \"s\" } { n: 1, self: [circular] } 5n [function] 1970-01-01T00:00:00.000Z"
    );
    assert_eq!(logged[1], "äß 2");
    assert!(stage.fault().fault.detail.contains("finite number"));
}
