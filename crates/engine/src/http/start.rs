//! Prepares requests of the script for sending.

use model::{Fault, UserId};
use script::host::{Body, HttpCall, OpId};
use wire::http::{Part, Request};

use super::in_flight::{Asked, Asker, InFlight};
use crate::level_state::level_over;
use crate::net::Located;
use crate::recorder::Family;
use crate::world::World;

impl World {
    /// Starts a request of the script.
    pub(crate) fn start_http(
        &mut self,
        op: OpId,
        user: UserId,
        call: HttpCall,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let planned = call.planned.unwrap_or(now);
        // Over HTTP/1.1, a GET without a body, additional headers or cookies has the same bytes each time, so it is encoded
        // only once.
        let is_bare = call.method == "GET"
            && call.headers.is_empty()
            && matches!(call.body, Body::None)
            && self.is_bare(user)
            && self.streams().is_none();
        let name = self.name_with_tags(user, call.name, &call.tags);
        let Located { url, endpoint, get } = self.net.connector.locate(&call.url)?;
        let mut headers = call.headers;
        self.add_standing_headers(user, &mut headers);
        let request = Request {
            method: call.method,
            url,
            headers,
            body: body_of(call.body),
        };
        let prepared = get.filter(|_| is_bare);
        if prepared.is_none() && is_bare {
            self.net.encoded.clear();
            request.encode_into(None, &mut self.net.encoded)?;
            self.net
                .connector
                .remember_get(&call.url, &self.net.encoded);
        }
        let mut timeouts = self.config.options.timeouts;
        timeouts.total = call.timeout.unwrap_or(timeouts.total);
        // The stamps that the user has made are sent with this request.
        let carried = match self.level.group_of(user) {
            Some((group, member, recorder)) => {
                recorder.send(&mut group.ledger, member, planned, now)
            }
            None => return Err(level_over()),
        };
        let asked = Asked {
            name: self.level.recorder.name(Family::Request, &name),
            planned,
            redirects: call.redirects.unwrap_or(self.config.options.redirects),
            expect: call.expect,
            carried,
            ..Asked::by(Asker::Script(op), user, now)
        };
        let flight = Box::new(InFlight {
            prepared,
            ..InFlight::new((request, endpoint), now, timeouts, asked)
        });
        self.dispatch(flight);
        Ok(())
    }

    /// The name under which a request is counted. Tags of the request take precedence over those of the user.
    fn name_with_tags(&mut self, user: UserId, name: String, tags: &[(String, String)]) -> String {
        let of_user = self
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

    /// Whether the user has no additional headers and no cookies.
    pub(super) fn is_bare(&mut self, user: UserId) -> bool {
        let user = self.level.users.get(user);
        user.is_some_and(|user| {
            user.standing.headers.is_empty() && user.standing.cookies.is_unused()
        })
    }

    /// Adds the headers of the user and of the run. Headers of the request take precedence over those of the user,
    /// which take precedence over those of the run.
    pub(crate) fn add_standing_headers(
        &mut self,
        user: UserId,
        headers: &mut Vec<(String, String)>,
    ) {
        if let Some(user) = self.level.users.get(user) {
            add_missing(headers, &user.standing.headers);
        }
        add_missing(headers, &self.config.options.headers);
    }
}

/// Adds those of the other headers whose names `headers` does not have.
pub(crate) fn add_missing(headers: &mut Vec<(String, String)>, others: &[(String, String)]) {
    for (name, value) in others {
        let is_known = headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !is_known {
            headers.push((name.clone(), value.clone()));
        }
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
