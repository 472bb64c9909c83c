//! After the first level, finds thresholds with a name that no measurement has.

use model::{TagFilter, split_tags};
use plan::{Subject, SubjectKind, Threshold};
use record::{Measured, Note};

/// Maximum number of measured names that are listed if none of them is similar to the unknown name.
const LISTED: usize = 5;

/// One note for each named subject without measurements, if the level had other operations of that kind or completed
/// iterations.
pub(crate) fn notes(thresholds: &[Threshold], measured: &Measured) -> Vec<Note> {
    let mut told: Vec<&Subject> = Vec::new();
    let mut notes = Vec::new();
    for Threshold { subject, .. } in thresholds {
        if told.contains(&subject) {
            continue;
        }
        told.push(subject);
        notes.extend(note(subject, measured));
    }
    notes
}

fn note(subject: &Subject, measured: &Measured) -> Option<Note> {
    let name = subject.name.as_deref()?;
    let known = names(subject.kind, measured);
    // Before the first iteration has succeeded, the script may not have reached the operation yet.
    let is_early = known.is_empty() && measured.iterations.succeeded == 0;
    let by_path = subject.kind == SubjectKind::Step && measured.funnel.step(name).is_some();
    let mut requests = measured.requests.keys();
    let by_tags = subject.kind == SubjectKind::Request
        && requests.any(|counted| TagFilter::of(name).selects(counted));
    if known.contains(&name) || by_path || by_tags || is_early {
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
    use record::{Check, Timings};

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

    /// The nearest names of all notes: none without a note.
    fn nearest(subject: &str) -> Vec<Option<String>> {
        let notes = notes(&[threshold(subject)], &measured());
        let nearest = notes.into_iter().map(|note| match note {
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
        let noted = |subject| !notes(&[threshold(subject)], &measured).is_empty();
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
        let twice = [threshold("request(no)"), threshold("request(no)")];
        assert_eq!(notes(&twice, &measured()).len(), 1);
    }

    #[test]
    fn nothing_is_noted_before_an_iteration_could_reach_the_name() {
        let mut early = measured();
        early.iterations.succeeded = 0;
        assert!(notes(&[threshold("check(late)")], &early).is_empty());
        early.checks.insert("latee".to_owned(), Check::default());
        assert_eq!(notes(&[threshold("check(late)")], &early).len(), 1);
    }
}
