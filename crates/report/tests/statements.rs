//! What every rendering keeps, whatever the record.

mod common;
#[path = "common/shop.rs"]
mod shop;
#[path = "statements/telling_rows.rs"]
mod telling_rows;

use common::{runs, targets};
use record::{Level, Run};
use report::{Live, Terminal, live_line, markdown, terminal};

const RUNS: [fn() -> Run; 6] = [
    runs::healthy,
    runs::with_losses,
    runs::invalid,
    runs::interrupted,
    runs::requests_only,
    runs::crowded,
];

#[test]
fn the_hand_made_records_do_not_contradict_themselves() {
    for run in RUNS {
        assert_eq!(run().inconsistencies(), []);
    }
}

/// The reason of an invalid level is long, and readers look for the verdict first.
#[test]
fn the_first_sentence_names_the_event_and_a_note_explains_it() {
    let text = terminal(&runs::invalid(), Terminal::default());
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("Inconclusive"), "{first}");
    assert!(!first.contains("limit") && first.len() < 200, "{first}");
    let explained = text
        .lines()
        .filter(|line| line.starts_with("note       invalid at"));
    assert!(explained.clone().count() > 0, "{text}");
    assert!(
        explained
            .clone()
            .all(|line| line.contains("(limit") || line.contains("; limit")),
        "{text}"
    );
}

/// Rows of failing operations are shown even if the screen is too small for them.
#[test]
fn a_result_fits_on_one_screen_unless_more_operations_failed() {
    const FAILING_IN_CROWDED: usize = 40;
    for run in RUNS {
        let run = run();
        let text = terminal(
            &run,
            Terminal {
                colour: false,
                width: Some(122),
                trace: false,
                saved_to: Some("run.json"),
            },
        );
        let failing = run.levels.last().map_or(0, |level| {
            let requests = level.measured.requests.values();
            requests.filter(|one| one.failed > 0).count()
        });
        let most = if failing < FAILING_IN_CROWDED {
            45
        } else {
            45 + failing
        };
        assert!(
            text.lines().count() <= most,
            "{} lines\n{text}",
            text.lines().count()
        );
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for run in RUNS {
        let options = Terminal {
            width: Some(122),
            ..Terminal::default()
        };
        let plain = terminal(&run(), options);
        let painted = terminal(
            &run(),
            Terminal {
                colour: true,
                width: Some(122),
                trace: false,
                saved_to: None,
            },
        );
        assert!(!plain.contains('\u{1b}'));
        assert!(painted.contains('\u{1b}'));
        assert_eq!(without_colour(&painted), plain);
    }
}

fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}

#[test]
fn an_interrupted_run_says_so_first() {
    let mut run = runs::healthy();
    run.interrupted = true;
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let text = terminal(&run, Terminal::default());
    let expected =
        "Interrupted after 3 levels; until then passed: every threshold held up to 1,000 users.";
    assert_eq!(first(&text), expected);
    assert!(markdown(&run).contains("**Interrupted** after 3 levels"));
}

/// A level can have too few samples to decide a threshold. Then it was not broken there, but it did not hold either.
#[test]
fn an_undecided_level_is_not_said_to_have_held() {
    let told = |undecided: &[usize]| {
        let mut run = runs::crowded();
        for result in &mut run.thresholds {
            if undecided.contains(&result.level) {
                result.held = None;
            }
        }
        let text = terminal(&run, Terminal::default());
        text.lines().next().unwrap_or_default().to_owned()
    };
    let ends = |undecided: &[usize], wanted: &str| {
        let first = told(undecided);
        assert!(first.ends_with(wanted), "{first}");
    };
    ends(&[], "threshold held up to 40 users.");
    ends(
        &[0, 3],
        "Every threshold held up to 20 users. Inconclusive: 5 users, 40 users.",
    );
    ends(
        &[0, 1, 2, 3],
        "4 other thresholds. Inconclusive: 5 users, 10 users, 20 users, 40 users.",
    );
}

#[test]
fn a_saved_run_renders_the_same_again() {
    for run in RUNS {
        let run = run();
        let again = record::from_json(&record::to_json(&run).unwrap()).unwrap();
        assert_eq!(markdown(&again), markdown(&run));
        let text = |run: &Run| terminal(run, Terminal::default());
        assert_eq!(text(&again), text(&run));
    }
}

#[test]
fn a_level_without_measurements_shows_no_number_in_their_place() {
    let run = Run {
        levels: vec![Level::default()],
        ..Run::default()
    };
    let text = terminal(&run, Terminal::default());
    for absent in ["0/s", "0 µs", "0 ms", "CPU", "lost", "memory"] {
        assert!(!text.contains(absent), "{absent} in\n{text}");
    }
}

#[test]
fn a_contradiction_in_the_record_is_told() {
    let mut run = runs::requests_only();
    run.levels[0].measured.iterations.planned += 1;
    let told = "the record contradicts itself: level 1: iterations: 121 planned, but 120 started";
    assert!(terminal(&run, Terminal::default()).contains(told));
    assert!(markdown(&run).contains(told));
}

#[test]
fn names_of_the_user_cannot_break_a_markdown_table() {
    let mut run = runs::requests_only();
    let requests = &mut run.levels[0].measured.requests;
    requests.insert(
        "GET /a|b\n| `c` |".to_owned(),
        common::parts::requests(1, 1.0),
    );
    let text = markdown(&run);
    let row = text.lines().find(|line| line.contains("GET /a")).unwrap();
    assert!(row.contains("`` GET /a\\|b \\| `c` \\| ``"), "{row}");
}

#[test]
fn the_live_line_leaves_out_what_is_not_known() {
    let live = Live {
        level: 2,
        levels: 5,
        users: 1_000,
        phase: model::LevelPhase::Measurement,
        elapsed_s: 12.7,
        total_s: Some(30.0),
        ..Live::default()
    };
    let quiet = live_line(&live);
    assert_eq!(quiet, "level 2 of 5 · 1,000 users · measuring 12 s of 30 s");
    let told = Live {
        per_s: Some(41_234.5),
        p95_ms: Some(9.71),
        lost: Some(0),
        failed: Some(3),
        busy_percent: Some(31.4),
        ..live
    };
    let figures = " · 41,234/s · p95 9.71 ms · lost 0 · failed 3 · busiest worker 31.4 %";
    assert_eq!(live_line(&told), quiet + figures);
    let after = Live {
        level: 1,
        levels: 1,
        users: 800,
        phase: model::LevelPhase::Settling,
        in_flight: Some((403, 23.4)),
        ..Live::default()
    };
    let waiting = "level 1 of 1 · 800 users · waiting for 403 requests in flight, up to 24 s";
    assert_eq!(live_line(&after), waiting);
    // The settling time is no part of the planned time.
    let settling = Live {
        in_flight: None,
        elapsed_s: 32.6,
        total_s: Some(30.0),
        ..after
    };
    assert_eq!(
        live_line(&settling),
        "level 1 of 1 · 800 users · settling 2 s"
    );
}

#[test]
fn a_target_that_was_killed_is_told_before_its_figures() {
    let on_terminal = |run: &Run| {
        let options = Terminal {
            colour: false,
            width: Some(122),
            trace: false,
            saved_to: None,
        };
        terminal(run, options)
    };
    let text = markdown(&targets::in_trouble());
    let killed = text.find("process 4711 was gone after 12 s, killed for lack of memory");
    assert!(killed.is_some(), "{text}");
    let line = on_terminal(&targets::in_trouble());
    let (gone, cpu) = (
        line.find("killed for lack of memory after 12 s"),
        line.find("CPU 391 %"),
    );
    assert!(gone.is_some() && gone < cpu, "{line}");
}

#[test]
fn figures_of_an_endpoint_say_that_they_are() {
    let text = markdown(&targets::elsewhere());
    assert!(
        text.contains("10.0.0.5:9100 (by its metrics endpoint, Node.js 20.20.2)"),
        "{text}"
    );
    assert!(text.contains("failed for 2 of 30 requests"), "{text}");
}

#[test]
fn every_line_fits_the_terminal_from_80_to_220_columns() {
    for run in RUNS.iter().chain(&[targets::in_trouble as fn() -> Run]) {
        for width in [80, 100, 122, 160, 220] {
            let options = Terminal {
                width: Some(width),
                ..Terminal::default()
            };
            for line in terminal(&run(), options).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn nothing_is_cut_in_a_file_or_pipe() {
    for run in RUNS {
        let text = terminal(&run(), Terminal::default());
        for cut in ["…\n", "more in the full report", "too narrow for"] {
            assert!(!text.contains(cut), "{cut}: {text}");
        }
    }
}

#[test]
fn a_live_line_never_wraps() {
    let live = Live {
        level: 10,
        levels: 10,
        users: 100_000,
        per_s: Some(1e6),
        p95_ms: Some(123.0),
        failed: Some(1_000_000),
        busy_percent: Some(99.0),
        ..Live::default()
    };
    let line = report::one_row(&live_line(&live), Some(80));
    assert!(line.chars().count() < 80, "{line}");
    assert_eq!(report::one_row(&live_line(&live), None), live_line(&live));
}
