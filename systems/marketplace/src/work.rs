//! Steps. Each step is one transaction, whose notifications are sent only after the commit.
//!
//! [`Step::apply`] changes rows through [`Work`]. [`Market::perform`](crate::market::Market::perform) begins and
//! commits the transaction, repeats it after a conflict, and wakes the streams of the notified users.

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::{Any, AnyConnection, Transaction};

use crate::refusal::Refusal;
use crate::store::notifications::{self, Notice, NoticeKind};
use crate::store::outbox::{self, Channel, OutboxRow};
use crate::store::requests::RequestRow;
use crate::store::sessions::Holder;
use crate::terms::Terms;
use crate::types::{Id, Time};

/// The actor who performs a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// A caller who has not logged in.
    Nobody,
    User(Holder),
    /// The clock, which acts when a deadline has passed.
    Clock,
    /// The payment provider.
    Provider,
}

impl Actor {
    /// The user who acts. Refuses the step if the actor is not a user.
    pub(crate) fn user(&self) -> Result<&Holder, Refusal> {
        match self {
            Self::User(holder) => Ok(holder),
            _ => Err(Refusal::Unauthenticated),
        }
    }

    /// The name of the owner of the actor's idempotency keys. `http::input` handles callers without login.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::User(holder) => holder.id.to_string(),
            Self::Nobody => "nobody".to_owned(),
            Self::Clock => "clock".to_owned(),
            Self::Provider => "provider".to_owned(),
        }
    }
}

/// An operation in one transaction. `apply` can run several times, each time in a new transaction.
pub(crate) trait Step: Send + Sync {
    /// The body of the response.
    type Answer: Serialize + Send;

    /// Performs the step. If this returns a refusal, the transaction is rolled back.
    fn apply(
        &self,
        work: &mut Work<'_>,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;
}

/// An open transaction, with the notifications to store at its commit.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    transaction: Transaction<'static, Any>,
    notices: Vec<Notice>,
    /// Number of notifications that the injected fault omits.
    lost_on_order: u64,
    pub(crate) now: Time,
    pub(crate) actor: &'a Actor,
    pub(crate) terms: &'a Terms,
}

/// Facts about the notifications that a transaction stored.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The notified users.
    pub(crate) users: Vec<Id>,
    /// Whether the transaction wrote to the outbox.
    pub(crate) outside: bool,
    /// Number of notifications that the injected fault omitted.
    pub(crate) lost_on_order: u64,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        transaction: Transaction<'static, Any>,
        actor: &'a Actor,
        terms: &'a Terms,
    ) -> Self {
        Self {
            transaction,
            notices: Vec::new(),
            lost_on_order: 0,
            now: Time::now(),
            actor,
            terms,
        }
    }

    /// The connection with the open transaction.
    pub(crate) fn db(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    /// Creates an id for a new row.
    #[expect(
        clippy::unused_self,
        reason = "ids are created only within a transaction"
    )]
    pub(crate) fn new_id(&self) -> Result<Id, Refusal> {
        Ok(Id::new()?)
    }

    /// Queues a notification for a user. `part` distinguishes several notifications of the same kind about one request.
    pub(crate) fn tell(
        &mut self,
        user: &Id,
        kind: NoticeKind,
        request: &RequestRow,
        part: &str,
        mut data: Value,
    ) {
        data["title"] = request.title.clone().into();
        self.notices.push(Notice {
            user: user.clone(),
            kind,
            request: request.id.clone(),
            data,
            cause: format!("{}/{}/{part}", kind.word(), request.id),
        });
    }

    /// Omits a notification, as an injected fault. The omission is counted only after the commit.
    pub(crate) fn lose_on_order(&mut self) {
        self.lost_on_order += 1;
    }

    /// Stores the notifications and commits. Either all changes are stored or none.
    pub(crate) async fn commit(mut self) -> Result<Told, Refusal> {
        let mut told = Told {
            lost_on_order: self.lost_on_order,
            ..Told::default()
        };
        // `insert` locks the user's row. All transactions lock users in the same order, so that they cannot deadlock.
        self.notices.sort_by(|one, other| one.user.cmp(&other.user));
        let now = self.now;
        for notice in std::mem::take(&mut self.notices) {
            let placed = notifications::insert(self.db(), &notice, now).await?;
            told.outside |= self.send(&notice, &placed).await?;
            told.users.push(notice.user);
        }
        self.transaction.commit().await?;
        Ok(told)
    }

    /// Rolls the transaction back.
    pub(crate) async fn roll_back(self) {
        if let Err(error) = self.transaction.rollback().await {
            tracing::debug!(%error, "cannot roll back a transaction; the connection may be closed");
        }
    }

    /// Adds a notification to the outbox, once for each channel.
    async fn send(
        &mut self,
        notice: &Notice,
        placed: &notifications::Placed,
    ) -> Result<bool, Refusal> {
        let webhook = self
            .terms
            .by_webhook
            .then(|| (Channel::Webhook, String::new()));
        let chat = placed
            .telegram_chat
            .clone()
            .filter(|_| self.terms.by_telegram);
        let telegram = chat.map(|chat| (Channel::Telegram, chat));
        let mut any = false;
        for (channel, target) in webhook.into_iter().chain(telegram) {
            let row = OutboxRow {
                id: self.new_id()?,
                channel,
                target,
                body: outside(notice, placed.sequence).to_string(),
                attempts: 0,
                due_at: self.now,
            };
            outbox::insert(self.db(), &row).await?;
            any = true;
        }
        Ok(any)
    }
}

/// The JSON form of a notification for webhooks and Telegram.
fn outside(notice: &Notice, sequence: i64) -> Value {
    serde_json::json!({
        "user": notice.user,
        "sequence": sequence,
        "kind": notice.kind,
        "requestId": notice.request,
        "data": notice.data,
    })
}
