//! Whether the users of a closed load were ready when the measurement began.

use record::{Level, Note};

/// The share of the measured time that users may miss without a note.
const MISSED_MOST: f64 = 0.05;

/// A note about users who missed a part of the measured time.
pub(crate) fn note(level: &Level) -> Option<Note> {
    let missed = level.missed_share()?;
    (missed > MISSED_MOST).then(|| Note::NotReady {
        level: level.index,
        missed_percent: missed * 100.0,
        last_s: level.measured.presence.last.as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use model::Nanos;

    use super::*;

    fn level(missed_s: u64) -> Level {
        let mut level = Level::default();
        level.phases.duration_s = 10.0;
        level.measured.presence.users = 2;
        level.measured.presence.missed = Nanos::from_secs(missed_s);
        level
    }

    #[test]
    fn users_who_miss_more_than_a_twentieth_are_noted() {
        assert_eq!(note(&level(1)), None, "5 %");
        assert_eq!(note(&Level::default()), None, "nobody stays");
        let noted = note(&level(2));
        assert!(
            matches!(noted, Some(Note::NotReady { missed_percent, .. }) if (missed_percent - 10.0).abs() < 1e-9),
            "{noted:?}"
        );
    }

    #[test]
    fn users_of_an_open_load_come_and_go() {
        let mut open = level(10);
        open.load.rate_per_s = Some(5.0);
        assert_eq!(note(&open), None);
        let mut once = level(10);
        once.load.once = true;
        assert_eq!(note(&once), None);
    }
}
