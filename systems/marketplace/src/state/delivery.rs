use super::machine::{Party, Rule, Stateful, rule};
use crate::types::words::words;

words! {
    /// The state of a delivery.
    DeliveryState {
        /// The trade is paid, but the goods have not been sent.
        Pending = "pending",
        /// The goods have been sent.
        Shipped = "shipped",
        /// The goods have arrived, according to the seller.
        Delivered = "delivered",
        /// The delivery is confirmed, by the buyer, the clock or the end of a dispute.
        Confirmed = "confirmed",
        /// The delivery is stopped, because the buyer got the money back.
        Stopped = "stopped",
    }
}

words! {
    /// The actions on a delivery.
    DeliveryAction {
        Ship = "ship",
        Deliver = "deliver",
        Confirm = "confirm",
        Stop = "stop",
    }
}

use DeliveryAction as Do;
use DeliveryState as In;
use Party::{Buyer, Clock, Market, Seller};

impl Stateful for DeliveryState {
    type Action = DeliveryAction;
    const SUBJECT: &'static str = "delivery";
    const RULES: &'static [Rule<Self, DeliveryAction>] = &[
        rule(In::Pending, Do::Ship, &[Seller], In::Shipped),
        rule(In::Pending, Do::Deliver, &[Seller], In::Delivered), // handed over in person, or nothing to ship
        rule(In::Shipped, Do::Deliver, &[Seller], In::Delivered),
        rule(
            In::Shipped,
            Do::Confirm,
            &[Buyer, Clock, Market],
            In::Confirmed,
        ),
        rule(
            In::Delivered,
            Do::Confirm,
            &[Buyer, Clock, Market],
            In::Confirmed,
        ),
        rule(In::Pending, Do::Confirm, &[Market], In::Confirmed), // a dispute that the seller won
        rule(In::Pending, Do::Stop, &[Market], In::Stopped),
        rule(In::Shipped, Do::Stop, &[Market], In::Stopped),
        rule(In::Delivered, Do::Stop, &[Market], In::Stopped),
    ];

    fn word(self) -> &'static str {
        Self::word(self)
    }

    fn action(action: DeliveryAction) -> &'static str {
        action.word()
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::assert_sound;
    use super::*;

    #[test]
    fn every_state_is_reached_and_every_step_is_told_once() {
        assert_sound(DeliveryState::ALL, DeliveryState::Pending);
    }

    #[test]
    fn what_is_confirmed_or_stopped_stays_so() {
        for end in [In::Confirmed, In::Stopped] {
            assert!(
                Party::ALL
                    .iter()
                    .all(|party| end.allowed(*party).is_empty())
            );
        }
    }
}
