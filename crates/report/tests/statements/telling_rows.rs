//! The rows that a reader needs first are on every screen, and each fits its width.

use model::Nanos;
use record::{FunnelStep, Level, Load, Run, Timings};
use report::{Terminal, terminal};

use crate::common::runs;
use crate::shop::shop;

fn at(run: &Run, width: usize) -> String {
    let options = Terminal {
        width: Some(width),
        ..Terminal::default()
    };
    terminal(run, options)
}

/// The lines of the part with this title.
fn part<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let lines = text.lines();
    let from = lines.skip_while(|line| !line.starts_with(title));
    from.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn the_record_of_the_shop_does_not_contradict_itself() {
    assert_eq!(shop().inconsistencies(), []);
}

#[test]
fn failing_and_slow_operations_and_steps_are_never_left_out() {
    for width in [80, 100, 122, 160, 220] {
        let text = at(&shop(), width);
        let names = part(&text, "By name");
        let failing = names.iter().filter(|line| line.contains(" %)"));
        assert_eq!(failing.count(), 9, "{width}: {text}");
        for slow in ["export", "report", "search"] {
            let row = names
                .iter()
                .any(|line| line.contains(&format!("slow/{slow}")));
            assert!(row, "{width}: {slow}: {text}");
        }
        let hidden = " more names in the full report, all faster and without failures";
        assert!(names.iter().any(|line| line.contains(hidden)), "{text}");
        let steps = part(&text, "Steps");
        let failed = steps.iter().any(|line| line.contains("10 (3.33 %)"));
        assert!(failed, "{width}: {text}");
        let slowest = steps.iter().any(|line| line.contains("article 3"));
        assert!(slowest || width < 122, "{width}: {text}");
    }
}

/// Every request of a target that is down fails, and a scenario may have any number of names.
#[test]
fn hundreds_of_failing_names_are_cut_and_the_hidden_ones_are_counted() {
    let mut run = shop();
    let level = &mut run.levels[0];
    let failing = |number| {
        let mut one = Timings::default();
        one.answered(Nanos::from_millis(1), Nanos::from_millis(1), true);
        (format!("GET /failing/{number}"), one)
    };
    level.measured.requests = (0..500).map(failing).collect();
    let text = at(&run, 122);
    let names = part(&text, "By name");
    let shown = names
        .iter()
        .filter(|line| line.contains("/failing/"))
        .count();
    assert!((20..=40).contains(&shown), "{shown} names: {text}");
    let hidden = 500 - shown;
    let last = format!(
        "and {hidden} more names in the full report, {hidden} of them with failures or losses"
    );
    assert!(names.last().unwrap().contains(&last), "{text}");
}

#[test]
fn names_of_the_script_cannot_move_the_cursor_or_break_a_line() {
    let mut run = shop();
    for failure in &mut run.levels[0].measured.failures {
        failure.first.step = Some("pay\u{1b}[2J\nnow".to_owned());
        failure.first.user = Some("user\r-3".to_owned());
    }
    for width in [None, Some(80), Some(200)] {
        let options = Terminal {
            width,
            ..Terminal::default()
        };
        let text = terminal(&run, options);
        assert!(!text.contains(['\u{1b}', '\r']), "{width:?}: {text}");
        let one_line = text.lines().any(|line| line.contains("step pay [2J now"));
        assert!(one_line, "{width:?}: {text}");
    }
}

#[test]
fn at_80_columns_operations_and_steps_keep_p95_and_failures() {
    let text = at(&shop(), 80);
    for title in ["By name", "Steps"] {
        let head = part(&text, title)[1];
        for column in ["p95", "failed"] {
            assert!(head.contains(column), "{column}: {text}");
        }
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn broken_thresholds_are_never_left_out() {
    let text = at(&runs::crowded(), 122);
    let broken = part(&text, "Thresholds");
    let broken = broken
        .iter()
        .filter(|line| line.trim_start().starts_with("broken"));
    assert_eq!(broken.count(), 5, "{text}");
}

/// `bench -n` sends equal requests, for which one line is enough.
#[test]
fn a_given_number_of_equal_requests_is_told_in_a_few_lines() {
    let mut run = runs::requests_only();
    run.script.sha256.clear();
    run.script.source.clear();
    run.levels.truncate(1);
    run.levels[0].load.once = true;
    let text = at(&run, 80);
    assert!(!text.contains("Levels ("), "{text}");
    let line = text.lines().find(|line| line.contains(" ended, "));
    let line = line.expect(&text);
    assert!(line.contains("p50 ") && line.contains("/s"), "{text}");
}

/// A trace has shown each request before.
#[test]
fn a_trace_ends_with_a_few_lines_however_many_names_it_has() {
    let mut run = shop();
    run.thresholds.clear();
    run.levels[0].measured.failures.clear();
    run.verdict = model::Verdict::Passed;
    let options = Terminal {
        trace: true,
        ..Terminal::default()
    };
    let text = terminal(&run, options);
    assert!(text.lines().count() <= 10, "{text}");
    assert!(text.contains("requests with 27 names: "), "{text}");
    assert!(text.starts_with("Traced one iteration."), "{text}");
    assert!(text.contains("Thresholds are not checked."), "{text}");
    for one in ["Passed", "generator", "true share"] {
        assert!(!text.contains(one), "{one}: {text}");
    }
}

/// The table of one step is wider than the terminal if all its columns have figures.
#[test]
fn the_widest_step_fits() {
    let step = FunnelStep {
        path: vec!["checkout and pay with the stored card".to_owned()],
        begun: 99_000,
        reached: 100_000,
        passed: 60_000,
        passed_with_failures: 10_000,
        failed: 30_000,
        unfinished: 10_000,
        timed_out: 1_000,
        ..FunnelStep::default()
    };
    let mut level = Level {
        load: Load {
            users: 100_000,
            ..Load::default()
        },
        ..Level::default()
    };
    level.measured.iterations.started = 100_000;
    level.measured.funnel.steps = vec![step];
    let run = Run {
        levels: vec![level],
        ..Run::default()
    };
    for width in [80, 100, 122] {
        let text = at(&run, width);
        let steps = part(&text, "Steps");
        assert!(steps[2].contains("30,000 (30.0 %)"), "{text}");
        for line in steps {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}
