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
        Unknown::PartOfTheTest => {
            "whether this is part of what the test is to show, or only prepares it".to_owned()
        }
        Unknown::WhatIsShared => {
            "what the threads wait for: a lock of the runtime (such as Python's), or one of the program".to_owned()
        }
        Unknown::WhyOneWriter => {
            "whether the store (such as SQLite), or a lock or queue of the program, allows only one writer at a time"
                .to_owned()
        }
        Unknown::UpstreamCapacity => {
            "whether the upstream service would do more with more connections".to_owned()
        }
        Unknown::WaitsForSlowReceivers => {
            "whether the others wait for the slow receivers, or only become slow at the same load".to_owned()
        }
        Unknown::SessionsExpire => "whether the sessions expire later by themselves".to_owned(),
        Unknown::WhoRetries => {
            "whether the scenario tries again, or a client of the target's own".to_owned()
        }
        Unknown::WorkOfThisTime => {
            "whether some responses need work that takes just this time".to_owned()
        }
        Unknown::SameValuesSent => {
            "whether the scenario itself sends equal values at the same time".to_owned()
        }
        Unknown::AddressOrAll { .. }
        | Unknown::ByUser { .. }
        | Unknown::WindowLongerThan { .. }
        | Unknown::Window
        | Unknown::OneWorker { .. }
        | Unknown::Algorithm
        | Unknown::Requests
        | Unknown::OtherRoutes { .. }
        | Unknown::Text { .. } => limiter::unknown(open),
    }
}
