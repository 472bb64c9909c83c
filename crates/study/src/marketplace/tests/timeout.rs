use super::*;

/// What finding M-X2 says of this run with 4 threads.
fn beyond_the_timeout(four: &Run) -> String {
    let parts = Parts {
        threads4: Some(four),
        ..Parts::default()
    };
    let findings = rendered("findings.md", &parts);
    let from = findings.find("### M-X2").unwrap();
    let until = findings.find("### M-X3").unwrap();
    findings[from..until].to_owned()
}

#[test]
fn requests_beyond_the_clients_timeout_are_told_with_those_that_failed_here() {
    let said = beyond_the_timeout(&run(250, vec![level(32, 64.0, 30_000)]));
    assert!(said.contains("256 of 256 took longer than 15 s"), "{said}");
    assert!(said.contains("client would have counted"), "{said}");
    let none_failed = "0 of these requests failed, and 32 of 32 trades completed.";
    assert!(said.contains(none_failed), "{said}");

    let mut failing = level(32, 64.0, 900);
    let logins = failing.measured.requests.get_mut("auth.login").unwrap();
    logins.failed = 3;
    failing.measured.iterations.succeeded = 30;
    failing.measured.iterations.failed = 2;
    let said = beyond_the_timeout(&run(250, vec![failing]));
    assert!(said.contains("0 of 256 took longer than 15 s"), "{said}");
    assert!(!said.contains("client would have counted"), "{said}");
    let failed = "3 of these requests failed, and 30 of 32 trades completed.";
    assert!(said.contains(failed), "{said}");
}
