use serde::{Deserialize, Serialize};

/// A question that the measurement leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Unknown {
    /// Whether the limiter counts requests per address, or all requests together.
    AddressOrAll {
        /// Why addresses could not be distinguished.
        because: Option<OneAddress>,
    },
    /// Whether the limiter counts requests per user.
    ByUser {
        /// Number of users that were refused.
        refused: u64,
    },
    /// The exact length of the window, of which only a lower bound is known.
    WindowLongerThan {
        /// Lower bound in seconds.
        seconds: f64,
    },
    /// The length of the window, which cannot be observed if requests pass evenly.
    Window,
    /// Whether a single worker paces the responses instead of a limiter.
    OneWorker {
        /// The time that the worker would take for each request, in seconds.
        seconds: f64,
    },
    /// Whether the limiter uses fixed windows, sliding windows or a token bucket.
    Algorithm,
    /// The number of requests that pass in a window.
    Requests,
    /// Whether other routes are limited too.
    OtherRoutes {
        /// Routes that were refused.
        refused: Vec<String>,
        /// A route that was not refused. `None` if no other was requested.
        free: Option<String>,
    },
    /// Whether the thread is busy without load too, because no level with a smaller load was measured.
    BusyWithoutLoad,
    /// Whether the target would use more cores if it had them.
    WouldUseMoreCores,
    /// Whether the growth ends: caches and pools grow at first, too.
    GrowthEnds,
    /// Which resource has this number of places.
    WhatHasPlaces,
    /// What stops the target at these times.
    WhatStalls,
    /// Whether the operation belongs to the set-up of an iteration, or to what is to be tested.
    PartOfTheTest,
    /// What the threads wait for.
    WhatIsShared,
    /// What limits writing to one thread at a time.
    WhyOneWriter,
    /// Whether the upstream service could serve more connections.
    UpstreamCapacity,
    /// Whether the others wait for the slow receivers, or only become slow at the same load.
    WaitsForSlowReceivers,
    /// Whether the sessions end later by themselves.
    SessionsExpire,
    /// Whether the scenario or the target tries again.
    WhoRetries,
    /// Whether work of this duration explains the delay.
    WorkOfThisTime,
    /// Whether the scenario itself chooses equal values.
    SameValuesSent,
    /// Whether the target itself or a component in front of it has the timeout.
    WhoseTimeout,
    /// The question as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

/// Why addresses could not be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OneAddress {
    /// All users came from one address.
    Used,
    /// Only users of one address were refused.
    Refused,
}
