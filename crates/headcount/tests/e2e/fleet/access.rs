//! What proves to the NATS server of a fleet who agents and coordinator are: credentials files and client certificates.

use std::fs;
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::operator::{Operator, User};
use crate::harness::{Ended, Lab, Program, Server};
use crate::interrupt::until;
use crate::nats::server::NatsServer;

const ONCE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 3, once: true } };
export default async function go({ users: [user] }: Group) { await user!.get("/healthz"); }
"#;

/// The subjects of a fleet, as docs/reference/fleet.md lists them.
const SUBJECTS: [&str; 5] = [
    "hc.>",
    "$JS.>",
    "$KV.hc_members.>",
    "$O.hc_bundles.>",
    "_INBOX.>",
];

/// An agent of this server that is ready.
fn agent(lab: &Lab, url: &str, access: &[&str]) -> Program {
    let arguments = [&["agent", "--nats", url, "--name", "guarded"], access].concat();
    let agent = lab.start(&arguments);
    until("the agent", || agent.heard().contains("waits for runs"));
    agent
}

/// A run on that agent.
fn run(lab: &Lab, url: &str, access: &[&str]) -> Ended {
    let bridge = Server::bridge(&[]);
    let arguments = [&["--fleet", url], access].concat();
    lab.run("go.ts", &bridge.url(), &arguments)
}

/// Asserts that the run was completed, although its few requests may say little on a busy machine.
fn completed(ended: &Ended) {
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    ended.says(&["GET /healthz: 3 ended"]);
}

/// What the server refuses when an agent joins, which the agent then says.
fn refused(lab: &Lab, url: &str, access: &[&str], code: i32, said: &[&str]) {
    let arguments = [&["agent", "--nats", url], access].concat();
    lab.headcount(&arguments).refused(code, said);
}

#[test]
fn a_credentials_file_opens_the_server_of_a_fleet() {
    let operator = Operator::start();
    let url = operator.server.url();
    let user = operator.user(&SUBJECTS);
    let lab = Lab::new()
        .with("go.ts", ONCE)
        .with("agents.creds", &user.file());
    let creds = ["--nats-creds", "agents.creds"];
    let agent = agent(&lab, &url, &creds);
    let ended = run(&lab, &url, &creds);
    completed(&ended);
    let record = fs::read_to_string(lab.path("run/run.json")).unwrap();
    for secret in [&user.seed, &user.jwt] {
        let said = [&record, &ended.stderr, &ended.stdout, &agent.heard()];
        assert!(said.iter().all(|said| !said.contains(secret)), "{secret}");
    }
    // The variable does the same.
    let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
    let bridge = Server::bridge(&[]);
    command
        .args(["run", "go.ts", "--target", &bridge.url(), "--fleet", &url])
        .env("HEADCOUNT_NATS_CREDS", lab.path("agents.creds"))
        .current_dir(lab.path(""));
    let ended = Program::start(command).end();
    completed(&ended);
}

#[test]
fn credentials_files_that_do_not_fit_are_refused_with_the_reason() {
    let operator = Operator::start();
    let url = operator.server.url();
    let user = operator.user(&SUBJECTS);
    let stolen = User {
        jwt: user.jwt,
        seed: Operator::foreign_seed(),
    };
    let barred = operator.user(&["hc.>", "_INBOX.>"]);
    let lab = Lab::new()
        .with("none.creds", "no credentials")
        .with("stolen.creds", &stolen.file())
        .with("barred.creds", &barred.file());
    let with = |file| ["--nats-creds", file];
    let missing = ["--nats-creds missing.creds", "No such file"];
    refused(&lab, &url, &with("missing.creds"), 2, &missing);
    let none = [
        "--nats-creds none.creds",
        "no block `-----BEGIN NATS USER JWT-----`",
    ];
    refused(&lab, &url, &with("none.creds"), 2, &none);
    let denied = ["cannot connect to NATS", "refuses the credentials"];
    refused(&lab, &url, &with("stolen.creds"), 4, &denied);
    let required = ["requires credentials", "--nats-creds"];
    refused(&lab, &url, &[], 4, &required);
    // The server says apart from the request what a user may not do.
    let violation = ["Permissions Violation", "$JS.API"];
    refused(&lab, &url, &with("barred.creds"), 2, &violation);
}

/// Writes the certificates of a server and a client, and of the authority of both.
fn with_certificates(lab: Lab) -> Lab {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(["authority".to_owned()]).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = authority.self_signed(&authority_key).unwrap();
    let issuer = Issuer::from_params(&authority, &authority_key);
    let issue = |lab: Lab, name: &str, host: &str| {
        let key = KeyPair::generate().unwrap();
        let contents = CertificateParams::new([host.to_owned()]).unwrap();
        let signed = contents.signed_by(&key, &issuer).unwrap();
        lab.with(&format!("{name}.pem"), &signed.pem())
            .with(&format!("{name}.key"), &key.serialize_pem())
    };
    let lab = issue(lab, "server", "127.0.0.1");
    issue(lab, "client", "client").with("ca.pem", &ca.pem())
}

/// A server that accepts only clients with a certificate.
fn verifying(lab: &Lab) -> NatsServer {
    let file = |name: &str| lab.path(name).display().to_string();
    NatsServer::start(&format!(
        "jetstream: enabled\ntls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}",
        file("server.pem"),
        file("server.key"),
        file("ca.pem"),
    ))
}

#[test]
fn a_client_certificate_opens_a_server_that_verifies_its_clients() {
    let lab = with_certificates(Lab::new().with("go.ts", ONCE));
    let nats = verifying(&lab);
    let own = ["--nats-cert", "client.pem", "--nats-key", "client.key"];
    let ours = [own.as_slice(), &["--nats-ca", "ca.pem"]].concat();
    let url = format!("tls://127.0.0.1:{}", nats.port());
    let _agent = agent(&lab, &url, &ours);
    let ended = run(&lab, &url, &ours);
    completed(&ended);
    let untrusted = ["cannot connect to NATS", "--nats-ca"];
    refused(&lab, &url, &own, 4, &untrusted);
    let anonymous = ["--nats-ca", "ca.pem"];
    refused(&lab, &url, &anonymous, 4, &["cannot connect to NATS"]);
}

#[test]
fn certificates_of_a_fleet_that_do_not_fit_are_refused_with_the_reason() {
    let lab = with_certificates(Lab::new());
    let url = "tls://127.0.0.1:1";
    let own = |cert, key| ["--nats-cert", cert, "--nats-key", key];
    let foreign = [
        "--nats-cert client.pem",
        "does not belong to the certificate",
    ];
    refused(&lab, url, &own("client.pem", "server.key"), 2, &foreign);
    let swapped = ["--nats-cert client.key", "no certificate"];
    refused(&lab, url, &own("client.key", "client.pem"), 2, &swapped);
    let missing = ["--nats-ca missing.pem", "No such file"];
    refused(&lab, url, &["--nats-ca", "missing.pem"], 2, &missing);
    let alone = ["--nats-cert", "client.pem"];
    refused(&lab, url, &alone, 2, &["--nats-key"]);
}

/// A server without TLS cannot be somebody who has put themselves between us and a server with TLS.
#[test]
fn a_fleet_with_an_authority_of_its_own_does_not_connect_without_tls() {
    let lab = with_certificates(Lab::new());
    let plain = NatsServer::start("jetstream: enabled");
    let ca = ["--nats-ca", "ca.pem"];
    refused(&lab, &plain.url(), &ca, 4, &["cannot connect to NATS"]);
}

#[test]
fn a_local_fleet_needs_no_credentials() {
    let lab = Lab::new().with("go.ts", ONCE);
    let bridge = Server::bridge(&[]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
    command
        .args(["run", "go.ts", "--target", &bridge.url()])
        .args(["--fleet", "local:2", "--workers", "1"])
        .env("HEADCOUNT_NATS_CREDS", "/missing.creds")
        .env("HEADCOUNT_NATS_CA", "/missing.pem")
        .current_dir(lab.path(""));
    let ended = Program::start(command).end();
    completed(&ended);
}
