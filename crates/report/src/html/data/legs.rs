//! The segments of a rate profile, which the time axis marks.

use format::set_rate;
use plan::RateProfile;
use plan::rate_profile::RateSegment;
use record::Level;
use serde::Serialize;

/// Largest number of segments that are marked. More would be a grey area.
const MOST: usize = 60;

/// A segment of a rate profile.
#[derive(Serialize)]
pub(super) struct Leg {
    /// Start in seconds since the start of the level.
    start_s: f64,
    /// The planned rate: `60/s`, `20/s to 60/s`.
    name: String,
}

impl Leg {
    /// Returns the segments of a level. Empty for a constant rate, and for a closed load.
    pub(super) fn all(level: &Level) -> Vec<Self> {
        let profile = level.load.rate.as_deref().map(RateProfile::parse);
        let Some(Ok(RateProfile::Segments(segments))) = profile else {
            return Vec::new();
        };
        if segments.len() > MOST {
            return Vec::new();
        }
        // During ramp-up and warm-up, the rate is that of the start.
        let mut start_s = level.phases.ramp_s + level.phases.warmup_s;
        let leg = |segment: RateSegment| {
            let leg = Self {
                start_s,
                name: name(segment),
            };
            start_s += segment.lasts.as_secs_f64();
            leg
        };
        segments.into_iter().map(leg).collect()
    }
}

fn name(segment: RateSegment) -> String {
    let (from, to) = (segment.from, segment.to);
    match () {
        () if from <= 0.0 && to <= 0.0 => "nothing".to_owned(),
        () if (from - to).abs() < f64::EPSILON => set_rate(from),
        () => format!("{} to {}", set_rate(from), set_rate(to)),
    }
}

#[cfg(test)]
mod tests {
    use record::{Load, Phases};

    use super::*;

    #[test]
    fn the_legs_of_a_rate_profile_begin_after_the_warm_up() {
        let level = |rate: &str| Level {
            load: Load {
                rate: Some(rate.to_owned()),
                ..Load::default()
            },
            phases: Phases {
                warmup_s: 2.0,
                ..Phases::default()
            },
            ..Level::default()
        };
        let legs = Leg::all(&level("20/s for 4s, 20/s to 60/s over 10s, nothing for 5s"));
        let found: Vec<(f64, &str)> = legs.iter().map(|leg| (leg.start_s, &*leg.name)).collect();
        let wanted = [(2.0, "20/s"), (6.0, "20/s to 60/s"), (16.0, "nothing")];
        assert_eq!(found, wanted);
        assert!(Leg::all(&level("20/s")).is_empty());
        assert!(Leg::all(&Level::default()).is_empty());
    }
}
