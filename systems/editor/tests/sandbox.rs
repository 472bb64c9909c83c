//! Programs in all installed languages run in the sandbox, and their results state how they ended.

use std::ffi::OsStr;
use std::time::Duration;

use editor::run::{Ending, Limits, RunResult, Runner};
use tokio::time::Instant;

/// Limits with enough time for a compiler on a busy machine.
fn patient() -> Limits {
    Limits {
        wall: Duration::from_mins(1),
        ..Limits::default()
    }
}

fn runner(limits: Limits) -> Runner {
    let runner = Runner::start(limits);
    assert_eq!(runner.available(), Ok(()));
    runner
}

async fn run(language: &str, code: &str) -> RunResult {
    runner(patient()).run(language, code).await
}

/// One program per language, which prints `42` and succeeds.
const ANSWERS: &[(&str, &str)] = &[
    ("javascript", "print(6 * 7)"),
    ("python", "print(6 * 7)"),
    (
        "clike",
        "#include <iostream>\nint main() { std::cout << 6 * 7 << std::endl; }",
    ),
    (
        "java",
        "public class Any { public static void main(String[] all) { System.out.println(6 * 7); } }",
    ),
    (
        "go",
        "package main\nimport \"fmt\"\nfunc main() { fmt.Println(6 * 7) }",
    ),
    ("rust", "fn main() { println!(\"{}\", 6 * 7); }"),
    ("ruby", "puts 6 * 7"),
    ("php", "<?php echo 6 * 7, \"\\n\";"),
    ("shell", "echo $((6 * 7))"),
    ("r", "cat(6 * 7, '\\n', sep = '')"),
];

#[tokio::test]
async fn every_language_that_is_here_runs_and_the_others_say_what_is_missing() {
    let runner = runner(patient());
    for (language, code) in ANSWERS {
        let result = runner.run(language, code).await;
        if runner.languages().contains(language) {
            assert_eq!(
                (result.output.as_str(), &result.ending),
                ("42\n", &Ending::Done),
                "{language}: {}",
                result.error
            );
            assert!(result.success);
        } else {
            assert!(
                matches!(result.ending, Ending::NoLanguage(name, _) if name == *language),
                "{result:?}"
            );
            assert!(result.error.contains("not installed"), "{}", result.error);
        }
    }
    assert!(
        runner.languages().contains(&"shell"),
        "bash is part of every Debian"
    );
}

#[tokio::test]
async fn an_unknown_language_is_javascript() {
    let result = run("htmlmixed", "console.log(typeof process.version)").await;
    assert_eq!(result.output, "string\n", "{}", result.error);
}

#[tokio::test]
async fn print_in_javascript_shifts_neither_lines_nor_columns() {
    let result = run("javascript", "print('one')\n  nowhere()").await;
    assert_eq!(result.output, "one\n");
    assert!(result.error.contains("main.js:2:3"), "{}", result.error);
    let own = run(
        "javascript",
        "'use strict'; const print = x => console.log('own', x); print(1)",
    )
    .await;
    assert_eq!(own.output, "own 1\n", "{}", own.error);
}

#[tokio::test]
async fn warnings_of_a_program_that_ends_well_are_its_error_text() {
    let result = run("shell", "echo out; echo warning >&2").await;
    assert!(result.success);
    assert_eq!(
        (result.output.as_str(), result.error.as_str()),
        ("out\n", "warning\n")
    );
}

#[tokio::test]
async fn an_exit_code_and_a_signal_are_told_apart() {
    let code = run("shell", "echo before; exit 3").await;
    assert_eq!(
        (code.ending.clone(), code.success),
        (Ending::Code(3), false)
    );
    assert_eq!(
        (code.output.as_str(), code.error.as_str()),
        ("before\n", "The program ended with code 3.")
    );
    let signal = run("shell", "kill -SEGV $$").await;
    assert_eq!(signal.ending, Ending::Signal(11), "{}", signal.error);
}

#[tokio::test]
async fn a_compiler_that_refuses_says_why() {
    let runner = runner(patient());
    if runner.languages().contains(&"clike") {
        let result = runner.run("clike", "int main() { return nothing; }").await;
        assert_eq!(result.ending, Ending::Code(1));
        assert!(
            result.error.contains("main.cpp:1") && result.error.contains("nothing"),
            "{}",
            result.error
        );
    }
}

#[tokio::test]
async fn code_is_never_words_of_a_command() {
    let code = "'; touch /tmp/x; $(touch /tmp/x) `touch /tmp/x` \"; --bind / / \0 é";
    let script = format!("cat <<'END_OF_CODE'\n{code}\nEND_OF_CODE\nls /tmp");
    let result = run("shell", &script.replace('\0', "")).await;
    assert_eq!(
        result.output,
        format!("{}\nmain.sh\n", code.replace('\0', "")),
        "{}",
        result.error
    );
}

#[tokio::test]
async fn there_is_no_input_and_it_ends_at_once() {
    let result = run("shell", "cat; echo ended").await;
    assert_eq!(result.output, "ended\n");
}

#[tokio::test]
async fn code_beyond_the_limit_is_refused() {
    let runner = runner(Limits {
        code: 10,
        ..patient()
    });
    assert_eq!(runner.run("shell", "echo 12345").await.ending, Ending::Done);
    let result = runner.run("shell", "echo 123456").await;
    assert_eq!(
        (result.ending, result.success),
        (Ending::CodeTooLong(10), false)
    );
}

#[tokio::test]
async fn programs_wait_for_their_turn_and_too_many_are_told_to_try_again() {
    let runner = runner(Limits {
        running: 1,
        waiting: 2,
        ..patient()
    });
    let code = "sleep 0.5; echo done";
    let (one, two, three, four) = tokio::join!(
        runner.run("shell", code),
        runner.run("shell", code),
        runner.run("shell", code),
        runner.run("shell", code)
    );
    for ran in [one, two, three] {
        assert_eq!(ran.output, "done\n", "{}", ran.error);
    }
    assert_eq!((four.ending, four.success), (Ending::Busy, false));
    assert!(four.error.starts_with("Busy"), "{}", four.error);
    assert_eq!(
        runner.run("shell", code).await.output,
        "done\n",
        "the queue is free again"
    );
}

#[tokio::test]
async fn without_bubblewrap_nothing_runs_and_the_reason_says_what_to_install() {
    for path in ["", "/nowhere", "relative:."] {
        let runner = Runner::start_in(Limits::default(), OsStr::new(path));
        let reason = runner.available().expect_err("there is no bubblewrap");
        assert!(
            reason.contains("bwrap") && reason.contains("apt install bubblewrap"),
            "{reason}"
        );
        assert!(runner.languages().is_empty());
        let result = runner.run("shell", "echo it ran").await;
        assert_eq!((result.output.as_str(), result.success), ("", false));
        assert!(result.error.contains(&reason), "{}", result.error);
    }
}

#[tokio::test]
async fn a_bubblewrap_that_only_claims_to_work_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let fake = directory.path().join("bwrap");
    // A fake bubblewrap that runs the command without any sandbox.
    let open = "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";
    for script in [
        open,
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\necho no permission >&2\nexit 1\n",
    ] {
        std::fs::write(&fake, script).unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let runner = Runner::start_in(Limits::default(), directory.path().as_os_str());
        assert!(runner.available().is_err(), "{script}");
        assert!(!runner.run("shell", "true").await.success);
    }
}

#[tokio::test]
async fn a_program_that_nobody_waits_for_any_more_is_ended_and_frees_its_turn() {
    let runner = runner(Limits {
        running: 1,
        ..patient()
    });
    let begun = Instant::now();
    let given_up =
        tokio::time::timeout(Duration::from_millis(300), runner.run("shell", "sleep 50")).await;
    assert!(given_up.is_err());
    assert_eq!(runner.run("shell", "echo next").await.output, "next\n");
    assert!(
        begun.elapsed() < Duration::from_secs(40),
        "the turn was free before the first would have ended"
    );
}
