//! schemathesis, a third-party tool, reads the description and sends valid and invalid requests.

use std::path::Path;

use crate::served::Served;

/// The checks of schemathesis that do not apply. `positive_data_acceptance`: a well-formed key that belongs to another
/// request is refused, and so is `5.0` as a whole number. `ignored_auth`: schemathesis does not forge tokens.
const LEFT_OUT: &str = "positive_data_acceptance,ignored_auth";
/// Paths whose responses do not end by themselves, or that end the test's session.
const NOT_SENT: &str = "stream|/ws|logout";

#[tokio::test]
async fn schemathesis_finds_no_server_error_and_nothing_that_is_not_described() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/.venv/bin/schemathesis");
    assert!(
        program.exists(),
        "run e2e/install.sh: {} is not there",
        program.display()
    );
    let secret = "a secret of the provider";
    let served = Served::start(&["--payment-secret", secret]);
    let folder = tempfile::tempdir().unwrap();
    let people = [
        served.admin().await,
        served.buyer().await,
        served.seller().await,
    ];
    for person in &people {
        let output = tokio::process::Command::new(&program)
            .args(["run", &format!("{}/openapi.json", served.url)])
            .args(["-H", &format!("Authorization: Bearer {}", person.token)])
            .args([
                "--exclude-path-regex",
                NOT_SENT,
                "--checks",
                "all",
                "--exclude-checks",
                LEFT_OUT,
            ])
            .args([
                "--phases",
                "coverage,fuzzing",
                "--max-examples",
                "6",
                "--seed",
                "1",
            ])
            .args([
                "--generation-database",
                "none",
                "--no-color",
                "--request-timeout",
                "20",
            ])
            .current_dir(folder.path()) // schemathesis writes files there
            .kill_on_drop(true)
            .output()
            .await
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
