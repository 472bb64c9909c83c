//! Members of passive audiences with a subscription.

use rquickjs::{Ctx, Result, Value};

use super::super::arg::{text, type_error};
use super::super::audience::member::{CONNECT, MemberKind, Options};
use super::nats_call;
use crate::host::{NatsCall, NatsMember, SubscribeCall};

const KNOWN_FOR_MEMBERS: [&str; 7] = [
    "url",
    "user",
    "password",
    "token",
    "nkey",
    "credentials",
    "connection",
];

impl MemberKind for NatsMember {
    const KEY: &'static str = "nats";
    const NOUN: &'static str = "a NATS subscription";
    const OWN: &'static [&'static str] = &["subject", "queue"];

    fn set<'js>(
        ctx: &Ctx<'js>,
        subscription: &mut SubscribeCall,
        (key, value): (&str, &Value<'js>),
        call: &str,
    ) -> Result<()> {
        let subject = text(ctx, value, &format!("{call}: `{key}`"))?;
        subscription.names = vec![subject.into_bytes()];
        Ok(())
    }

    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self> {
        let made = NatsCall {
            is_shared: true,
            timeout: options.timeout,
            ..NatsCall::default()
        };
        let call = nats_call(ctx, connection, (what, &KNOWN_FOR_MEMBERS), made)?;
        if options.subscription.names.is_empty() {
            return Err(type_error(ctx, &format!("{CONNECT}: `subject` is missing")));
        }
        let subscribe = std::mem::take(&mut options.subscription);
        Ok(Self { call, subscribe })
    }
}
