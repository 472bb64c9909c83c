//! A step: everything that belongs together in one transaction, and nobody is told of it before it is
//! kept. [`Step::apply`] changes rows by [`Work`]; [`Market::perform`](crate::market::Market::perform)
//! begins, commits, tries again where the database asks for it, and wakes who is to be told.

use std::future::Future;

use serde::Serialize;
use serde_json::Value;
use sqlx::{Any, AnyConnection, Transaction};

use crate::market::Terms;
use crate::refusal::Refusal;
use crate::store::notifications::{self, Notice, NoticeKind};
use crate::store::outbox::{self, Channel, OutboxRow};
use crate::store::requests::RequestRow;
use crate::store::sessions::Holder;
use crate::types::{Id, Time};

/// Who does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// Somebody who has not logged in.
    Nobody,
    User(Holder),
    /// A time that is over.
    Clock,
    /// The payment provider.
    Provider,
}

impl Actor {
    /// The user, where there is one.
    pub(crate) fn user(&self) -> Result<&Holder, Refusal> {
        match self {
            Self::User(holder) => Ok(holder),
            _ => Err(Refusal::Unauthenticated),
        }
    }

    /// Whose idempotency keys these are; of strangers, see where a key is read.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::User(holder) => holder.id.to_string(),
            Self::Nobody => "nobody".to_owned(),
            Self::Clock => "clock".to_owned(),
            Self::Provider => "provider".to_owned(),
        }
    }
}

/// Something done in one transaction. It may be tried several times.
pub(crate) trait Step: Send + Sync {
    /// What is answered.
    type Answer: Serialize + Send;

    /// Does it, or refuses; then nothing is changed.
    fn apply(
        &self,
        work: &mut Work<'_>,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;
}

/// An open transaction, and what is to be told when it is over.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    transaction: Transaction<'static, Any>,
    notices: Vec<Notice>,
    pub(crate) now: Time,
    pub(crate) actor: &'a Actor,
    pub(crate) terms: &'a Terms,
}

/// What a transaction wrote for others.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) users: Vec<Id>,
    pub(crate) outside: bool,
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
            now: Time::now(),
            actor,
            terms,
        }
    }

    /// The connection with the open transaction.
    pub(crate) fn db(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    /// A new name for a thing.
    #[expect(
        clippy::unused_self,
        reason = "names are given within a transaction alone"
    )]
    pub(crate) fn new_id(&self) -> Result<Id, Refusal> {
        Ok(Id::new()?)
    }

    /// Somebody is to be told. `part` tells apart what happens to one request several times.
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

    /// Writes what is to be told and commits both.
    pub(crate) async fn commit(mut self) -> Result<Told, Refusal> {
        let mut told = Told::default();
        // In one order everywhere: two transactions that tell the same users do not wait for each other.
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

    /// Undoes everything.
    pub(crate) async fn roll_back(self) {
        if let Err(error) = self.transaction.rollback().await {
            tracing::debug!(%error, "a transaction was gone before it was rolled back");
        }
    }

    /// Puts a notification into the outbox, once for each way out.
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

/// A notification as it leaves.
fn outside(notice: &Notice, sequence: i64) -> Value {
    serde_json::json!({
        "user": notice.user,
        "sequence": sequence,
        "kind": notice.kind,
        "requestId": notice.request,
        "data": notice.data,
    })
}
