use super::machine::{Party, Rule, Stateful, rule};
use crate::types::words::words;

words! {
    /// The state of an offer. It tells which side must respond, or how the offer ended.
    OfferState {
        /// The seller proposed the current price.
        AwaitingBuyer = "awaiting_buyer",
        /// The buyer proposed the current price.
        AwaitingSeller = "awaiting_seller",
        /// The offer was selected, and both sides agreed on the price.
        Accepted = "accepted",
        /// One side rejected the offer.
        Rejected = "rejected",
        /// The seller withdrew the offer.
        Withdrawn = "withdrawn",
        /// Another offer was selected.
        Lost = "lost",
        /// The offer's validity ended.
        Expired = "expired",
        /// The request ended without a trade.
        Closed = "closed",
    }
}

words! {
    /// The actions on an offer.
    OfferAction {
        Select = "select",
        Accept = "accept",
        Counter = "counter",
        Reject = "reject",
        Withdraw = "withdraw",
        Lose = "lose",
        Expire = "expire",
        Close = "close",
    }
}

use OfferAction as Do;
use OfferState as In;
use Party::{Buyer, Clock, Market, Seller};

impl Stateful for OfferState {
    type Action = OfferAction;
    const SUBJECT: &'static str = "offer";
    const RULES: &'static [Rule<Self, OfferAction>] = &[
        rule(In::AwaitingBuyer, Do::Select, &[Buyer], In::Accepted),
        rule(In::AwaitingBuyer, Do::Counter, &[Buyer], In::AwaitingSeller),
        rule(In::AwaitingBuyer, Do::Reject, &[Buyer], In::Rejected),
        rule(In::AwaitingBuyer, Do::Withdraw, &[Seller], In::Withdrawn),
        rule(In::AwaitingSeller, Do::Accept, &[Seller], In::Accepted),
        rule(
            In::AwaitingSeller,
            Do::Counter,
            &[Seller],
            In::AwaitingBuyer,
        ),
        rule(
            In::AwaitingSeller,
            Do::Reject,
            &[Buyer, Seller],
            In::Rejected,
        ),
        rule(In::AwaitingSeller, Do::Withdraw, &[Seller], In::Withdrawn),
        rule(In::AwaitingBuyer, Do::Lose, &[Market], In::Lost),
        rule(In::AwaitingSeller, Do::Lose, &[Market], In::Lost),
        rule(In::AwaitingBuyer, Do::Expire, &[Clock], In::Expired),
        rule(In::AwaitingSeller, Do::Expire, &[Clock], In::Expired),
        rule(In::AwaitingBuyer, Do::Close, &[Market], In::Closed),
        rule(In::AwaitingSeller, Do::Close, &[Market], In::Closed),
        rule(In::Accepted, Do::Close, &[Market], In::Closed),
    ];

    fn word(self) -> &'static str {
        Self::word(self)
    }

    fn action(action: OfferAction) -> &'static str {
        action.word()
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::assert_sound;
    use super::*;

    #[test]
    fn every_state_is_reached_and_every_step_is_told_once() {
        assert_sound(OfferState::ALL, OfferState::AwaitingBuyer);
    }

    #[test]
    fn nobody_accepts_or_counters_a_price_of_their_own() {
        assert!(In::AwaitingSeller.step(Do::Select, Buyer).is_err());
        assert!(In::AwaitingSeller.step(Do::Counter, Buyer).is_err());
        assert!(In::AwaitingBuyer.step(Do::Accept, Seller).is_err());
        assert!(In::AwaitingBuyer.step(Do::Counter, Seller).is_err());
    }
}
