use proptest::prelude::*;

use super::*;

fn quota(lines: &str) -> Quota {
    let head = format!(
        "HTTP/1.1 429 Too Many Requests\r\n{}\r\n\r\n",
        lines.trim().replace('\n', "\r\n")
    );
    Quota::of(&Headers::new(head.as_bytes(), false))
}

fn only(quota: &Quota) -> (f64, Option<f64>) {
    assert_eq!(quota.policies.len(), 1, "{quota:?}");
    (quota.policies[0].limit, quota.policies[0].window_s)
}

#[test]
fn the_drafts_old_and_new_are_read() {
    // express-rate-limit, `standardHeaders: "draft-6"`, and its legacy headers beside it
    let old = quota(
        "RateLimit-Policy: 100;w=900\nRateLimit-Limit: 100\nRateLimit-Remaining: 0\nRateLimit-Reset: 873\nRetry-After: 873",
    );
    assert_eq!(only(&old), (100.0, Some(900.0)));
    assert_eq!((old.wait_s, old.retry_after), (Some(873.0), true));
    // draft-7
    let seven = quota("RateLimit-Policy: 100;w=900\nRateLimit: limit=100, remaining=0, reset=12");
    assert_eq!(only(&seven), (100.0, Some(900.0)));
    assert_eq!(seven.wait_s, Some(12.0));
    // draft-8 and later
    let new = quota(
        "RateLimit-Policy: \"burst\";q=10;w=1, \"a, day\";q=1000;w=86400;pk=:MTI3:\nRateLimit: \"a, day\";r=0;t=50",
    );
    assert_eq!(new.policies.len(), 2);
    let day = &new.policies[1];
    assert_eq!((day.limit, day.window_s), (1000.0, Some(86_400.0)));
    assert!(
        day.partitioned && day.spent && !new.policies[0].spent,
        "{new:?}"
    );
    assert_eq!(new.wait_s, Some(50.0));
    // up to draft-02: policies behind the limit
    let first = quota("RateLimit-Limit: 10, 10;w=60\nRateLimit-Reset: 7");
    assert_eq!(only(&first), (10.0, Some(60.0)));
    let two = quota("RateLimit-Limit: 100, 100;w=10, 1000;w=3600");
    let told: Vec<_> = two
        .policies
        .iter()
        .map(|one| (one.limit, one.window_s, one.spent))
        .collect();
    assert_eq!(
        told,
        [(100.0, Some(10.0), true), (1000.0, Some(3600.0), false)]
    );
}

#[test]
fn older_headers_and_times_of_day_are_read() {
    let span = quota("X-RateLimit-Limit: 5000\nX-RateLimit-Reset: 3600");
    assert_eq!(only(&span), (5000.0, None));
    assert_eq!(span.wait_s, Some(3600.0));
    let now = quota(
        "Date: Sat, 21 Nov 2026 21:25:53 GMT\nX-RateLimit-Limit: 60\nX-RateLimit-Reset: 1795296413",
    );
    assert_eq!(now.wait_s, Some(60.0));
    let millis = quota(
        "Date: Sat, 21 Nov 2026 21:25:53 GMT\nX-Rate-Limit-Limit: 60\nX-Rate-Limit-Reset: 1795296413000",
    );
    assert_eq!(millis.wait_s, Some(60.0));
    let date =
        quota("Date: Sat, 21 Nov 2026 21:25:53 GMT\nRetry-After: Sat, 21 Nov 2026 21:26:23 GMT");
    assert_eq!((date.wait_s, date.retry_after), (Some(30.0), true));
    assert_eq!(
        quota("X-RateLimit-Reset: 1795296413").wait_s,
        None,
        "no Date to hold it against"
    );
}

#[test]
fn what_is_malformed_counts_as_not_there() {
    for lines in [
        "RateLimit-Policy: many;w=60",
        "RateLimit-Limit: -3",
        "Retry-After: soon",
        "RateLimit: ;;;",
        "Server: x",
    ] {
        assert_eq!(quota(lines), Quota::default(), "{lines}");
    }
}

proptest! {
    #[test]
    fn no_header_makes_it_stumble(value in "[ -~]{0,80}") {
        for name in ["RateLimit-Policy", "RateLimit", "X-RateLimit-Reset", "Retry-After", "Date"] {
            let quota = quota(&format!("{name}: {value}"));
            prop_assert!(quota.policies.len() <= ITEMS_LIMIT);
            prop_assert!(quota.wait_s.is_none_or(|wait| wait >= 0.0));
        }
    }
}
