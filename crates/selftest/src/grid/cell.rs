use serde_json::{Value, json};

use super::dice::Dice;
use super::kind::{FAULTS, Fault, KINDS, Kind, Load, Shape};
use super::parameters::{Parameters, WARM_UP};
use super::thresholds::{Threshold, thresholds};

/// One short run: a kind of scenario, a kind of misbehaviour, and a seed for everything else.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    pub(crate) fault: Fault,
    pub(crate) seed: u64,
    pub(crate) parameters: Parameters,
    /// The thresholds of the cell. Empty for `bench`, which has none.
    pub(crate) thresholds: Vec<Threshold>,
}

impl Cell {
    pub(crate) fn new(kind: Kind, fault: Fault, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let parameters = Parameters::new(&kind, fault, &mut dice);
        let thresholds = if kind.is_bench {
            Vec::new()
        } else {
            thresholds(&kind, &parameters, &mut dice)
        };
        Self {
            kind,
            fault,
            seed,
            parameters,
            thresholds,
        }
    }

    /// Returns the name, with which `--only NAME` repeats the cell.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}/{}", self.kind.name, self.fault.name(), self.seed)
    }

    /// Returns the cell called `name`. `None` if the name is incomplete.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut parts = name.split('/');
        let (kind, fault, seed) = (parts.next()?, parts.next()?, parts.next()?);
        let kind = KINDS.iter().find(|known| known.name == kind)?;
        let (fault, _) = FAULTS.iter().find(|(_, known)| *known == fault)?;
        Some(Self::new(*kind, *fault, seed.parse().ok()?))
    }

    /// Returns the warm-up before the measurement, in milliseconds.
    pub(crate) fn warm_up(&self) -> u64 {
        if self.kind.is_bench && self.kind.load != Load::Once {
            WARM_UP
        } else {
            0
        }
    }

    /// Returns the configuration of the server's fault.
    pub(crate) fn order(&self) -> Value {
        let p = &self.parameters;
        let fault = match self.fault {
            Fault::Healthy => "healthy",
            Fault::Frozen
            | Fault::PartlyFrozen
            | Fault::Stalled
            | Fault::Silent
            | Fault::PartlySilent => "frozen",
            Fault::AcceptClose | Fault::PartlyAcceptClose => "accept_close",
            Fault::WrongProtocol | Fault::PartlyWrongProtocol => "wrong_protocol",
            Fault::DropAll | Fault::DropSome => "drop",
            Fault::Close => "close",
            Fault::Reset => "reset",
            Fault::Truncate => "truncate",
            Fault::ErrorAll | Fault::ErrorSome => "error",
            Fault::GrpcError => "grpc_error",
            Fault::Late | Fault::TooLate => "late",
            Fault::Drip => "drip",
            Fault::Duplicate => "duplicate",
            Fault::Swap => "swap",
            Fault::Stray => "stray",
        };
        json!({ "delay_ms": p.delay, "fault": fault, "each": p.each, "at_ms": p.at, "ms": p.span })
    }

    /// Returns the options of the scenario.
    pub(crate) fn options(&self) -> Value {
        let p = &self.parameters;
        let ms = |time: u64| format!("{time}ms");
        let load = match self.kind.load {
            Load::Closed => json!({ "users": p.users, "duration": ms(p.duration) }),
            Load::Open => json!({ "rate": format!("{}/s", p.rate), "duration": ms(p.duration) }),
            Load::Once => json!({ "users": p.users, "once": true }),
        };
        let mut thresholds = serde_json::Map::new();
        for threshold in &self.thresholds {
            let entry = thresholds
                .entry(threshold.subject())
                .or_insert_with(|| json!([]));
            if let Some(list) = entry.as_array_mut() {
                list.push(threshold.condition().into());
            }
        }
        json!({
            "group": if self.kind.shape == Shape::Room { 3 } else { 1 },
            "load": load,
            "thresholds": thresholds,
            "timeouts": { "connect": ms(p.timeout), "total": ms(p.timeout) },
            "deadline": ms(p.deadline),
            "settle": ms(p.settle),
        })
    }

    /// Returns the parameters that the scenario reads in addition to its options.
    pub(crate) fn script_parameters(&self) -> Value {
        let p = &self.parameters;
        let count = match (self.kind.load, self.kind.shape) {
            (Load::Once, _) => p.count,
            (Load::Open, Shape::Room) => 3,
            (Load::Open, _) | (_, Shape::Request) => 1,
            (Load::Closed, _) => 1_000_000,
        };
        json!({
            "isSocketIo": self.kind.protocol == super::kind::Protocol::SocketIo,
            "method": if self.kind.is_idempotent { "GET" } else { "POST" },
            "count": count,
            "ticks": self.kind.load == Load::Closed,
            "period": p.period,
        })
    }
}
