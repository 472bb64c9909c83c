//! An editor that cannot start reports the error once, soon, and with the address that is not available.

use std::net::TcpListener;
use std::process::Command;

use crate::served::Served;

/// Time limit for the error in seconds, far less than the default timeout of a database client.
const SOON: &str = "15";

/// Returns the error of an editor that does not start, and its exit code.
fn refused(arguments: &[&str]) -> (String, Option<i32>) {
    let output = Command::new("timeout")
        .args([
            SOON,
            env!("CARGO_BIN_EXE_headcount-editor"),
            "--listen",
            "127.0.0.1:0",
        ])
        .env("EDITOR_STORE", "sqlite::memory:")
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let said = said.lines().find(|line| line.starts_with("error: "));
    (said.unwrap_or_default().to_owned(), output.status.code())
}

/// Whether the text contains these words exactly once.
fn once(said: &str, words: &str) -> bool {
    said.matches(words).count() == 1
}

/// A port without a listener.
fn nobody() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_file_has_one_server_and_has_another_when_that_one_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.db").display().to_string();
    let store = format!("sqlite:{file}");
    let mut editor = Served::start(&["--store", &store]);
    let (said, code) = refused(&["--store", &store]);
    assert!(
        once(&said, &format!("another server already uses {file}")),
        "{said}"
    );
    assert_eq!(code, Some(1));
    editor.kill();
    Served::start(&["--store", &store]).stop();
}

#[test]
fn a_database_that_is_not_there_is_named_soon_and_its_password_never() {
    let port = nobody();
    let (said, code) = refused(&[
        "--store",
        &format!("postgres://ada:secret@127.0.0.1:{port}/texts"),
    ]);
    assert!(
        once(&said, &format!("PostgreSQL at 127.0.0.1:{port}/texts")),
        "{said}"
    );
    assert!(once(&said, "refused") && !said.contains("secret"), "{said}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let (said, code) = refused(&["--store", "sqlite:no/such/folder/log.db"]);
    assert!(
        once(&said, "no/such/folder/log.db") && once(&said, "unable to open"),
        "{said}"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn other_nodes_that_are_not_there_are_named() {
    let port = nobody();
    let (said, code) = refused(&["--nats-url", &format!("nats://127.0.0.1:{port}")]);
    assert!(once(&said, &format!("127.0.0.1:{port}")), "{said}");
    assert!(once(&said, "refused"), "{said}");
    assert_eq!(code, Some(1));
}
