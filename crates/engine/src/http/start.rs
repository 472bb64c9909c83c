//! Prepares requests of the script for sending.

use model::{Fault, UserId};
use script::host::{Body, HttpCall, OpId};
use wire::http::{Part, Request};

use super::{Asked, Asker, Http, InFlight, Requests};
use crate::level_state::level_over;
use crate::net::Located;
use crate::recorder::Family;

impl Requests<'_> {
    /// Starts a request of the script.
    pub(crate) fn start(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let planned = call.planned.unwrap_or(now);
        // Over HTTP/1.1, a GET without a body, additional headers or cookies has the same bytes each time, so it is encoded
        // only once.
        let is_bare = call.method == "GET"
            && call.headers.is_empty()
            && matches!(call.body, Body::None)
            && self.base.is_bare(user)
            && self.base.streams().is_none();
        let name = self.name_with_tags(user, call.name, &call.tags);
        let Located { url, endpoint, get } = self.base.net.connector.locate(&call.url)?;
        let mut headers = call.headers;
        self.base.add_standing_headers(user, &mut headers);
        let request = Request {
            method: call.method,
            url,
            headers,
            body: body_of(call.body),
        };
        let prepared = get.filter(|_| is_bare);
        if prepared.is_none() && is_bare {
            self.base.net.encoded.clear();
            request.encode_into(None, &mut self.base.net.encoded)?;
            self.base
                .net
                .connector
                .remember_get(&call.url, &self.base.net.encoded);
        }
        let mut timeouts = self.base.config.options.timeouts;
        timeouts.total = call.timeout.unwrap_or(timeouts.total);
        // The stamps that the user has made are sent with this request.
        let carried = match self.base.level.group_of(user) {
            Some((group, member, recorder)) => {
                recorder.send(&mut group.ledger, member, planned, now)
            }
            None => return Err(level_over()),
        };
        let asked = Asked {
            name: self.base.level.recorder.name(Family::Request, &name),
            planned,
            redirects: call.redirects.unwrap_or(self.base.config.options.redirects),
            expect: call.expect,
            carried,
            ..Asked::by(Asker::Script(op), user, now)
        };
        let flight = Box::new(InFlight {
            prepared,
            ..InFlight::new((request, endpoint), now, timeouts, asked)
        });
        Http { base: self.base }.dispatch(flight);
        Ok(())
    }

    /// The name under which a request is counted. Tags of the request take precedence over those of the user.
    fn name_with_tags(&mut self, user: UserId, name: String, tags: &[(String, String)]) -> String {
        let of_user = self
            .base
            .level
            .users
            .get(user)
            .map_or(&[][..], |user| user.standing.tags.as_slice());
        if tags.is_empty() && of_user.is_empty() {
            return name;
        }
        let tags = tags.iter().chain(of_user);
        model::with_tags(&name, tags.map(|(key, value)| (&**key, &**value)))
    }
}

fn body_of(body: Body) -> wire::http::Body {
    match body {
        Body::None => wire::http::Body::empty(),
        Body::Bytes {
            content_type,
            bytes,
        } => wire::http::Body {
            bytes,
            content_type: content_type.map(str::to_owned),
        },
        Body::Form(fields) => wire::http::Body::form(fields),
        Body::Multipart(parts) => {
            let parts: Vec<Part> = parts
                .into_iter()
                .map(|part| Part {
                    name: part.name,
                    filename: part.filename,
                    content_type: part.content_type,
                    bytes: part.bytes,
                })
                .collect();
            wire::http::Body::multipart(&parts)
        }
    }
}
