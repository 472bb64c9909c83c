use crate::refusal::Refusal;
use crate::state::{Party, PaymentAction, Stateful};
use crate::store::disputes::Resolution;
use crate::store::ledger::{self, Account, Leg, TransferKind};
use crate::store::payments::{self, PaymentRow};
use crate::types::Id;
use crate::work::Work;

/// How money in escrow is paid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settlement {
    /// All money goes to the seller, except for the fee.
    Release,
    /// All money goes back to the buyer.
    Refund,
    /// This amount, in minor units, goes back to the buyer. The rest goes to the seller, except for the fee.
    Split(i64),
}

impl Settlement {
    fn action(self) -> PaymentAction {
        match self {
            Self::Release => PaymentAction::Release,
            Self::Refund => PaymentAction::Refund,
            Self::Split(_) => PaymentAction::Split,
        }
    }

    /// The resolution of a dispute that ends with this settlement.
    pub(super) fn resolution(self) -> Resolution {
        match self {
            Self::Release => Resolution::Release,
            Self::Refund => Resolution::Refund,
            Self::Split(_) => Resolution::Split,
        }
    }

    /// The part of `amount` that the buyer gets back.
    pub(super) fn refunded(self, amount: i64) -> i64 {
        match self {
            Self::Release => 0,
            Self::Refund => amount,
            Self::Split(refunded) => refunded,
        }
    }
}

/// Moves the money of a payment into escrow.
pub(super) async fn hold(work: &mut Work<'_>, payment: &PaymentRow) -> Result<(), Refusal> {
    let amount = payment.amount.minor();
    let legs = [
        leg(Account::Buyer, payment.buyer_id.as_str(), -amount),
        leg(Account::Escrow, payment.id.as_str(), amount),
    ];
    let id = work.new_id()?;
    Ok(ledger::transfer(work.db(), &id, TransferKind::Hold, payment, &legs).await?)
}

/// Moves the money of a held payment out of escrow, and updates the payment's state.
pub(super) async fn settle(
    work: &mut Work<'_>,
    payment: &mut PaymentRow,
    settlement: Settlement,
) -> Result<(), Refusal> {
    payment.state = payment.state.step(settlement.action(), Party::Market)?;
    payment.updated_at = work.now;
    payments::update(work.db(), payment).await?;
    let id = work.new_id()?;
    pay_out(work, &id, payment, settlement).await
}

/// Stores the transfer that moves the money of a payment out of escrow.
pub(super) async fn pay_out(
    work: &mut Work<'_>,
    id: &Id,
    payment: &PaymentRow,
    settlement: Settlement,
) -> Result<(), Refusal> {
    let legs = shares(payment, settlement);
    Ok(ledger::transfer(work.db(), id, TransferKind::Settle, payment, &legs).await?)
}

/// The entries of a settlement, which add up to zero. The fee is deducted from the seller's part and rounded down. The
/// rate of the fee is the one configured when the buyer paid.
fn shares(payment: &PaymentRow, settlement: Settlement) -> [Leg; 4] {
    let amount = payment.amount.minor();
    let refunded = settlement.refunded(amount);
    let earned = amount - refunded;
    let fee = earned * payment.fee / 10_000;
    [
        leg(Account::Escrow, payment.id.as_str(), -amount),
        leg(Account::Buyer, payment.buyer_id.as_str(), refunded),
        leg(Account::Seller, payment.seller_id.as_str(), earned - fee),
        leg(Account::Fee, "", fee),
    ]
}

fn leg(account: Account, owner: &str, amount: i64) -> Leg {
    Leg {
        account,
        owner: owner.to_owned(),
        amount,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::PaymentState;
    use crate::types::{Amount, Time};

    fn payment(amount: i64, fee: i64) -> PaymentRow {
        let id = Id::new().unwrap();
        PaymentRow {
            id: id.clone(),
            request_id: id.clone(),
            buyer_id: id.clone(),
            seller_id: id,
            amount: Amount::try_from(amount).unwrap(),
            currency: "EUR".to_owned().try_into().unwrap(),
            state: PaymentState::Held,
            told: 0,
            fee,
            created_at: Time::now(),
            updated_at: Time::now(),
        }
    }

    #[test]
    fn the_fee_is_of_what_the_seller_gets_and_rounds_down() {
        let amounts = |settlement| shares(&payment(999, 250), settlement).map(|leg| leg.amount);
        assert_eq!(amounts(Settlement::Release), [-999, 0, 975, 24]);
        assert_eq!(amounts(Settlement::Refund), [-999, 999, 0, 0]);
        assert_eq!(amounts(Settlement::Split(500)), [-999, 500, 487, 12]);
    }

    proptest! {
        #[test]
        fn nothing_is_made_or_lost(amount in 1_i64..1_000_000_000_000, part in 0.0..1.0, fee in 0_i64..=10_000) {
            #[expect(clippy::cast_possible_truncation, reason = "a part of an amount")]
            let refunded = (amount as f64 * part) as i64;
            for settlement in [Settlement::Release, Settlement::Refund, Settlement::Split(refunded)] {
                let legs = shares(&payment(amount, fee), settlement);
                prop_assert_eq!(legs.iter().map(|leg| leg.amount).sum::<i64>(), 0);
                prop_assert!(legs[1..].iter().all(|leg| leg.amount >= 0));
            }
        }
    }
}
