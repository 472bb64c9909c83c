use serde::{Deserialize, Serialize};

use crate::limiter::RateLimiter;

/// Why the target stops where it does: one cause out of a closed list, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The cause, with its figures.
    #[serde(flatten)]
    pub cause: Cause,
    /// How certain it is.
    pub confidence: Confidence,
    /// The levels that show it, counted from 0.
    pub levels: Vec<usize>,
    /// Those of them in which most failures are due to it: they do not show the target's capacity.
    pub limits: Vec<usize>,
    /// The observations that it rests on.
    pub evidence: Vec<Evidence>,
    /// Questions that the measurement leaves open.
    pub unknown: Vec<Unknown>,
    /// What to do next.
    pub advice: Vec<Advice>,
}

/// The closed list of causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", content = "figures", rename_all = "snake_case")]
pub enum Cause {
    /// The target, or something in front of it, limits the rate of requests.
    RateLimiter(RateLimiter),
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        what: String,
    },
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It fits, and other causes fit nearly as well.
    Low,
    /// Other causes would be a coincidence.
    High,
    /// The target states it, and the counts agree.
    Certain,
}

impl Confidence {
    /// As people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
            Self::Certain => "certain",
        }
    }
}

/// An observation that a finding rests on. Times are in seconds since the start of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Evidence {
    /// A header of the 429s states a limit.
    LimitStated {
        /// Its name.
        header: String,
        /// Requests.
        limit: f64,
        /// Per this many seconds.
        window_s: Option<f64>,
    },
    /// Some requests passed, and then none.
    Stopped {
        /// How many passed.
        passed: f64,
        /// Until when.
        until_s: f64,
        /// How many were refused from then on.
        refused: u64,
        /// When the last of them was.
        last_s: f64,
    },
    /// Some requests passed, then none, again and again.
    Repeated {
        /// How many passed each time.
        passed: f64,
        /// From one beginning to the next.
        period_s: f64,
        /// How often that was seen from beginning to end.
        times: u64,
    },
    /// Requests passed at a steady rate beside those that were refused.
    SteadyRate {
        /// How many per second.
        per_s: f64,
        /// How many more passed at the beginning than that rate explains.
        burst: f64,
        /// The rate varies less than chance explains.
        regular: bool,
        /// After the first burst none passed until then.
        reopened_s: Option<f64>,
        /// For how many seconds it was seen.
        seconds: u64,
    },
    /// All `Retry-After` headers point to the same time.
    SameResetTime {
        /// That time.
        at_s: f64,
    },
    /// `Retry-After` headers said how long to wait.
    RetryAfter {
        /// The longest wait.
        longest_s: f64,
    },
    /// A header names a partition, so the limiter does not count all requests together.
    PartitionNamed,
    /// The number that passed in a window fits the stated limit.
    FitsStatedLimit {
        /// How many passed.
        passed: f64,
        /// The stated limit.
        limit: f64,
        /// Users who asked.
        users: u64,
        /// Source addresses that they used.
        addresses: u64,
    },
    /// Each user, or each address, passed about equally often, however often it asked.
    PassedAlike {
        /// What is counted.
        per: LimitKey,
        /// The fewest passes of one.
        least: f64,
        /// The most.
        most: f64,
    },
    /// Users, or addresses, that were refused passed unequally often.
    PassedUnequally {
        /// What is counted.
        per: LimitKey,
        /// The fewest passes of one.
        least: f64,
        /// The most.
        most: f64,
    },
    /// Another level with another number of users passed more, or as much.
    OtherLevel {
        /// Users of that level.
        users: u64,
        /// Users of this level.
        than_users: u64,
        /// Its rate as a multiple of this level's.
        times: f64,
    },
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

/// A question that the measurement leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Unknown {
    /// Whether the limiter counts by address or all requests together.
    AddressOrAll {
        /// Why that is open.
        because: Option<OneAddress>,
    },
    /// Whether the limiter counts by user.
    ByUser {
        /// Users who were refused.
        refused: u64,
    },
    /// The length of the window, but that it is longer than this.
    WindowLongerThan {
        /// Seconds.
        seconds: f64,
    },
    /// The length of the window, since requests pass evenly.
    Window,
    /// Whether windows are fixed or sliding, or it is a token bucket.
    Algorithm,
    /// How many requests pass in a window.
    Requests,
    /// Whether other routes are limited too.
    OtherRoutes {
        /// Routes that were refused.
        refused: Vec<String>,
        /// A route that was not refused; `None` where no other was asked.
        free: Option<String>,
    },
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

/// Why addresses could not be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OneAddress {
    /// All users came from one address.
    Used,
    /// Only users of one address were refused.
    Refused,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Advice {
    /// Exempt the generator's addresses from the limiter.
    ExemptGenerator,
    /// Use more source addresses.
    MoreAddresses {
        /// The target is on this machine, where loopback has addresses enough.
        loopback: bool,
        /// How many this load needs, at least.
        needed: Option<f64>,
    },
    /// Use more users, or let each ask less often.
    MoreUsers,
    /// Stay below the limit.
    StayBelow {
        /// Requests per minute.
        per_minute: f64,
        /// Of each of these; `None` where that is not known.
        per: Option<LimitKey>,
    },
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

/// What a limiter keeps a count for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKey {
    /// All requests together.
    All,
    /// Each source address.
    Address,
    /// Each user.
    User,
}
