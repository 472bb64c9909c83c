use std::sync::Arc;

use model::{Fault, FaultKind};
use url::Url;

use super::body::Body;
use super::request::Request;
use super::response::Response;

/// The request that a redirect asks for (RFC 9110 §15.4). `None` if `response` is not a redirect or has no `Location`.
///
/// The caller limits the number of redirects and checks that the new host is allowed.
///
/// 303 changes the method to GET (HEAD stays), 301 and 302 change POST to GET as browsers do, and 307 and 308 change
/// nothing. A redirect to another origin drops all headers of the request, since any of them may be a secret, such as
/// an `X-Api-Key`. A body is not sent to another origin either. Without its body, the request would be a different one,
/// so such a redirect is a fault.
pub fn follow(request: &Request, response: &Response) -> Result<Option<Request>, Fault> {
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers.get("location") else {
        return Ok(None);
    };
    let url = target(&request.url, location)?;
    let mut next = Request {
        url: Arc::new(url),
        ..request.clone()
    };
    if turns_into_get(response.status, &request.method) {
        next.method = "GET".into();
        next.body = Body::empty();
        next.headers.retain(|(name, _)| !describes_body(name));
    }
    if next.url.origin() != request.url.origin() {
        if !next.body.bytes.is_empty() {
            return Err(takes_body_away(response.status, &next.url));
        }
        next.headers.clear();
    }
    Ok(Some(next))
}

fn target(base: &Url, location: &str) -> Result<Url, Fault> {
    let bad = |why: String| Fault::target(FaultKind::Protocol, why);
    let url = base
        .join(location)
        .map_err(|error| bad(format!("invalid redirect to {location:?}: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!(
            "redirect to unsupported scheme `{}`",
            url.scheme()
        )));
    }
    Ok(url)
}

fn turns_into_get(status: u16, method: &str) -> bool {
    match status {
        303 => method != "HEAD",
        301 | 302 => method == "POST",
        _ => false,
    }
}

fn describes_body(name: &str) -> bool {
    name.get(..8)
        .is_some_and(|start| start.eq_ignore_ascii_case("content-"))
}

fn takes_body_away(status: u16, url: &Url) -> Fault {
    let origin = url.origin().ascii_serialization();
    let detail = format!(
        "headcount does not follow a redirect with status {status} that sends the request's body to another origin, \
         {origin}: request that address directly, or set `redirects: 0`"
    );
    Fault::target(FaultKind::NotAllowed, detail)
}

#[cfg(test)]
mod tests {
    use super::super::headers::Headers;
    use super::*;

    fn redirect(status: u16, location: &str) -> Response {
        let head = format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\n\r\n");
        Response {
            status,
            headers: Headers::new(head.as_bytes(), false),
            body: Vec::new(),
            size: head.len(),
            grpc_error: None,
        }
    }

    fn request(method: &str) -> Request {
        let url = Url::parse("http://a.test/dir/page?q=1").unwrap();
        let header = |name: &str| (name.to_owned(), "x".to_owned());
        Request {
            headers: ["Authorization", "Content-Language", "X-Own"]
                .map(header)
                .into(),
            body: Body::text("payload"),
            ..Request::new(method.to_owned(), Arc::new(url))
        }
    }

    fn names(request: &Request) -> Vec<&str> {
        let names = request.headers.iter().map(|(name, _)| name.as_str());
        names.collect()
    }

    #[test]
    fn the_method_follows_the_standard() {
        let check = |status, method: &str, expected: &str, keeps_body: bool| {
            let next = follow(&request(method), &redirect(status, "/b"))
                .unwrap()
                .unwrap();
            assert_eq!(next.method, expected, "{status} {method}");
            assert_eq!(!next.body.bytes.is_empty(), keeps_body, "{status} {method}");
            assert_eq!(names(&next).contains(&"Content-Language"), keeps_body);
        };
        check(301, "POST", "GET", false);
        check(302, "POST", "GET", false);
        check(302, "PUT", "PUT", true);
        check(303, "PUT", "GET", false);
        check(303, "HEAD", "HEAD", true);
        check(307, "POST", "POST", true);
        check(308, "DELETE", "DELETE", true);
    }

    #[test]
    fn places_are_relative_to_the_request() {
        let check = |location: &str, expected: &str| {
            let next = follow(&request("GET"), &redirect(303, location))
                .unwrap()
                .unwrap();
            assert_eq!(next.url.as_str(), expected);
        };
        check("other", "http://a.test/dir/other");
        check("/root?x", "http://a.test/root?x");
        check("//b.test/", "http://b.test/");
        check("https://a.test/", "https://a.test/");
    }

    #[test]
    fn headers_stay_with_their_origin() {
        let next = |location: &str| {
            follow(&request("GET"), &redirect(303, location))
                .unwrap()
                .unwrap()
        };
        assert_eq!(names(&next("/same")), ["Authorization", "X-Own"]); // Content-Language was dropped with the body
        for elsewhere in ["http://a.test:81/", "https://a.test/", "http://b.test/"] {
            assert!(names(&next(elsewhere)).is_empty(), "{elsewhere}");
        }
    }

    #[test]
    fn a_body_stays_with_its_origin() {
        for (status, method) in [(307, "POST"), (308, "POST"), (302, "PUT")] {
            let fault = follow(&request(method), &redirect(status, "http://b.test/x")).unwrap_err();
            assert_eq!(fault.kind, FaultKind::NotAllowed, "{status}");
            assert!(
                fault.detail.contains("origin, http://b.test:"),
                "{}",
                fault.detail
            );
        }
        let empty = Request {
            body: Body::empty(),
            ..request("POST")
        };
        let next = follow(&empty, &redirect(307, "http://b.test/x")).unwrap();
        assert_eq!(next.unwrap().method, "POST");
    }

    #[test]
    fn other_answers_are_not_followed() {
        let none = |response: &Response| follow(&request("GET"), response).unwrap().is_none();
        assert!(none(&redirect(200, "/b")));
        assert!(none(&redirect(304, "/b")));
        let nowhere = Response {
            headers: Headers::new(b"HTTP/1.1 302 Found\r\n\r\n", false),
            ..redirect(302, "/b")
        };
        assert!(none(&nowhere));
        assert!(follow(&request("GET"), &redirect(302, "ftp://a.test/")).is_err());
    }
}
