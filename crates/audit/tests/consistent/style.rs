//! Prints numbers as people and tools do.

use crate::common::Definition;
use crate::world::Dice;

#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    HalfUp,
    HalfEven,
    CutOff,
}

/// The way in which a person or tool prints numbers.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    rounding: Rounding,
    /// Number of significant digits. `None`: `decimals` applies.
    significant: Option<i32>,
    decimals: i32,
    percent_digits: i32,
    unit: &'static str,
    pub(crate) definition: Definition,
}

impl Style {
    pub(crate) fn any(dice: &mut Dice) -> Self {
        let kind = 1 + dice.below(9) as u8;
        Self {
            rounding: dice.among(&[Rounding::HalfUp, Rounding::HalfEven, Rounding::CutOff]),
            significant: dice.chance(0.5).then(|| dice.among(&[2, 3, 4])),
            decimals: dice.among(&[0, 1, 2, 3]),
            percent_digits: dice.among(&[0, 1, 2, 3]),
            unit: dice.among(&["", "ms", "s", "us", "fitting"]),
            definition: dice.among(&[
                Definition::HyndmanFan(kind),
                Definition::Index,
                Definition::Hdr,
            ]),
        }
    }

    /// Prints a number with this number of decimals. A negative number rounds to tens, hundreds and so on.
    pub(crate) fn digits(self, value: f64, decimals: i32) -> String {
        let scale = 10f64.powi(decimals);
        // Removes the binary rounding error, so that a decimal number that ends in 5 is rounded as a tie.
        let units = (value * scale * 1e9).round() / 1e9;
        let rounded = match self.rounding {
            Rounding::CutOff => units.floor(),
            Rounding::HalfUp => (units + 0.5).floor(),
            Rounding::HalfEven => units.round_ties_even(),
        };
        let places = decimals.max(0) as usize;
        format!("{:.places$}", rounded / scale)
    }

    pub(crate) fn number(self, value: f64) -> String {
        match self.significant {
            Some(digits) if value > 0.0 => {
                self.digits(value, digits - 1 - value.log10().floor() as i32)
            }
            _ => self.digits(value, self.decimals),
        }
    }

    pub(crate) fn percent(self, value: f64) -> String {
        self.digits(value, self.percent_digits)
    }

    pub(crate) fn time(self, ms: f64, form_unit: &str) -> String {
        let unit = match self.unit {
            "" => form_unit,
            "fitting" if ms >= 1000.0 => "s",
            "fitting" if ms < 1.0 => "us",
            "fitting" => "ms",
            unit => unit,
        };
        let scale = match unit {
            "s" => 1e-3,
            "us" => 1e3,
            _ => 1.0,
        };
        let shown = if self.unit.is_empty() { "" } else { unit };
        format!("\"{}{shown}\"", self.number(ms * scale))
    }

    /// Prints a count exactly, or marks it as rounded.
    pub(crate) fn count(self, value: u64, dice: &mut Dice) -> String {
        if dice.chance(0.9) || value < 100 {
            return value.to_string();
        }
        let about = Self {
            significant: Some(3),
            ..self
        };
        if dice.chance(0.5) || value < 10_000 {
            format!("\"~{}\"", about.number(value as f64))
        } else {
            format!("\"{}k\"", about.digits(value as f64 / 1e3, 1))
        }
    }
}
