use kit::json::Object;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::schema::described;
use super::stored::stored;

/// The maximum amount. It is far above the amount of any trade, and so far below the 64-bit maximum that sums do not
/// overflow.
const MOST: i64 = 1_000_000_000_000;

/// An amount in minor units (cents), at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Amount(i64);

/// The number is not a valid amount.
#[derive(Debug, thiserror::Error)]
#[error("an amount must be 1 to {MOST} minor units, not {0}")]
pub(crate) struct AmountError(i64);

impl Amount {
    pub(crate) fn minor(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for Amount {
    type Error = AmountError;

    fn try_from(minor: i64) -> Result<Self, AmountError> {
        if (1..=MOST).contains(&minor) {
            return Ok(Self(minor));
        }
        Err(AmountError(minor))
    }
}

stored!(Amount, i64, |amount| amount.0, |stored| Ok(Amount(stored)));

described!(
    Amount,
    json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST, "description": "In minor units" })
);

/// A currency: its three-letter code (ISO 4217).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Currency(String);

/// The text is not a currency.
#[derive(Debug, thiserror::Error)]
#[error("a currency must be three capital letters, such as `EUR`")]
pub(crate) struct CurrencyError;

impl Currency {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Currency {
    type Error = CurrencyError;

    fn try_from(text: String) -> Result<Self, CurrencyError> {
        if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Ok(Self(text));
        }
        Err(CurrencyError)
    }
}

stored!(
    Currency,
    String,
    |currency| currency.0.clone(),
    |stored| Ok(Currency(stored))
);

described!(
    Currency,
    json_schema!({ "type": "string", "pattern": "^[A-Z]{3}$" })
);

/// An amount in a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Money {
    pub(crate) amount: Amount,
    pub(crate) currency: Currency,
}

/// The JSON form of [`Money`], for parsing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    amount: Amount,
    currency: Currency,
}

impl<'de> Deserialize<'de> for Money {
    /// Accepts objects only. A derived implementation would also accept arrays.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Object(Fields { amount, currency }) = Object::deserialize(deserializer)?;
        Ok(Self { amount, currency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_an_object_and_no_array_inside_of_another_object_either() {
        let read = |json: &str| serde_json::from_str::<Money>(json);
        assert_eq!(
            read(r#"{"amount":100,"currency":"EUR"}"#)
                .unwrap()
                .amount
                .minor(),
            100
        );
        for refused in [
            r#"[100,"EUR"]"#,
            r#"{"amount":100,"currency":"EUR","x":1}"#,
            "100",
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
