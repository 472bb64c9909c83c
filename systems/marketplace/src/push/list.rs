use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;

use crate::http::{Access, Market, Read, Route, Write};
use crate::refusal::Refusal;
use crate::store::notifications::{self, NoticeKind, NotificationRow};
use crate::types::{Id, PageSize, Time};
use crate::work::{Actor, Step, Work};

/// A notification.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Notification")]
pub(crate) struct NotificationView {
    /// Counts the user's notifications from 1, without a gap.
    pub(super) sequence: i64,
    pub(super) kind: NoticeKind,
    request_id: Id,
    /// What it is about.
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

/// Which notifications are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NotificationQuery {
    /// Only those that were not read.
    unread: Option<bool>,
    limit: Option<PageSize>,
    /// The `next` of the page before.
    before: Option<i64>,
}

/// A page of notifications, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Notifications {
    items: Vec<NotificationView>,
    /// Give it as `before` to read on; absent at the end.
    next: Option<i64>,
}

/// What the caller was told.
#[derive(Debug)]
pub(crate) struct ListNotifications;

impl Read for ListNotifications {
    const ROUTE: Route = Route::get("notifications.list", "/api/notifications")
        .says("What the caller was told, newest first")
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

/// Up to where the list was read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadBody {
    up_to: i64,
}

/// How many were marked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Marked {
    marked: u64,
}

/// The caller has read the list up to a place.
#[derive(Debug)]
pub(crate) struct MarkRead(ReadBody);

impl Write for MarkRead {
    const ROUTE: Route = Route::post("notifications.read", "/api/notifications/read")
        .says("Marks the caller's notifications as read, up to a place in the list")
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
