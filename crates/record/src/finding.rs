use serde::{Deserialize, Serialize};

use crate::limiter::{LimitKey, RateLimiter};

/// An explanation of why the target's performance stops growing: a cause from a closed list, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The cause, with its figures.
    #[serde(flatten)]
    pub cause: Cause,
    /// Confidence in the cause.
    pub confidence: Confidence,
    /// Indices of the levels that show the cause, from 0.
    pub levels: Vec<usize>,
    /// Indices of the levels in which the cause explains most failures. These levels do not show the target's capacity.
    pub limits: Vec<usize>,
    /// Observations that support the cause.
    pub evidence: Vec<Evidence>,
    /// Questions that the measurement leaves open.
    pub unknown: Vec<Unknown>,
    /// Next steps.
    pub advice: Vec<Advice>,
}

/// The closed list of causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", content = "figures", rename_all = "snake_case")]
pub enum Cause {
    /// The target, or a component in front of it, limits the rate of requests.
    RateLimiter(RateLimiter),
    /// The cause as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        what: String,
    },
}

/// Confidence in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The cause fits the figures, but other causes fit nearly as well.
    Low,
    /// The cause fits the figures so well that any other cause would be a coincidence.
    High,
    /// The target states the cause, and the counts agree.
    Certain,
}

impl Confidence {
    /// The word for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
            Self::Certain => "certain",
        }
    }
}

/// An observation that supports a finding. Times are in seconds since the start of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Evidence {
    /// A header of the 429 responses states a limit.
    LimitStated {
        /// Name of the header.
        header: String,
        /// Number of requests that the limit allows.
        limit: f64,
        /// Length of the window in seconds.
        window_s: Option<f64>,
    },
    /// Some requests passed, and from then on none.
    Stopped {
        /// Number of requests that passed.
        passed: f64,
        /// Time of the first refusal.
        until_s: f64,
        /// Number of requests refused from then on.
        refused: u64,
        /// Time of the last refusal.
        last_s: f64,
    },
    /// Repeatedly, some requests passed and then none.
    Repeated {
        /// Number of requests that passed each time.
        passed: f64,
        /// Time from the start of one period to the start of the next.
        period_s: f64,
        /// Number of complete periods observed.
        times: u64,
    },
    /// Requests passed at a steady rate while others were refused.
    SteadyRate {
        /// The rate per second.
        per_s: f64,
        /// Number of requests beyond that rate that passed at the beginning.
        burst: f64,
        /// Whether the rate varies less than chance explains.
        regular: bool,
        /// Time until which no further request passed after the first burst.
        reopened_s: Option<f64>,
        /// Length of the observation in seconds.
        seconds: u64,
    },
    /// All `Retry-After` headers point to the same reset time.
    SameResetTime {
        /// The reset time.
        at_s: f64,
    },
    /// `Retry-After` headers stated how long to wait.
    RetryAfter {
        /// The longest wait in seconds.
        longest_s: f64,
    },
    /// A header names a partition, so different requests count against different limits.
    PartitionNamed,
    /// The number of requests that passed in a window fits the stated limit.
    FitsStatedLimit {
        /// Number of requests that passed.
        passed: f64,
        /// The stated limit.
        limit: f64,
        /// Number of users that sent requests.
        users: u64,
        /// Number of source addresses that these users used.
        addresses: u64,
    },
    /// Equally many requests passed for all users or addresses, approximately, no matter how many they sent.
    PassedAlike {
        /// Whether users or addresses are compared.
        per: LimitKey,
        /// Smallest number of requests that passed for one user or address.
        least: f64,
        /// Largest number of requests that passed for one user or address.
        most: f64,
    },
    /// The number of passed requests differs between the refused users, or between the refused addresses.
    PassedUnequally {
        /// Whether users or addresses are compared.
        per: LimitKey,
        /// Smallest number of requests that passed for one user or address.
        least: f64,
        /// Largest number of requests that passed for one user or address.
        most: f64,
    },
    /// In a level with another number of users, requests passed at the same rate or at a higher rate.
    OtherLevel {
        /// Number of users of that level.
        users: u64,
        /// Number of users of this level.
        than_users: u64,
        /// Rate of that level as a multiple of this level's rate.
        times: f64,
    },
    /// The evidence as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

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

/// A next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Advice {
    /// Exempt the generator's addresses from the limiter.
    ExemptGenerator,
    /// Use more source addresses.
    MoreAddresses {
        /// Whether the target is on this machine, where loopback has enough addresses.
        loopback: bool,
        /// Minimum number of addresses that this load needs.
        needed: Option<f64>,
    },
    /// Use more users, or send fewer requests per user.
    MoreUsers,
    /// Stay below the limit.
    StayBelow {
        /// Requests per minute.
        per_minute: f64,
        /// Key by which the limit counts requests. `None` if unknown.
        per: Option<LimitKey>,
    },
    /// The advice as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}
