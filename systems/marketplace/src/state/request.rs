use super::machine::{Party, Rule, Stateful, rule};
use crate::types::words::words;

words! {
    /// The state of a purchase request.
    RequestState {
        /// Sellers may make offers.
        Open = "open",
        /// An offer was selected, and the payment is due.
        Selected = "selected",
        /// The money is in escrow.
        Paid = "paid",
        /// The seller has reported the delivery.
        Delivering = "delivering",
        /// The trade is over. The seller got the money, or a part of it after a dispute.
        Completed = "completed",
        /// The request was cancelled before payment.
        Cancelled = "cancelled",
        /// The time limit for selecting an offer or for paying has passed.
        Expired = "expired",
        /// The trade is in dispute. An admin decides about the money.
        Disputed = "disputed",
        /// The trade is over. The buyer got the money back.
        Refunded = "refunded",
    }
}

words! {
    /// The actions on a purchase request.
    RequestAction {
        Offer = "offer",
        Select = "select",
        Pay = "pay",
        Deliver = "deliver",
        Confirm = "confirm",
        Cancel = "cancel",
        Expire = "expire",
        Dispute = "dispute",
        Release = "release",
        Refund = "refund",
        Rate = "rate",
    }
}

use Party::{Admin, Buyer, Clock, Provider, Seller};
use RequestAction as Do;
use RequestState as In;

impl Stateful for RequestState {
    type Action = RequestAction;
    const SUBJECT: &'static str = "request";
    const RULES: &'static [Rule<Self, RequestAction>] = &[
        rule(In::Open, Do::Offer, &[Seller], In::Open),
        rule(In::Open, Do::Select, &[Buyer, Seller], In::Selected), // the seller, by accepting a counter-offer
        rule(In::Open, Do::Cancel, &[Buyer, Admin], In::Cancelled),
        rule(In::Open, Do::Expire, &[Clock], In::Expired),
        rule(In::Selected, Do::Pay, &[Buyer, Provider], In::Paid),
        rule(
            In::Selected,
            Do::Cancel,
            &[Buyer, Seller, Admin],
            In::Cancelled,
        ),
        rule(In::Selected, Do::Expire, &[Clock], In::Expired),
        rule(In::Paid, Do::Deliver, &[Seller], In::Delivering),
        rule(In::Paid, Do::Dispute, &[Buyer, Seller], In::Disputed),
        rule(In::Paid, Do::Refund, &[Seller, Admin], In::Refunded),
        rule(In::Delivering, Do::Deliver, &[Seller], In::Delivering),
        rule(In::Delivering, Do::Confirm, &[Buyer, Clock], In::Completed),
        rule(In::Delivering, Do::Dispute, &[Buyer, Seller], In::Disputed),
        rule(In::Delivering, Do::Refund, &[Seller, Admin], In::Refunded),
        rule(In::Disputed, Do::Release, &[Admin], In::Completed),
        rule(In::Disputed, Do::Refund, &[Seller, Admin], In::Refunded),
        rule(In::Completed, Do::Rate, &[Buyer, Seller], In::Completed),
        rule(In::Refunded, Do::Rate, &[Buyer, Seller], In::Refunded),
    ];

    fn word(self) -> &'static str {
        Self::word(self)
    }

    fn action(action: RequestAction) -> &'static str {
        action.word()
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::assert_sound;
    use super::*;

    #[test]
    fn every_state_is_reached_and_every_step_is_told_once() {
        assert_sound(RequestState::ALL, RequestState::Open);
    }

    #[test]
    fn an_illegal_step_tells_the_state_and_what_is_allowed() {
        let illegal = In::Paid.step(Do::Select, Buyer).unwrap_err();
        assert_eq!((illegal.state, illegal.action), ("paid", "select"));
        assert_eq!(illegal.allowed, ["dispute"]);
        assert!(!illegal.by_others);
        assert!(In::Paid.step(Do::Refund, Buyer).unwrap_err().by_others);
    }

    #[test]
    fn nobody_leaves_a_state_at_the_end() {
        for end in [In::Cancelled, In::Expired] {
            assert!(
                Party::ALL
                    .iter()
                    .all(|party| end.allowed(*party).is_empty())
            );
        }
    }
}
