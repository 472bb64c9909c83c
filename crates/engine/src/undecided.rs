//! Deliveries that decide no threshold: headcount cut them off, or the script looked for them in the wrong place.

use plan::{SubjectKind, Threshold};
use record::{CutOff, Deliveries, Level};

use crate::observe::observe;

/// How many deliveries of the level leave the threshold open: it would hold or not, depending on what had become of them.
/// 0: it is decided without them.
pub(crate) fn undecided(threshold: &Threshold, level: &Level) -> u64 {
    let name = threshold.subject.name.as_ref();
    let all = level.measured.deliveries.iter();
    let asked = all.filter(|(channel, _)| name.is_none_or(|name| name == *channel));
    let open: u64 = asked.map(|(_, one)| of_channel(one)).sum();
    if threshold.subject.kind != SubjectKind::Delivery || open == 0 {
        return 0;
    }
    let fates: [fn(&mut Deliveries, u64); 3] = [
        |all, open| all.delivered += open,
        |all, open| all.late += open,
        |all, open| *all.lost.entry(String::new()).or_default() += open,
    ];
    let held = fates.map(|fate| {
        let mut level = level.clone();
        for all in level.measured.deliveries.values_mut() {
            let open = of_channel(all);
            let lost = all.lost_count().saturating_sub(all.lost_by_script());
            all.lost = [(String::new(), lost)].into();
            all.cut_off = CutOff::default();
            (all.misplaced, all.own_copies) = Default::default();
            fate(all, open);
        }
        observe(threshold, &level).map(|value| threshold.holds(value))
    });
    if held.iter().all(|one| *one == held[0]) {
        0
    } else {
        open
    }
}

fn of_channel(deliveries: &Deliveries) -> u64 {
    deliveries.cut_off.count() + deliveries.lost_by_script()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Threshold;

    fn level(delivered: u64, lost: u64, cut_off: u64) -> Level {
        let deliveries = Deliveries {
            messages: 100,
            expected: delivered + lost + cut_off,
            delivered,
            lost: [("never seen".to_owned(), lost)].into(),
            cut_off: CutOff {
                iteration_failed: cut_off,
                ..CutOff::default()
            },
            ..Deliveries::default()
        };
        let mut level = Level::default();
        level
            .measured
            .deliveries
            .insert("said".to_owned(), deliveries);
        level
    }

    fn of(condition: &str, level: &Level) -> u64 {
        let subject = plan::Subject::parse("delivery(said)").unwrap();
        undecided(&Threshold::parse(&subject, condition).unwrap(), level)
    }

    #[test]
    fn what_arrived_where_nobody_looks_is_not_held_against_the_target() {
        let mut wrong = level(0, 100, 0);
        let all = |level: &mut Level| level.measured.deliveries["said"].clone();
        let mut said = all(&mut wrong);
        said.misplaced.lost = 100;
        wrong
            .measured
            .deliveries
            .insert("said".to_owned(), said.clone());
        assert_eq!(of("lost == 0", &wrong), 100);
        assert_eq!(of("delivered >= 99%", &wrong), 100);
        said.misplaced.lost = 0;
        said.own_copies = record::OwnCopies {
            expected: 100,
            lost: 100,
        };
        wrong.measured.deliveries.insert("said".to_owned(), said);
        assert_eq!(of("lost == 0", &wrong), 100);
        let mut fault = level(90, 10, 0);
        let mut said = all(&mut fault);
        said.misplaced.lost = 10;
        fault.measured.deliveries.insert("said".to_owned(), said);
        assert_eq!(
            of("lost == 0", &fault),
            0,
            "most came where the channel looks"
        );
    }

    #[test]
    fn what_was_cut_off_leaves_open_only_what_it_could_have_changed() {
        assert_eq!(of("lost == 0", &level(100, 0, 0)), 0);
        assert_eq!(of("lost == 0", &level(90, 0, 10)), 10);
        assert_eq!(
            of("lost == 0", &level(80, 10, 10)),
            0,
            "broken whatever the rest is"
        );
        assert_eq!(
            of("lost < 20%", &level(90, 0, 10)),
            0,
            "held whatever the rest is"
        );
        assert_eq!(of("delivered >= 95%", &level(90, 0, 10)), 10);
        assert_eq!(of("late == 0", &level(90, 0, 10)), 10);
        assert_eq!(of("duplicated == 0", &level(90, 0, 10)), 0);
    }
}
