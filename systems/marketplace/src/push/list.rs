use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;

use crate::market::Market;
use crate::operation::{Access, Read, Route, Write};
use crate::refusal::Refusal;
use crate::store::notifications::{self, NoticeKind, NotificationRow};
use crate::types::{Id, PageSize, Time};
use crate::work::{Actor, Step, Work};

/// A notification.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Notification")]
pub(crate) struct NotificationView {
    /// Position in the user's list. Positions start at 1 and have no gaps.
    pub(super) sequence: i64,
    pub(super) kind: NoticeKind,
    request_id: Id,
    /// Details that depend on `kind`.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    data: Value,
    created_at: Time,
    read_at: Option<Time>,
}

impl From<NotificationRow> for NotificationView {
    fn from(row: NotificationRow) -> Self {
        Self {
            sequence: row.sequence,
            kind: row.kind,
            request_id: row.request_id,
            data: serde_json::from_str(&row.data)
                .unwrap_or_else(|_| Value::Object(serde_json::Map::default())),
            created_at: row.created_at,
            read_at: row.read_at,
        }
    }
}

/// The query parameters of the list of notifications.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NotificationQuery {
    /// If true, list only unread notifications.
    unread: Option<bool>,
    limit: Option<PageSize>,
    /// The value of `next` from the previous page.
    before: Option<i64>,
}

/// A page of notifications, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Notifications {
    items: Vec<NotificationView>,
    /// Pass this as `before` to get the next page. `null` on the last page.
    next: Option<i64>,
}

/// Lists the caller's notifications.
#[derive(Debug)]
pub(crate) struct ListNotifications;

impl Read for ListNotifications {
    const ROUTE: Route = Route::get("notifications.list", "/api/notifications")
        .says("The caller's notifications, newest first")
        .by(Access::SignedIn);
    type Path = ();
    type Query = NotificationQuery;
    type Answer = Notifications;

    async fn answer(
        (): (),
        query: NotificationQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<Notifications, Refusal> {
        let user = &actor.user()?.id;
        let rows = query.limit.unwrap_or_default().rows();
        let before = query.before.unwrap_or(i64::MAX);
        let unread = query.unread.unwrap_or(false);
        let mut found = notifications::page(db, user, before, unread, rows + 1).await?;
        let wanted = usize::try_from(rows).unwrap_or(usize::MAX);
        let more = found.len() > wanted;
        found.truncate(wanted);
        let next = found.last().filter(|_| more).map(|last| last.sequence);
        let items = found.into_iter().map(NotificationView::from).collect();
        Ok(Notifications { items, next })
    }
}

/// The body of a request that marks notifications as read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadBody {
    up_to: i64,
}

/// The number of notifications that were marked as read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Marked {
    marked: u64,
}

/// Marks the caller's notifications as read, up to a position.
#[derive(Debug)]
pub(crate) struct MarkRead(ReadBody);

impl Write for MarkRead {
    const ROUTE: Route = Route::post("notifications.read", "/api/notifications/read")
        .says("Marks the caller's notifications as read, up to a position in the list")
        .by(Access::SignedIn);
    type Path = ();
    type Body = ReadBody;

    async fn begin((): (), body: ReadBody, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(body))
    }
}

impl Step for MarkRead {
    type Answer = Marked;

    async fn apply(&self, work: &mut Work<'_>) -> Result<Marked, Refusal> {
        let (user, now) = (work.actor.user()?.id.clone(), work.now);
        let marked = notifications::mark_read(work.db(), &user, self.0.up_to, now).await?;
        Ok(Marked { marked })
    }
}
