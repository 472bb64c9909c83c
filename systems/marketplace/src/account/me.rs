use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

use super::view::UserView;
use crate::market::Market;
use crate::operation::{Access, NoQuery, Read, Route, Write};
use crate::refusal::Refusal;
use crate::store::users;
use crate::types::Text;
use crate::work::{Actor, Step, Work};

/// The caller's own account.
#[derive(Debug)]
pub(crate) struct WhoAmI;

impl Read for WhoAmI {
    const ROUTE: Route = Route::get("users.me.get", "/api/users/me")
        .says("The caller's own account")
        .by(Access::SignedIn);
    type Path = ();
    type Query = NoQuery;
    type Answer = UserView;

    async fn answer(
        (): (),
        _: NoQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<UserView, Refusal> {
        let found = users::find(db, &actor.user()?.id).await?;
        Ok(found.ok_or(Refusal::NotFound("user"))?.into())
    }
}

/// The Telegram chat that also receives the user's notifications.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TelegramBody {
    /// The id of the user's chat with the bot. If missing, nothing is sent to Telegram.
    chat: Option<Text<1, 64>>,
}

/// Sets or removes the caller's Telegram chat.
#[derive(Debug)]
pub(crate) struct SetTelegram(TelegramBody);

impl Write for SetTelegram {
    const ROUTE: Route = Route::put("users.me.telegram.set", "/api/users/me/telegram")
        .says("Sets or removes the Telegram chat that also receives the caller's notifications")
        .by(Access::SignedIn);
    type Path = ();
    type Body = TelegramBody;

    async fn begin((): (), body: TelegramBody, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(body))
    }
}

impl Step for SetTelegram {
    type Answer = UserView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<UserView, Refusal> {
        let user = work.actor.user()?.id.clone();
        let chat = self.0.chat.as_ref().map(Text::as_str);
        users::set_telegram_chat(work.db(), &user, chat).await?;
        let found = users::find(work.db(), &user).await?;
        Ok(found.ok_or(Refusal::NotFound("user"))?.into())
    }
}
