use format::{percent, seconds};
use record::Note;

/// Formats the note as one sentence without a full stop.
pub fn note(note: &Note) -> String {
    match note {
        Note::Aborted { level, threshold } => {
            format!(
                "aborted in level {}: {threshold} can no longer hold",
                level + 1
            )
        }
        Note::UnknownName {
            subject,
            nearest,
            measured,
        } => unknown_name(subject, nearest.as_deref(), measured),
        Note::NotMeasured { subject, in_setup } => not_measured(subject, *in_setup),
        Note::OutsideMeasurement { names } => outside(names),
        Note::LeftoversUnknown { url, error } => {
            format!("state left from an earlier run could not be queried at {url}: {error}")
        }
        Note::NotReady {
            level,
            missed_percent,
            last_s,
        } => format!(
            "in level {}, users missed {} of the measured time on average, because they called `stay()` up to {} after it had \
             begun: if they were still connecting, use a longer `ramp` or `warmup`",
            level + 1,
            percent(*missed_percent),
            seconds(*last_s)
        ),
        Note::EndedEarly { error } => format!("the run ended early: {error}"),
        Note::Text { text } => text.clone(),
    }
}

fn unknown_name(subject: &str, nearest: Option<&str>, measured: &[String]) -> String {
    let hint = match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None if measured.is_empty() => String::new(),
        None => {
            let names: Vec<String> = measured.iter().map(|name| format!("`{name}`")).collect();
            format!(": measured names are {}", names.join(", "))
        }
    };
    format!("the threshold on {subject} matches nothing in the first level{hint}")
}

fn outside(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "in no figure, because it happened only outside the measured time (in ramp-up, warm-up or settling): {}{more}",
        shown.join(", ")
    )
}

fn not_measured(subject: &str, in_setup: bool) -> String {
    if in_setup {
        return format!(
            "the threshold on {subject} has no data: it happens only in `setup`, which is in no level's figures"
        );
    }
    format!(
        "the threshold on {subject} has no data: in the first level, it happened only outside the measured time; set \
         `ramp` and `warmup` to 0s, or do it again in the measured time"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_outside_the_measured_time_the_first_are_listed() {
        let names = |count: usize| (0..count).map(|one| format!("GET /{one}")).collect();
        let said = |count| {
            note(&Note::OutsideMeasurement {
                names: names(count),
            })
        };
        assert!(said(1).ends_with("settling): `GET /0`"), "{}", said(1));
        assert!(said(7).ends_with("`GET /4` and 2 more"), "{}", said(7));
    }

    #[test]
    fn users_who_were_not_ready_are_told_with_what_they_missed_and_what_helps() {
        let said = note(&Note::NotReady {
            level: 1,
            missed_percent: 48.2,
            last_s: 3.25,
        });
        assert!(
            said.starts_with("in level 2, users missed 48.2 % of the measured time on average"),
            "{said}"
        );
        assert!(said.contains("up to 3.25 s after it had begun"), "{said}");
        assert!(said.contains("a longer `ramp`"), "{said}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_names_there_are() {
        let said = |nearest: Option<&str>, measured: &[&str]| {
            note(&Note::UnknownName {
                subject: "request(a)".to_owned(),
                nearest: nearest.map(str::to_owned),
                measured: measured.iter().map(|&name| name.to_owned()).collect(),
            })
        };
        let start = "the threshold on request(a) matches nothing in the first level";
        assert_eq!(
            said(Some("b"), &["b", "c"]),
            format!("{start}: did you mean `b`?")
        );
        assert_eq!(
            said(None, &["b", "c"]),
            format!("{start}: measured names are `b`, `c`")
        );
        assert_eq!(said(None, &[]), start);
    }
}
