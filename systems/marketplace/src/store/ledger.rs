use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;

use super::payments::PaymentRow;
use super::row::row;
use crate::types::Id;
use crate::types::words::words;

words! {
    /// The kind of an account.
    Account {
        /// Money outside of the marketplace. Its balance is negative: the amount that buyers have paid, less the amount
        /// returned to them.
        Buyer = "buyer",
        /// Money in escrow.
        Escrow = "escrow",
        /// Money that a seller has earned.
        Seller = "seller",
        /// Fees that the marketplace has earned.
        Fee = "fee",
    }
}

words! {
    /// The purpose of a transfer.
    TransferKind {
        /// A transfer from the buyer into escrow.
        Hold = "hold",
        /// A transfer out of escrow, to the seller and the fee account, or back to the buyer.
        Settle = "settle",
    }
}

/// One entry of a transfer. Positive amounts are added to the account, negative amounts are taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leg {
    pub(crate) account: Account,
    pub(crate) owner: String,
    pub(crate) amount: i64,
}

row! {
    /// The sum of all accounts of one kind and currency, in minor units.
    #[derive(Debug, Serialize, JsonSchema)]
    pub(crate) struct Balance {
        pub(crate) account: Account,
        pub(crate) currency: String,
        #[serde(rename = "balance")]
        pub(crate) amount: i64,
    }
}

/// Moves the money of a payment. A unique index allows each kind of transfer once per payment.
pub(crate) async fn transfer(
    db: &mut AnyConnection,
    id: &Id,
    kind: TransferKind,
    payment: &PaymentRow,
    legs: &[Leg],
) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO transfers (id, payment_id, kind, created_at) VALUES ($1, $2, $3, $4)";
    let transfer = sqlx::query(insert).bind(id).bind(&payment.id).bind(kind);
    transfer.bind(payment.updated_at).execute(&mut *db).await?;
    for (number, leg) in (0_i64..).zip(legs.iter().filter(|leg| leg.amount != 0)) {
        let insert = "INSERT INTO entries (transfer_id, leg, account, owner, currency, amount) \
            VALUES ($1, $2, $3, $4, $5, $6)";
        sqlx::query(insert)
            .bind(id)
            .bind(number)
            .bind(leg.account)
            .bind(&leg.owner)
            .bind(&payment.currency)
            .bind(leg.amount)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

pub(crate) async fn balances(db: &mut AnyConnection) -> Result<Vec<Balance>, sqlx::Error> {
    let select = "SELECT account, currency, CAST(SUM(amount) AS BIGINT) AS amount FROM entries \
        GROUP BY account, currency ORDER BY account, currency";
    sqlx::query_as(select).fetch_all(db).await
}

/// The invariants, each with a query that returns the ids that violate it.
const INVARIANTS: &[(&str, &str)] = &[
    (
        "the entries of a transfer add up to zero",
        "SELECT transfer_id FROM entries GROUP BY transfer_id, currency HAVING SUM(amount) <> 0",
    ),
    (
        "a transfer is in the currency of its payment",
        "SELECT entries.transfer_id FROM entries JOIN transfers ON transfers.id = entries.transfer_id \
         JOIN payments ON payments.id = transfers.payment_id WHERE entries.currency <> payments.currency",
    ),
    (
        "escrow contains the full amount of every held payment, and no money of other payments",
        "SELECT payments.id FROM payments LEFT JOIN \
         (SELECT owner, SUM(amount) AS held FROM entries WHERE account = 'escrow' GROUP BY owner) AS escrow \
         ON escrow.owner = payments.id WHERE COALESCE(escrow.held, 0) <> \
         CASE WHEN payments.state = 'held' THEN payments.amount ELSE 0 END",
    ),
    (
        "the number of a payment's transfers matches the payment's state",
        "SELECT payments.id FROM payments WHERE \
         (SELECT COUNT(*) FROM transfers WHERE transfers.payment_id = payments.id) <> \
         CASE WHEN payments.state = 'held' THEN 1 \
         WHEN payments.state IN ('released', 'refunded', 'split', 'returned') THEN 2 ELSE 0 END",
    ),
    (
        "the state of a trade matches the trade's payment",
        "SELECT requests.id FROM requests WHERE \
         (SELECT COUNT(*) FROM payments WHERE payments.request_id = requests.id AND payments.state = 'held') <> \
         CASE WHEN requests.state IN ('paid', 'delivering', 'disputed') THEN 1 ELSE 0 END \
         OR (requests.state = 'completed' AND NOT EXISTS (SELECT 1 FROM payments \
         WHERE payments.request_id = requests.id AND payments.state IN ('released', 'split'))) \
         OR (requests.state = 'refunded' AND NOT EXISTS (SELECT 1 FROM payments \
         WHERE payments.request_id = requests.id AND payments.state = 'refunded'))",
    ),
    (
        "a payment matches the price, the currency and the users of the selected offer",
        "SELECT payments.id FROM payments JOIN requests ON requests.id = payments.request_id \
         LEFT JOIN offers ON offers.id = requests.selected_offer WHERE offers.id IS NULL \
         OR offers.seller_id <> payments.seller_id OR requests.buyer_id <> payments.buyer_id \
         OR offers.amount <> payments.amount OR requests.currency <> payments.currency",
    ),
    (
        "buyer, seller and marketplace got the shares that the payment's state and fee require",
        "SELECT payments.id FROM payments JOIN (SELECT transfers.payment_id AS payment, \
         CAST(SUM(CASE WHEN account = 'fee' THEN amount ELSE 0 END) AS BIGINT) AS kept, \
         CAST(SUM(CASE WHEN account = 'seller' THEN amount ELSE 0 END) AS BIGINT) AS earned, \
         CAST(SUM(CASE WHEN account = 'buyer' THEN amount ELSE 0 END) AS BIGINT) AS refunded \
         FROM transfers JOIN entries ON entries.transfer_id = transfers.id \
         WHERE transfers.kind = 'settle' GROUP BY transfers.payment_id) AS parts \
         ON parts.payment = payments.id WHERE kept <> (kept + earned) * payments.fee / 10000 \
         OR kept < 0 OR earned < 0 OR kept + earned + refunded <> payments.amount \
         OR CASE WHEN refunded = 0 THEN 'released' WHEN refunded = payments.amount THEN 'refunded' \
         ELSE 'split' END <> \
         CASE WHEN payments.state = 'returned' THEN 'refunded' ELSE payments.state END",
    ),
    (
        "a dispute is open if and only if its trade is disputed",
        "SELECT requests.id FROM requests LEFT JOIN disputes ON disputes.request_id = requests.id \
         WHERE CASE WHEN requests.state = 'disputed' THEN 1 ELSE 0 END <> \
         CASE WHEN disputes.request_id IS NOT NULL AND disputes.resolved_at IS NULL THEN 1 ELSE 0 END",
    ),
    (
        "a list of notifications has no gap",
        "SELECT users.id FROM users WHERE users.notified <> \
         (SELECT COUNT(*) FROM notifications WHERE notifications.user_id = users.id)",
    ),
    (
        "after the selection, a trade has an accepted offer",
        "SELECT requests.id FROM requests WHERE requests.state NOT IN ('open', 'cancelled', 'expired') \
         AND NOT EXISTS (SELECT 1 FROM offers WHERE offers.id = requests.selected_offer \
         AND offers.request_id = requests.id AND offers.state = 'accepted')",
    ),
];

/// The violated invariants, each with one example.
pub(crate) async fn broken(db: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let mut broken = Vec::new();
    for (invariant, finds) in INVARIANTS {
        let found: Option<String> = sqlx::query_scalar(*finds).fetch_optional(&mut *db).await?;
        broken.extend(found.map(|id| format!("invariant violated: {invariant} (id {id})")));
    }
    Ok(broken)
}
