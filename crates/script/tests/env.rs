//! `env(name, fallback)`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use std::path::Path;

use common::{Stage, try_stage_with};
use script::{Bundle, Env, Limits, ScriptError};

/// A scenario with `TOKEN` set, `EMPTY` empty, and `MISSING` passed but not set.
fn staged(source: &str) -> Result<Stage, ScriptError> {
    let source = format!("import {{ env }} from 'headcount';\n{source}");
    let env = Env::new([
        ("TOKEN".to_owned(), Some("sesame".to_owned())),
        ("EMPTY".to_owned(), Some(String::new())),
        ("MISSING".to_owned(), None),
    ]);
    let bundle = Bundle::embedded("room.ts", &source)?;
    try_stage_with(&bundle, Path::new("."), &env, Limits::default())
}

fn in_the_scenario(body: &str) -> Stage {
    let mut stage = staged(&format!("export default async function () {{\n{body}\n}}")).unwrap();
    stage.start(1);
    stage
}

#[test]
fn options_and_scenarios_read_variables() {
    let stage = staged(
        "export const options = { headers: { a: env('TOKEN') }, load: { users: Number(env('USERS', '5')) } };\nexport default () => {};",
    );
    let options = stage.unwrap().script.declared().unwrap().options;
    assert_eq!(
        options.to_string(),
        r#"{"headers":{"a":"sesame"},"load":{"users":5}}"#
    );
    let mut stage = in_the_scenario(
        "console.log(env('TOKEN'), env('TOKEN', 'other'), JSON.stringify([env('EMPTY'), env('EMPTY', 'other')]));\n\
         console.log(env('MISSING', 'other'), env('OTHER', 3), env('OTHER', undefined), env('OTHER', null));",
    );
    stage.ends_well();
    assert_eq!(
        stage.logged(),
        ["sesame sesame [\"\",\"\"]", "other 3 undefined null"]
    );
}

#[test]
fn a_missing_variable_says_how_to_pass_it() {
    let error = staged("export const options = { target: env('BASE') };\nexport default () => {};");
    let error = error.err().map(|error| error.to_string()).unwrap();
    assert!(
        error.contains("room.ts:2:") && error.contains("pass --env BASE=VALUE, or --env BASE"),
        "{error}"
    );
    for (call, why) in [
        (
            "env('token')",
            "Error: env(\"token\") has no value: pass --env token=VALUE, or --env token to take it from the environment",
        ),
        (
            "env('MISSING')",
            "Error: env(\"MISSING\") has no value: the environment has no variable MISSING: set it, or pass --env MISSING=VALUE",
        ),
        (
            "env()",
            "TypeError: env(name, fallback): the name must be a string, not undefined",
        ),
        (
            "env(5, 'x')",
            "TypeError: env(name, fallback): the name must be a string, not int",
        ),
    ] {
        let fault = in_the_scenario(call).fault();
        assert_eq!(fault.fault.detail, why);
        assert_eq!(fault.location.map(|place| place.line), Some(3), "{call}");
    }
}

#[test]
fn other_variables_of_the_process_are_out_of_reach() {
    // Cargo sets this variable for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let fault = in_the_scenario("env('CARGO_MANIFEST_DIR')").fault();
    assert!(fault.fault.detail.contains("has no value"), "{fault}");
}
