//! schemathesis, a third-party tool, reads the description and sends valid and invalid requests.

use std::path::Path;

use serde_json::{Value, json};

use crate::served::Served;

/// The checks of schemathesis that do not apply. `positive_data_acceptance`: a well-formed identity may not be registered,
/// and a well-formed filter may be too deep. `ignored_auth`: the default namespace is open.
const LEFT_OUT: &str = "positive_data_acceptance,ignored_auth";
/// Paths whose responses do not end by themselves.
const NOT_SENT: &str = "inbox|watch";

#[tokio::test]
async fn schemathesis_finds_no_server_error_and_nothing_that_is_not_described() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/.venv/bin/schemathesis");
    assert!(
        program.exists(),
        "run e2e/install.sh: {} is not there",
        program.display()
    );
    let served = Served::start(&[]);
    served.register("a", json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let settings = "[parameters]\nnamespace = \"default\"\n";
    std::fs::write(folder.path().join("schemathesis.toml"), settings).unwrap();
    let output = tokio::process::Command::new(&program)
        .args(["run", &format!("{}/openapi.json", served.url)])
        .args(["--exclude-path-regex", NOT_SENT, "--checks", "all"])
        .args(["--exclude-checks", LEFT_OUT])
        .args(["--phases", "coverage,fuzzing", "--max-examples", "8"])
        .args(["--seed", "1", "--generation-database", "none"])
        .args(["--no-color", "--request-timeout", "20"])
        .current_dir(folder.path()) // schemathesis reads its settings and writes files there
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
}

#[tokio::test]
async fn real_answers_match_the_description() {
    let served = Served::start(&[]);
    let url = format!("{}/openapi.json", served.url);
    let description: Value = served
        .http
        .get(url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let calls = [
        ("register", json!({ "identity": "a", "ttl_seconds": 60 })),
        ("register", json!({ "identity": "a" })),
        ("refresh", json!({ "identity": "a" })),
        ("refresh", json!({ "identity": "b" })),
        ("enumerate", json!({})),
        ("enumerate", json!({ "include_metadata": false })),
        ("enumerate", json!({ "filter": { "a": {} } })),
        (
            "multicast",
            json!({ "identities": ["a", "b"], "payload": 1 }),
        ),
        ("acknowledge", json!({ "identity": "a", "ids": ["x"] })),
        ("unregister", json!({ "identity": "a" })),
    ];
    for (operation, body) in calls {
        let (status, answer) = served.post(operation, body).await;
        let described = &description["paths"][format!("/v1/{{namespace}}/{operation}")]["post"];
        let schema =
            &described["responses"][status.to_string()]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{operation} {status} is not described");
        let whole = json!({ "allOf": [schema], "components": description["components"] });
        let validator = jsonschema::validator_for(&whole).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&answer)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{operation}: {errors:?} in {answer}");
    }
}
