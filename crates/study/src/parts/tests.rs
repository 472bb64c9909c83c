//! Verdicts of studies with handmade records.

use record::{IssueCause, Level, LevelIssue, ThresholdResult};

use super::*;

/// A part of one level.
fn part(valid: bool, held: Option<bool>) -> PartRun {
    let issues = if valid {
        Vec::new()
    } else {
        vec![LevelIssue::invalid(IssueCause::NotMeasured)]
    };
    let level = Level {
        issues,
        ..Level::default()
    };
    let threshold = ThresholdResult {
        held,
        ..ThresholdResult::default()
    };
    PartRun {
        name: "rooms",
        must_be_valid: true,
        must_hold: true,
        record: Run {
            levels: vec![level],
            thresholds: vec![threshold],
            ..Run::default()
        },
        after: None,
    }
}

fn verdict(parts: Vec<PartRun>) -> Verdict {
    let outcome = StudyOutcome {
        parts,
        markdown: String::new(),
        terminal: String::new(),
    };
    outcome.verdict()
}

#[test]
fn only_a_threshold_that_broke_on_a_valid_level_fails_a_study() {
    for (valid, held, expected) in [
        (true, Some(true), Verdict::Passed),
        (true, None, Verdict::Passed),
        (true, Some(false), Verdict::Failed),
        (false, Some(true), Verdict::Inconclusive),
        (false, Some(false), Verdict::Inconclusive),
    ] {
        assert_eq!(
            verdict(vec![part(valid, held)]),
            expected,
            "{valid} {held:?}"
        );
    }
    let both = vec![part(false, Some(false)), part(true, Some(false))];
    assert_eq!(verdict(both), Verdict::Failed);
}

#[test]
fn the_broken_threshold_of_one_level_is_not_that_of_another() {
    let mut part = part(false, Some(false));
    part.record.levels.push(Level {
        index: 1,
        ..Level::default()
    });
    assert_eq!(verdict(vec![part]), Verdict::Inconclusive);
}

#[test]
fn a_part_that_looks_for_the_end_neither_fails_a_study_nor_makes_it_unsound() {
    for (valid, held) in [
        (true, Some(false)),
        (false, Some(true)),
        (false, Some(false)),
    ] {
        let mut beyond = part(valid, held);
        beyond.must_be_valid = false;
        beyond.must_hold = false;
        assert_eq!(verdict(vec![beyond]), Verdict::Passed, "{valid} {held:?}");
    }
}

#[test]
fn a_part_at_full_speed_must_still_show_that_its_thresholds_held() {
    let flat_out = |held| {
        let mut part = part(false, Some(held));
        part.must_be_valid = false;
        verdict(vec![part])
    };
    assert_eq!(flat_out(true), Verdict::Passed);
    assert_eq!(flat_out(false), Verdict::Inconclusive);
}

#[test]
fn what_is_found_wrong_afterwards_fails_a_study_however_busy_the_machine_was() {
    for (held, expected) in [(true, Verdict::Passed), (false, Verdict::Failed)] {
        let mut looked = part(true, Some(true));
        looked.after = Some(part(false, Some(held)).record);
        assert_eq!(verdict(vec![looked]), expected, "{held}");
    }
}
