//! Words for the questions that a finding leaves open.

use record::Unknown;

use crate::words::limiter;

/// Formats a question that the measurement leaves open.
pub(crate) fn unknown(open: &Unknown) -> String {
    match open {
        Unknown::BusyWithoutLoad => {
            "whether it is as busy at a smaller load (none was measured)".to_owned()
        }
        Unknown::WouldUseMoreCores => {
            "whether the target would use more than one core if it had them".to_owned()
        }
        Unknown::GrowthEnds => "whether the growth ends (caches and pools grow at first)".to_owned(),
        Unknown::WhatHasPlaces => {
            "what has this number of places: a connection pool, threads that wait, a semaphore, or a lock".to_owned()
        }
        Unknown::WhatStalls => {
            "what stops the target: a garbage collector, a scheduled job, a flush to disk".to_owned()
        }
        Unknown::WhoseTimeout => {
            "whether the target itself, or a component in front of it or behind it, has the timeout".to_owned()
        }
        Unknown::AddressOrAll { .. }
        | Unknown::ByUser { .. }
        | Unknown::WindowLongerThan { .. }
        | Unknown::Window
        | Unknown::Algorithm
        | Unknown::Requests
        | Unknown::OtherRoutes { .. }
        | Unknown::Text { .. } => limiter::unknown(open),
    }
}
