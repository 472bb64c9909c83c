//! Measurements on their way from an agent, with what the saved format leaves out: the positions of steps.

use record::Measured;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[expect(clippy::borrowed_box, reason = "serde passes a reference to the field")]
pub(crate) fn serialize<S: Serializer>(
    measured: &Box<Measured>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let steps = measured.funnel.steps.iter();
    let places: Vec<u64> = steps.map(|step| step.places).collect();
    (places, measured).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Box<Measured>, D::Error> {
    let (places, mut measured) = <(Vec<u64>, Box<Measured>)>::deserialize(deserializer)?;
    for (step, places) in measured.funnel.steps.iter_mut().zip(places) {
        step.places = places;
    }
    Ok(measured)
}
