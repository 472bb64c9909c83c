//! The load of a trial.

use anyhow::bail;
use capacity::search::{Purpose, Quantity, Trial};
use engine::RunConfig;
use format::{amount, span};
use model::Nanos;
use plan::Grouping;
use serde_json::{Map, Value, json};

/// The largest number of users of a level.
const MOST_USERS: u32 = 1_000_000;
/// Bounds of a rate per second. A lower rate has too few values in any trial.
const RATES: (f64, f64) = (1.0, 1_000_000.0);
/// The first rate per second.
const FIRST_RATE: f64 = 10.0;
/// Ramp-up and warm-up time of a trial if the scenario declares none.
const RAMP: Nanos = Nanos::from_secs(1);
const WARM_UP: Nanos = Nanos::from_secs(1);

/// The parts of a load that are the same in all trials.
#[derive(Clone, Debug)]
pub(super) struct LoadShape {
    pub(super) quantity: Quantity,
    /// The scenario's `load`, without the amount and the duration.
    kept: Map<String, Value>,
    /// Number of users of a group, and the least number of users.
    pub(super) group_size: u32,
    least_users: u32,
    ramp: Nanos,
    warm_up: Nanos,
    /// The least and the largest number of connections of `bench`. In between, the rate sets the number.
    connections: Option<(u32, u32)>,
}

impl LoadShape {
    /// Reads the shape from the options of a scenario.
    pub(super) fn of(declared: &RunConfig, wanted: Option<Quantity>) -> anyhow::Result<Self> {
        let options = &declared.options;
        let load = declared.options_json.get("load").and_then(Value::as_object);
        let load = load.cloned().unwrap_or_default();
        let quantity = quantity(wanted, declared, &load)?;
        let has_rate = load.contains_key("rate");
        let ramps = quantity != Quantity::Rate;
        let declared_or = |name: &str, declared: Nanos, default| {
            if load.contains_key(name) {
                declared
            } else {
                default
            }
        };
        let ramp = declared_or(
            "ramp",
            options.load.ramp,
            if ramps { RAMP } else { Nanos::ZERO },
        );
        let warm_up = declared_or("warmup", options.load.warmup, WARM_UP);
        let mut kept = load;
        for name in ["rate", "duration", "once", "limit", "ramp", "warmup"] {
            kept.shift_remove(name);
        }
        // With a rate, `users` and `groups` limit the concurrency, and stay as they are.
        if !(quantity == Quantity::Rate && has_rate) {
            kept.shift_remove("users");
            kept.shift_remove("groups");
        }
        if quantity != Quantity::Rate {
            kept.shift_remove("arrivals");
        }
        Ok(Self {
            quantity,
            kept,
            group_size: options.grouping.size().unwrap_or(1),
            least_users: match options.grouping {
                Grouping::Count(groups) => groups,
                _ => 1,
            },
            ramp,
            warm_up,
            connections: None,
        })
    }

    /// Opens connections for one second of requests, within these bounds.
    pub(super) fn with_connections(self, least: u32, most: u32) -> Self {
        Self {
            connections: Some((least.min(most), most)),
            ..self
        }
    }

    /// The lowest and the highest load that can be tried.
    pub(super) fn range(&self) -> (f64, f64) {
        match self.quantity {
            Quantity::Rate => RATES,
            Quantity::Users => (self.least_users.into(), MOST_USERS.into()),
            Quantity::Groups => (1.0, (MOST_USERS / self.group_size).into()),
        }
    }

    /// The first load.
    pub(super) fn first(&self) -> f64 {
        match self.quantity {
            Quantity::Rate => FIRST_RATE,
            Quantity::Users | Quantity::Groups => self.range().0,
        }
    }

    /// The load that an option gives. Fails if the search cannot try it.
    pub(super) fn checked(&self, option: &str, load: f64) -> anyhow::Result<f64> {
        let (least, most) = self.range();
        let unit = match self.quantity {
            Quantity::Rate => "iterations per second",
            Quantity::Users => "users",
            Quantity::Groups => "groups",
        };
        if !(least..=most).contains(&load) {
            let (least, most) = (amount(least), amount(most));
            bail!("{option} {load}: a search can try {least} to {most} {unit}");
        }
        if self.quantity != Quantity::Rate && load.fract() != 0.0 {
            bail!("{option} {load}: the number of {unit} must be a whole number");
        }
        Ok(load)
    }

    /// The times of [`LoadShape::lead_s`], as options of the scenario.
    pub(super) fn lead(&self) -> String {
        let [ramp, warm_up] = [self.ramp, self.warm_up].map(|time| span(time.as_secs_f64()));
        format!("`ramp` ({ramp}) and `warmup` ({warm_up})")
    }

    /// Time of a trial before its measurement, in seconds.
    pub(super) fn lead_s(&self) -> f64 {
        (self.ramp + self.warm_up).as_secs_f64()
    }

    /// The usual ramp-up time of a trial, in seconds.
    pub(super) fn ramp_s(&self) -> f64 {
        self.ramp.as_secs_f64()
    }

    /// The `load` of a trial, as options.
    pub(super) fn at(&self, trial: &Trial) -> Value {
        let load = trial.load;
        let mut all = self.kept.clone();
        let mut set = |name: &str, value: Value| {
            all.insert(name.to_owned(), value);
        };
        match self.quantity {
            Quantity::Rate => set("rate", format!("{load}/s").into()),
            Quantity::Users => set("users", whole(load)),
            Quantity::Groups => set("groups", whole(load)),
        }
        if let (Quantity::Rate, Some((least, most))) = (self.quantity, self.connections) {
            set("users", whole(load.clamp(least.into(), most.into())));
        }
        set("duration", millis(trial.duration_s));
        // A recovery trial shows the state in which the failed trial left the target.
        if trial.purpose != Purpose::Recovery {
            set("ramp", millis(trial.ramp_s.unwrap_or(self.ramp_s())));
            set("warmup", millis(self.warm_up.as_secs_f64()));
        }
        Value::Object(all)
    }
}

fn quantity(
    wanted: Option<Quantity>,
    declared: &RunConfig,
    load: &Map<String, Value>,
) -> anyhow::Result<Quantity> {
    let grouping = &declared.options.grouping;
    let size = grouping.size();
    match wanted {
        Some(Quantity::Rate) => Ok(Quantity::Rate),
        Some(Quantity::Groups) if size.is_none() => {
            bail!(
                "--search groups: the options set the number of groups; search users, or declare `group`"
            )
        }
        Some(Quantity::Groups) => Ok(Quantity::Groups),
        Some(Quantity::Users) if size.is_some_and(|size| size > 1) => {
            bail!("--search users: users come in groups here; use --search groups")
        }
        None if load.contains_key("rate") => Ok(Quantity::Rate),
        None if load.contains_key("groups") || size.is_some_and(|size| size > 1) => {
            Ok(Quantity::Groups)
        }
        Some(Quantity::Users) | None => Ok(Quantity::Users),
    }
}

fn whole(load: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "loads are positive and at most a million"
    )]
    let number = load.ceil().min(MOST_USERS.into()) as u32;
    json!(number)
}

fn millis(seconds: f64) -> Value {
    format!("{:.0}ms", seconds * 1e3).into()
}

#[cfg(test)]
impl LoadShape {
    /// The shape of a load with `ramp` and `warmup` of this time each.
    pub(super) fn example(quantity: Quantity, group_size: u32, lead: Nanos) -> Self {
        Self {
            quantity,
            kept: Map::new(),
            group_size,
            least_users: 1,
            ramp: lead,
            warm_up: lead,
            connections: None,
        }
    }
}
