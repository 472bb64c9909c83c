use cookie_store::{Cookie, CookieStore, RawCookie, StoreAction};
use url::Url;

use super::headers::Headers;

/// Maximum number of cookies of a user. Chrome and Firefox have this limit for each site. Without it, a target that names
/// a new cookie in each response would make every user larger, and every request.
const COOKIES_LIMIT: usize = 180;
/// Maximum size of the name and value of a cookie in bytes, as in browsers.
const COOKIE_BYTES: usize = 4096;

/// The cookies of one user (RFC 6265). An unused jar takes the space of one pointer.
///
/// The cookie store reads the wall clock to expire cookies. The code of this crate reads no clock.
#[derive(Clone, Debug, Default)]
pub struct CookieJar {
    store: Option<Box<CookieStore>>,
}

impl CookieJar {
    /// The value of the `Cookie` header for a request to `url`.
    pub fn header_for(&self, url: &Url) -> Option<String> {
        let mut header = String::new();
        for (name, value) in self.store.as_ref()?.get_request_values(url) {
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.extend([name, "=", value]);
        }
        (!header.is_empty()).then_some(header)
    }

    /// Stores the cookies that a response from `url` sets. Ignores cookies that the standard forbids.
    pub fn store(&mut self, url: &Url, headers: &Headers) {
        if !headers.sets_cookies() {
            return;
        }
        for text in headers.all("set-cookie") {
            self.set(url, text);
        }
    }

    /// Stores one cookie, given as a `Set-Cookie` value, as if a response from `url` had set it.
    ///
    /// Returns false if the standard forbids the cookie, or if it contains control characters other than a tab, because
    /// they would end up in the head of a request. Also returns false for a cookie of more than 4,096 bytes, which
    /// browsers ignore. A new cookie beyond the limit of 180 replaces another one.
    pub fn set(&mut self, url: &Url, set_cookie: &str) -> bool {
        if set_cookie.contains(|char: char| char.is_control() && char != '\t') {
            return false;
        }
        let Ok(cookie) = RawCookie::parse(set_cookie.to_owned()) else {
            return false;
        };
        if cookie.name().len() + cookie.value().len() > COOKIE_BYTES {
            return false;
        }
        let store = self.store.get_or_insert_default();
        let result = store.insert_raw(&cookie, url);
        if matches!(result, Ok(StoreAction::Inserted)) && store.iter_any().count() > COOKIES_LIMIT {
            make_room(store);
        }
        result.is_ok()
    }

    /// Whether the jar never had a cookie. This is cheaper than [`CookieJar::is_empty`].
    pub fn is_unused(&self) -> bool {
        self.store.is_none()
    }

    /// Whether the jar has no live cookie.
    pub fn is_empty(&self) -> bool {
        self.store
            .as_ref()
            .is_none_or(|store| store.iter_unexpired().next().is_none())
    }

    /// Every live cookie, as a pair of a URL that may set the cookie and the `Set-Cookie` value. A jar on another
    /// thread can take the pairs with [`CookieJar::import`] or [`CookieJar::set`].
    pub fn export(&self) -> Vec<(String, String)> {
        let stores = self.store.iter();
        stores
            .flat_map(|store| store.iter_unexpired())
            .map(exported)
            .collect()
    }

    /// A jar from the pairs of [`CookieJar::export`]. Pairs that do not parse are skipped.
    pub fn import<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut jar = Self::default();
        for (url, set_cookie) in pairs {
            if let Ok(url) = Url::parse(url) {
                jar.set(&url, set_cookie);
            }
        }
        jar
    }
}

/// Removes an expired cookie or, if there is none, the first of the first server.
fn make_room(store: &mut CookieStore) {
    let expired = store.iter_any().find(|cookie| cookie.is_expired());
    let gone = expired.or_else(|| store.iter_any().next()).map(|cookie| {
        let domain = String::from(&cookie.domain);
        (domain, String::from(&cookie.path), cookie.name().to_owned())
    });
    if let Some((domain, path, name)) = gone {
        store.remove(&domain, &path, &name);
    }
}

fn exported(cookie: &Cookie<'static>) -> (String, String) {
    let scheme = if cookie.secure().unwrap_or_default() {
        "https"
    } else {
        "http"
    };
    let domain = String::from(&cookie.domain);
    let path = String::from(&cookie.path);
    let mut raw: RawCookie<'static> = RawCookie::from(cookie.clone());
    raw.set_path(path.clone());
    raw.set_secure(cookie.secure()); // the conversion drops this attribute
    (format!("{scheme}://{domain}{path}"), raw.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn jar(from: &str, lines: &[&str]) -> CookieJar {
        let mut head = "HTTP/1.1 200 OK\r\n".to_owned();
        for line in lines {
            head.extend(["Set-Cookie: ", line, "\r\n"]);
        }
        head.push_str("\r\n");
        let mut jar = CookieJar::default();
        jar.store(&url(from), &Headers::new(head.as_bytes(), true));
        jar
    }

    #[test]
    fn cookies_go_back_only_where_they_belong() {
        let jar = jar(
            "http://a.test/app/login",
            &[
                "here=1",
                "root=2; Path=/",
                "safe=3; Path=/; Secure",
                "wide=4; Path=/; Domain=a.test",
                "other=5; Domain=b.test",
            ],
        );
        let sent = |to: &str| {
            let header = jar.header_for(&url(to)).unwrap_or_default();
            let mut pairs: Vec<String> = header.split("; ").map(str::to_owned).collect();
            pairs.sort();
            pairs.join("; ")
        };
        assert_eq!(sent("http://a.test/app/x"), "here=1; root=2; wide=4");
        assert_eq!(sent("http://a.test/"), "root=2; wide=4");
        assert_eq!(sent("http://sub.a.test/"), "wide=4");
        assert_eq!(sent("http://b.test/"), "");
    }

    #[test]
    fn a_cookie_can_be_replaced_and_removed() {
        let mut jar = jar("http://a.test/", &["k=1", "k=2"]);
        assert_eq!(
            jar.header_for(&url("http://a.test/")).as_deref(),
            Some("k=2")
        );
        jar.set(&url("http://a.test/"), "k=; Max-Age=0");
        assert_eq!(jar.header_for(&url("http://a.test/")), None);
        assert!(jar.is_empty());
    }

    #[test]
    fn a_cookie_cannot_break_the_line_that_it_is_sent_in() {
        let mut jar = CookieJar::default();
        assert!(!jar.set(&url("http://a.test/"), "a=b\rX-Other: c"));
        assert!(!jar.set(&url("http://a.test/"), "a=b\0"));
        assert!(jar.is_empty());
    }

    #[test]
    fn a_jar_keeps_the_newest_180_cookies_and_none_of_more_than_4_kb() {
        let target = url("http://a.test/");
        let mut jar = CookieJar::default();
        for number in 0..1000 {
            assert!(jar.set(&target, &format!("c{number}=x")));
        }
        let expected: Vec<String> = (820..1000).map(|number| format!("c{number}=x")).collect();
        assert_eq!(jar.header_for(&target).unwrap(), expected.join("; "));
        assert!(jar.set(&target, "c999=; Max-Age=0"));
        assert!(
            jar.set(&target, "new=1"),
            "takes the place of the removed one"
        );
        let header = jar.header_for(&target).unwrap();
        assert!(header.starts_with("c820=x; "), "{header}");
        assert!(jar.set(&target, &format!("a={}", "x".repeat(4095))));
        assert!(!jar.set(&target, &format!("b={}", "x".repeat(4096))));
    }

    #[test]
    fn an_empty_jar_is_one_pointer() {
        assert_eq!(size_of::<CookieJar>(), size_of::<usize>());
        assert_eq!(
            CookieJar::default().header_for(&url("http://a.test/")),
            None
        );
    }

    #[test]
    fn a_jar_survives_the_way_to_another_thread() {
        let jar = jar(
            "http://a.test/app/login",
            &[
                "here=1",
                "wide=4; Domain=a.test; Max-Age=1000",
                "root=2; Path=/",
                "safe=3; Path=/; Secure",
            ],
        );
        let pairs = jar.export();
        let borrowed = pairs
            .iter()
            .map(|(url, line)| (url.as_str(), line.as_str()));
        let copy = CookieJar::import(borrowed);
        for to in [
            "http://a.test/app/x",
            "http://a.test/",
            "http://sub.a.test/app/",
            "https://a.test/app/x",
        ] {
            let sorted = |jar: &CookieJar| {
                let header = jar.header_for(&url(to)).unwrap_or_default();
                let mut pairs: Vec<String> = header.split("; ").map(str::to_owned).collect();
                pairs.sort();
                pairs
            };
            assert_eq!(sorted(&copy), sorted(&jar), "{to}");
        }
    }
}
