//! After the first level, finds thresholds with a name that no measurement has, and states why if that is known.

use model::{TagFilter, split_tags};
use plan::{Subject, SubjectKind, Threshold};
use record::{Inconclusive, Level, Measured, Note, Outcome, Setup};

use crate::judge::applies;
use crate::observe::decide;
use crate::recorder::Unmeasured;

/// Maximum number of measured names that are listed if none of them is similar to the unknown name.
const LISTED: usize = 5;

/// What is known after the first level.
pub(crate) struct Seen<'a> {
    pub(crate) level: &'a Level,
    pub(crate) unmeasured: &'a Unmeasured,
    pub(crate) setup: Option<&'a Setup>,
}

/// One note for each named subject without measurements, if the level had other operations of that kind or completed
/// iterations.
pub(crate) fn notes(thresholds: &[Threshold], seen: &Seen<'_>) -> Vec<Note> {
    let mut told: Vec<&Subject> = Vec::new();
    let mut notes = Vec::new();
    for threshold in thresholds {
        let subject = &threshold.subject;
        if let Some(note) = note(threshold, seen).filter(|_| !told.contains(&subject)) {
            told.push(subject);
            notes.push(note);
        }
    }
    notes
}

/// A note about names that occurred only outside the measured time, such as a login in the ramp-up. Names that a threshold
/// uses have notes of their own.
pub(crate) fn outside(thresholds: &[Threshold], seen: &Seen<'_>) -> Option<Note> {
    const KINDS: [SubjectKind; 4] = [
        SubjectKind::Request,
        SubjectKind::RoundTrip,
        SubjectKind::Check,
        SubjectKind::Metric,
    ];
    let measured = &seen.level.measured;
    let is_used = |kind: SubjectKind, name: &String| {
        let mut subjects = thresholds.iter().map(|threshold| &threshold.subject);
        subjects.any(|subject| {
            let wanted = subject.name.as_deref().filter(|_| subject.kind == kind);
            wanted.is_some_and(|wanted| wanted == name || TagFilter::of(wanted).selects(name))
        })
    };
    let only_outside = |kind: &SubjectKind| {
        let known = names(*kind, measured);
        let outside = seen.unmeasured.names(*kind);
        let unused = outside.filter(|name| !is_used(*kind, name));
        let only = unused.filter(|name| !known.contains(&name.as_str()));
        only.cloned().collect::<Vec<String>>()
    };
    // A level that measured nothing has other notes.
    let measured_any = KINDS.iter().any(|kind| !names(*kind, measured).is_empty());
    let names = KINDS.iter().flat_map(only_outside).collect::<Vec<String>>();
    (measured_any && !names.is_empty()).then_some(Note::OutsideMeasurement { names })
}

fn note(threshold: &Threshold, seen: &Seen<'_>) -> Option<Note> {
    let (subject, measured) = (&threshold.subject, &seen.level.measured);
    let name = subject.name.as_deref()?;
    let known = names(subject.kind, measured);
    let is_known = is_measured(subject, name, &known, measured);
    // A step that began before the measured time can be reached in it without any time, and a channel is known before
    // its first message.
    if (!is_known || has_no_data(threshold, seen.level)) && seen.unmeasured.has(subject) {
        return Some(not_measured(subject, false));
    }
    if is_known {
        return None;
    }
    if seen
        .setup
        .is_some_and(|setup| is_in_setup(subject, name, setup))
    {
        return Some(not_measured(subject, true));
    }
    // Before the first iteration has succeeded, the script may not have reached the operation yet.
    if known.is_empty() && measured.iterations.succeeded == 0 {
        return None;
    }
    let nearest = plan::nearest_name(name, &known).map(str::to_owned);
    let listed = known.iter().take(LISTED);
    Some(Note::UnknownName {
        subject: subject.to_string(),
        measured: listed.map(|name| (*name).to_owned()).collect(),
        nearest,
    })
}

fn not_measured(subject: &Subject, in_setup: bool) -> Note {
    Note::NotMeasured {
        subject: subject.to_string(),
        in_setup,
    }
}

fn has_no_data(threshold: &Threshold, level: &Level) -> bool {
    applies(threshold, level)
        && decide(threshold, level).0 == Outcome::Inconclusive(Inconclusive::NoData)
}

fn is_measured(subject: &Subject, name: &str, known: &[&str], measured: &Measured) -> bool {
    let by_path = subject.kind == SubjectKind::Step && measured.funnel.step(name).is_some();
    let by_tags =
        subject.kind == SubjectKind::Request && is_selected(name, measured.requests.keys());
    known.contains(&name) || by_path || by_tags
}

fn is_in_setup(subject: &Subject, name: &str, setup: &Setup) -> bool {
    match subject.kind {
        SubjectKind::Request => is_selected(name, setup.requests.keys()),
        SubjectKind::Check => setup.checks.contains_key(name),
        _ => false,
    }
}

/// Whether `name`, which may have tags, selects one of the counted names.
fn is_selected<'a>(name: &str, mut counted: impl Iterator<Item = &'a String>) -> bool {
    let wanted = TagFilter::of(name);
    counted.any(|counted| wanted.selects(counted))
}

/// The names that the level measured.
fn names(kind: SubjectKind, measured: &Measured) -> Vec<&str> {
    let mut names: Vec<&str> = match kind {
        SubjectKind::Delivery => keys(&measured.deliveries),
        SubjectKind::Request => {
            let counted = keys(&measured.requests).into_iter();
            counted
                .flat_map(|name| [name, split_tags(name).0])
                .collect()
        }
        SubjectKind::RoundTrip => keys(&measured.round_trips),
        SubjectKind::Stream => keys(&measured.streams),
        SubjectKind::Step => {
            let funnel = measured.funnel.steps.iter();
            let of_funnel = funnel.filter_map(|step| step.path.last().map(String::as_str));
            of_funnel.chain(keys(&measured.steps)).collect()
        }
        SubjectKind::Iteration => keys(&measured.scenarios),
        SubjectKind::Check => keys(&measured.checks),
        SubjectKind::Convergence => keys(&measured.converged),
        SubjectKind::Connection => keys(&measured.connections),
        SubjectKind::Metric => keys(&measured.metrics),
        SubjectKind::Target => Vec::new(),
    };
    names.sort_unstable();
    names.dedup();
    names
}

fn keys<T>(map: &std::collections::BTreeMap<String, T>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use record::{Check, Deliveries, FunnelStep, Timings};

    use super::*;

    fn threshold(subject: &str) -> Threshold {
        Threshold::parse(&Subject::parse(subject).unwrap(), "failed == 0").unwrap()
    }

    fn measured() -> Measured {
        let mut measured = Measured::default();
        measured.iterations.succeeded = 1;
        for name in ["GET /delay", "POST /x"] {
            measured
                .requests
                .insert(name.to_owned(), Timings::default());
        }
        measured
    }

    /// The notes on thresholds of these subjects, if nothing happened outside the measured time.
    fn notes_on(subjects: &[&str], measured: Measured) -> Vec<Note> {
        notes_of(subjects, measured, &Unmeasured::default(), None)
    }

    fn notes_of(
        subjects: &[&str],
        measured: Measured,
        unmeasured: &Unmeasured,
        setup: Option<&Setup>,
    ) -> Vec<Note> {
        let level = Level {
            measured,
            ..Level::default()
        };
        let thresholds: Vec<Threshold> = subjects.iter().map(|one| threshold(one)).collect();
        let seen = Seen {
            level: &level,
            unmeasured,
            setup,
        };
        notes(&thresholds, &seen)
    }

    /// The nearest names of all notes: none without a note.
    fn nearest(subject: &str) -> Vec<Option<String>> {
        let nearest = notes_on(&[subject], measured())
            .into_iter()
            .map(|note| match note {
                Note::UnknownName { nearest, .. } => nearest,
                other => panic!("{other:?}"),
            });
        nearest.collect()
    }

    #[test]
    fn a_misspelt_name_is_noted_with_the_nearest_one() {
        assert_eq!(
            nearest("request(GET /dely)"),
            [Some("GET /delay".to_owned())]
        );
        assert_eq!(nearest("request(DELETE /all)"), [None]);
        assert_eq!(nearest("check(any)"), [None], "no check at all");
        assert_eq!(nearest("request(GET /delay)"), []);
        assert_eq!(nearest("requests"), [], "it has no name");
    }

    #[test]
    fn names_of_requests_are_known_with_and_without_their_tags() {
        let mut measured = measured();
        let tagged = "PUT /y{region=eu}".to_owned();
        measured.requests.insert(tagged, Timings::default());
        let noted = |subject| !notes_on(&[subject], measured.clone()).is_empty();
        for known in [
            "request(PUT /y)",
            "request(PUT /y{region=eu})",
            "request({region=eu})",
        ] {
            assert!(!noted(known), "{known}");
        }
        for unknown in [
            "request(PUT /z)",
            "request({region=us})",
            "request(POST /x{region=eu})",
        ] {
            assert!(noted(unknown), "{unknown}");
        }
    }

    #[test]
    fn each_subject_is_noted_once() {
        let twice = ["request(no)", "request(no)"];
        assert_eq!(notes_on(&twice, measured()).len(), 1);
    }

    #[test]
    fn nothing_is_noted_before_an_iteration_could_reach_the_name() {
        let mut early = measured();
        early.iterations.succeeded = 0;
        assert!(notes_on(&["check(late)"], early.clone()).is_empty());
        early.checks.insert("latee".to_owned(), Check::default());
        assert_eq!(notes_on(&["check(late)"], early).len(), 1);
    }

    #[test]
    fn a_name_that_occurred_only_outside_the_measured_time_is_no_misspelling() {
        let mut outside = Unmeasured::default();
        for (kind, name) in [
            (SubjectKind::Request, "POST /delay{region=eu}"),
            (SubjectKind::Step, "log in"),
            (SubjectKind::Check, "has a token"),
            (SubjectKind::Metric, "attempts"),
            (SubjectKind::RoundTrip, "hello"),
            (SubjectKind::Connection, "/ws"),
        ] {
            outside.note(kind, name);
        }
        for subject in [
            "request(POST /delay)",
            "request({region=eu})",
            "step(log in)",
            "check(has a token)",
            "roundTrip(hello)",
            "connection(/ws)",
        ] {
            let said = notes_of(&[subject], measured(), &outside, None);
            assert_eq!(
                said,
                [Note::NotMeasured {
                    subject: subject.to_owned(),
                    in_setup: false
                }]
            );
        }
        let both = notes_of(&["request(GET /delay)"], measured(), &outside, None);
        assert_eq!(both, [], "it was measured, too");
    }

    #[test]
    fn names_that_no_threshold_uses_and_no_figure_has_are_listed() {
        let mut unmeasured = Unmeasured::default();
        unmeasured.note(SubjectKind::Request, "POST /login");
        unmeasured.note(SubjectKind::Request, "PUT /x");
        unmeasured.note(SubjectKind::Request, "GET /delay");
        unmeasured.note(SubjectKind::Metric, "login, ms");
        unmeasured.note(SubjectKind::Step, "log in");
        let of = |measured: Measured, unmeasured: &Unmeasured| {
            let subject = Subject::parse("request(PUT /x)").unwrap();
            let level = Level {
                measured,
                ..Level::default()
            };
            let seen = Seen {
                level: &level,
                unmeasured,
                setup: None,
            };
            outside(&[Threshold::parse(&subject, "p95 < 1s").unwrap()], &seen)
        };
        let names = ["POST /login", "login, ms"].map(str::to_owned).to_vec();
        assert_eq!(
            of(measured(), &unmeasured),
            Some(Note::OutsideMeasurement { names })
        );
        assert_eq!(of(measured(), &Unmeasured::default()), None);
        assert_eq!(of(Measured::default(), &unmeasured), None);
    }

    #[test]
    fn a_channel_or_step_that_is_known_without_data_is_noted() {
        let mut outside = Unmeasured::default();
        outside.note(SubjectKind::Delivery, "said");
        outside.note(SubjectKind::Step, "log in");
        let mut measured = measured();
        measured
            .deliveries
            .insert("said".to_owned(), Deliveries::default());
        measured.iterations.started = 5;
        measured.funnel.steps = vec![FunnelStep {
            path: vec!["log in".to_owned()],
            reached: 5,
            passed: 5,
            ..FunnelStep::default()
        }];
        let count = |subject: &str, condition| {
            let threshold = Threshold::parse(&Subject::parse(subject).unwrap(), condition).unwrap();
            let level = Level {
                measured: measured.clone(),
                ..Level::default()
            };
            let seen = Seen {
                level: &level,
                unmeasured: &outside,
                setup: None,
            };
            notes(&[threshold], &seen).len()
        };
        assert_eq!(count("delivery(said)", "lost == 0"), 1);
        assert_eq!(count("step(log in)", "p95 < 1s"), 1);
        assert_eq!(count("step(log in)", "reached >= 5"), 0, "it has data");
    }

    #[test]
    fn a_request_that_only_setup_sends_is_noted() {
        let mut setup = Setup::default();
        setup
            .requests
            .insert("POST /rooms".to_owned(), Timings::default());
        let outside = Unmeasured::default();
        let said = notes_of(
            &["request(POST /rooms)"],
            measured(),
            &outside,
            Some(&setup),
        );
        assert_eq!(
            said,
            [Note::NotMeasured {
                subject: "request(POST /rooms)".to_owned(),
                in_setup: true
            }]
        );
    }
}
