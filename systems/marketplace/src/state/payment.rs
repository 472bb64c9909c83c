use super::machine::{Party, Rule, Stateful, rule};
use crate::types::words::words;

words! {
    /// The state of a payment.
    PaymentState {
        /// The payment was requested from the provider, which has not reported a result.
        Pending = "pending",
        /// The money is in escrow.
        Held = "held",
        /// The provider reported a failure.
        Failed = "failed",
        /// The payment was abandoned before the provider reported a result.
        Abandoned = "abandoned",
        /// The money was paid to the seller, except for the fee.
        Released = "released",
        /// The money was returned to the buyer.
        Refunded = "refunded",
        /// The money was divided between buyer and seller.
        Split = "split",
        /// The payment succeeded after a reported failure, when the trade no longer waited for it. The money was
        /// returned to the buyer.
        Returned = "returned",
    }
}

words! {
    /// The actions on a payment.
    PaymentAction {
        Succeed = "succeed",
        Fail = "fail",
        Abandon = "abandon",
        Release = "release",
        Refund = "refund",
        Split = "split",
        Return = "return",
    }
}

use Party::{Market, Provider};
use PaymentAction as Do;
use PaymentState as In;

impl Stateful for PaymentState {
    type Action = PaymentAction;
    const SUBJECT: &'static str = "payment";
    const RULES: &'static [Rule<Self, PaymentAction>] = &[
        rule(In::Pending, Do::Succeed, &[Provider], In::Held),
        rule(In::Pending, Do::Fail, &[Provider], In::Failed),
        rule(In::Pending, Do::Abandon, &[Market], In::Abandoned),
        rule(In::Abandoned, Do::Succeed, &[Provider], In::Refunded), // too late: returned at once
        rule(In::Abandoned, Do::Fail, &[Provider], In::Failed),
        rule(In::Failed, Do::Succeed, &[Provider], In::Held), // the provider corrected its report
        rule(In::Failed, Do::Return, &[Market], In::Returned),
        rule(In::Held, Do::Release, &[Market], In::Released),
        rule(In::Held, Do::Refund, &[Market], In::Refunded),
        rule(In::Held, Do::Split, &[Market], In::Split),
    ];

    fn word(self) -> &'static str {
        Self::word(self)
    }

    fn action(action: PaymentAction) -> &'static str {
        action.word()
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::assert_sound;
    use super::*;

    #[test]
    fn every_state_is_reached_and_every_step_is_told_once() {
        assert_sound(PaymentState::ALL, PaymentState::Pending);
    }

    #[test]
    fn money_leaves_escrow_once() {
        for end in [In::Released, In::Refunded, In::Split, In::Returned] {
            assert!(
                Party::ALL
                    .iter()
                    .all(|party| end.allowed(*party).is_empty())
            );
        }
    }
}
