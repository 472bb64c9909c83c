//! Invalid input: clear messages and the right exit code, and nothing is sent.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{Lab, Raw, Server};

/// A port without a listener: a run that connects has checked its input too late.
const NOBODY: &str = "http://127.0.0.1:1";
const EMPTY: &str = "export default async function go() {}\n";

fn with_options(options: &str) -> Lab {
    Lab::new().with(
        "go.ts",
        &format!("export const options = {options};\n{EMPTY}"),
    )
}

fn with_good_options() -> Lab {
    with_options(r#"{ load: { users: 1, duration: "1s" } }"#)
}

#[test]
fn a_missing_file() {
    let ended = Lab::new().run("missing.ts", NOBODY, &[]);
    ended.refused(2, &["error: no such file: missing.ts"]);
}

#[test]
fn a_syntax_error_shows_its_place() {
    let lab = Lab::new().with(
        "go.ts",
        "export const options = {};\nexport default async () => {\n  const x = ;\n};\n",
    );
    let ended = lab.run("go.ts", NOBODY, &[]);
    ended.refused(
        3,
        &[
            "go.ts:3:13: syntax error",
            "> 3 |   const x = ;",
            "    |             ^",
        ],
    );
}

#[test]
fn an_error_while_loading_shows_its_place() {
    let lab = Lab::new().with(
        "go.ts",
        &format!("const x: any = undefined;\nx.y;\n{EMPTY}"),
    );
    let ended = lab.run("go.ts", NOBODY, &[]);
    ended.refused(
        3,
        &[
            "go.ts:2:1: TypeError: cannot read property 'y' of undefined",
            "> 2 | x.y;",
        ],
    );
}

#[test]
fn an_import_that_cannot_be_followed() {
    let lab = Lab::new().with("go.ts", &format!("import fs from \"fs\";\n{EMPTY}"));
    lab.run("go.ts", NOBODY, &[])
        .refused(3, &["go.ts:1:16: cannot import `fs`", "> 1 |"]);
    let lab = Lab::new().with(
        "go.ts",
        &format!("import {{ x }} from \"./not-here.ts\";\n{EMPTY}"),
    );
    lab.run("go.ts", NOBODY, &[])
        .refused(3, &["go.ts:1:19", "not-here.ts"]);
}

#[test]
fn no_default_export() {
    let lab = Lab::new().with("go.ts", "export const options = { load: { users: 1 } };\n");
    lab.run("go.ts", NOBODY, &[]).refused(
        3,
        &[
            "go.ts",
            "no default export",
            "export default async function",
        ],
    );
}

#[test]
fn unknown_options_are_refused_with_what_was_meant() {
    let lab = with_options(
        r#"{ laod: { users: 1 }, load: { user: 3, duration: "1s" }, thresholds: { requets: "p95 < 1ms" } }"#,
    );
    lab.run("go.ts", NOBODY, &[]).refused(
        2,
        &[
            "laod: unknown option",
            "did you mean `load`?",
            "load.user: unknown option",
            "did you mean `users`?",
            "requets",
        ],
    );
}

#[test]
fn unknown_flags_and_commands_are_refused_with_what_was_meant() {
    let lab = with_good_options();
    lab.run("go.ts", NOBODY, &["--duratoin", "2s"])
        .refused(2, &["--duratoin", "--duration"]);
    lab.headcount(&["runn", "go.ts"])
        .refused(2, &["runn", "'run'"]);
    lab.headcount(&[]).refused(2, &["Usage:", "run "]);
}

#[test]
fn nonsense_loads_are_refused() {
    let lab = with_good_options();
    for (flag, value, said) in [
        (
            "--users",
            "0",
            "load.users[0]: must be 1 to 1,000,000, got 0",
        ),
        ("--users", "99999999999", "must be 1 to 1,000,000"),
        (
            "--users",
            "1,x",
            "load.users[1]: expected a whole number, got \"x\"",
        ),
        ("--users", "", "load.users"),
        ("--duration", "banana", "load.duration: expected a duration"),
        ("--duration", "0s", "load.duration: must be more than zero"),
        ("--duration", "1 fortnight", "load.duration"),
        ("--workers", "0", "--workers"),
        ("--target", "banana", "target: \"banana\" has no scheme"),
        ("--target", "ftp://127.0.0.1", "unknown scheme \"ftp\""),
    ] {
        let mut args = vec!["run", "go.ts"];
        args.extend([flag, value]);
        if flag != "--target" {
            args.extend(["--target", NOBODY]);
        }
        lab.headcount(&args).refused(2, &[said]);
    }
    let groups = with_options("{ groups: 4, load: { users: 3 } }");
    groups
        .run("go.ts", NOBODY, &[])
        .refused(2, &["3 users cannot fill 4 groups", "at least 4 users"]);
}

#[test]
fn no_target() {
    with_good_options()
        .headcount(&["run", "go.ts"])
        .refused(2, &["no target", "--target"]);
}

#[test]
fn a_target_that_is_down() {
    let lab = with_good_options();
    let ended = lab.run("go.ts", NOBODY, &[]);
    ended.refused(
        4,
        &[
            "cannot reach the target http://127.0.0.1:1/",
            "refused",
            "hint:",
        ],
    );
    assert!(!lab.path("run").exists(), "an empty folder is left behind");
}

#[test]
fn a_host_that_does_not_exist() {
    let ended = with_good_options().run("go.ts", "http://no-such-host.invalid", &[]);
    ended.refused(4, &["cannot resolve `no-such-host.invalid`"]);
}

/// 192.0.2.1 is reserved for documentation. If a packet were sent to it, the run would hang until a time limit.
#[test]
fn a_target_beyond_private_networks_is_refused_before_the_first_packet() {
    let ended = with_good_options().run("go.ts", "http://192.0.2.1", &[]);
    ended.refused(
        2,
        &["192.0.2.1", "neither this machine nor", "--target-is-mine"],
    );
}

/// Neither the scenario nor a redirect may lead to another public address.
#[test]
fn a_scenario_cannot_lead_beyond_private_networks() {
    let server = Raw::start(|mut stream| {
        use std::io::{Read as _, Write as _};
        let _ = stream.read(&mut [0; 4096]);
        let away = "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n";
        let _ = stream.write_all(away.as_bytes());
    });
    for (url, side, what) in [
        ("http://192.0.2.1/", "script", "iteration"),
        ("/redirected", "target", "GET /redirected"),
    ] {
        let lab = Lab::new().with(
            "go.ts",
            &format!(
                "export const options = {{ load: {{ users: 1, once: true }} }};
export default async function go({{ users: [u] }}) {{ await u.get(\"{url}\"); }}"
            ),
        );
        let level = lab.level("go.ts", &server.url(), &[]);
        assert_eq!(level["iterations"]["failed"], 1, "{url}: {level:#}");
        assert_eq!(lab.failure(side, "not_allowed", what)["count"], 1, "{url}");
    }
}

#[test]
fn a_scenario_reads_no_file_outside_of_its_folder() {
    let bridge = Server::bridge(&[]);
    let read = |path: &str| {
        format!(
            r#"import {{ json }} from "headcount";
const rows = json("{path}");
export const options = {{ load: {{ users: 1, once: true }} }};
export default async function go({{ users: [user], check }}) {{ check("read", user.row(rows) === 7); }}
"#
        )
    };
    let lab = Lab::new().with("secret.json", "[7]");
    let secret = lab.path("secret.json");
    fs::create_dir(lab.path("own")).unwrap();
    symlink(&secret, lab.path("own/link.json")).unwrap();
    for path in ["../secret.json", "link.json", secret.to_str().unwrap()] {
        fs::write(lab.path("own/go.ts"), read(path)).unwrap();
        let refused = lab.run("own/go.ts", &bridge.url(), &[]);
        refused.refused(3, &["outside the folder", "--root"]);
        assert!(!lab.path("run").join("run.json").exists());
        let parent = lab.path("");
        let allowed = ["--root", parent.to_str().unwrap(), "--json"];
        let summary = lab.run("own/go.ts", &bridge.url(), &allowed).summary();
        assert_eq!(
            summary["levels"][0]["checks"]["passed"], 1,
            "{path}: {summary:#}"
        );
        fs::remove_dir_all(lab.path("run")).unwrap();
    }
}
