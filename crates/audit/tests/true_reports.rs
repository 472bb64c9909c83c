//! True reports whose figures look contradictory, each with a false report that hardly differs. The true one is never
//! called impossible, and the false one is found.

#[path = "common/judged.rs"]
mod judged;

use audit::Severity;
use judged::{audited, impossible, possible, severity, unsupported};

/// 10,000 requests with 9 failures. One operation has 500 of the requests and 8 of the failures.
const ROWS: &str = "[[level]]\nname = \"a\"\ncount = 10000\nok = 9991\nfailed = 9\n\
    [[level.row]]\nname = \"search\"\ncount = 9500\nok = 9499\nfailed = 1\n\
    [[level.row]]\nname = \"buy\"\ncount = 500\nok = 492\nfailed = 8\n";

#[test]
fn a_share_of_success_without_a_row_is_about_the_whole() {
    let claim = |value: &str, more: &str| {
        format!("{ROWS}[[claim]]\nkind = \"success\"\ntext = \"t\"\nvalue = \"{value}\"\n{more}")
    };
    for value in ["99.9%", "99.9", "99.91%", "100%", "99 %"] {
        possible(&claim(value, ""));
        possible(&claim(value, "levels = \"a\"\n"));
    }
    possible(&claim("98.4%", "row = \"buy\"\n"));
    impossible(&claim("99.95%", ""), "success-beside-failures");
    impossible(
        &claim("99.9%", "row = \"buy\"\n"),
        "success-beside-failures",
    );
    // "100 %" may be 99.91 % after rounding, but failures were counted.
    unsupported(&claim("100%", ""), "success-beside-failures");
    let all = format!("{ROWS}[[claim]]\nkind = \"success\"\ntext = \"no errors\"\n");
    impossible(&all, "success-beside-failures");
}

#[test]
fn a_share_of_success_without_a_level_is_about_the_whole_run() {
    let level = |name: &str, ok: u32, failed: u32| {
        format!(
            "[[level]]\nname = \"{name}\"\ncount = {}\nok = {ok}\nfailed = {failed}\n",
            ok + failed
        )
    };
    let run = level("10 users", 90_000, 0) + &level("100 users", 9_910, 90);
    let claim = |value: &str| {
        format!("{run}[[claim]]\nkind = \"success\"\ntext = \"t\"\nvalue = \"{value}\"\n")
    };
    possible(&claim("99.9%"));
    impossible(&claim("99.97%"), "success-beside-failures");
}

#[test]
fn a_share_that_meets_its_limit_by_the_counts_meets_it_however_it_is_rounded() {
    let level = "[[level]]\nname = \"a\"\ncount = 100000\nfailed = 9\nsuccess = \"99.9%\"\n";
    let claim = |of: &str, limit: &str, level: &str| {
        format!(
            "{level}[[claim]]\nkind = \"meets\"\ntext = \"t\"\nof = \"{of}\"\nlimit = \"{limit}\"\nlevels = [\"a\"]\n"
        )
    };
    let found =
        |of: &str, limit: &str, level: &str| severity(&claim(of, limit, level), "target-met");
    // 9 of 100,000 are 0.009 %, and 99.991 % succeeded.
    for (of, limit) in [
        ("failed", "< 0.0091%"),
        ("failed", "0.01%"),
        ("success", ">= 99.99%"),
    ] {
        assert_eq!(found(of, limit, level), None, "{of} {limit}");
    }
    for (of, limit) in [
        ("failed", "< 0.0089%"),
        ("failed", "< 0.009%"),
        ("success", ">= 99.992%"),
    ] {
        assert_eq!(
            found(of, limit, level),
            Some(Severity::Unsupported),
            "{of} {limit}"
        );
    }
    // A coarse share looks better than it is.
    let better = "[[level]]\nname = \"a\"\nok = 99940\nfailed = 60\nsuccess = \"100%\"\n";
    assert!(found("success", ">= 99.95%", better).is_some());
    assert_eq!(found("success", ">= 99.94%", better), None);
    // Rounded counts, and operations that had not ended, do not replace the published share.
    let rounded =
        "[[level]]\nname = \"a\"\ncount = 100000\nfailed = \"~100\"\nsuccess = \"99.99%\"\n";
    assert_eq!(found("success", ">= 99.99%", rounded), None);
    let open = "[[level]]\nname = \"a\"\ncount = 1000\nfailed = 10\nunfinished = 500\nsuccess = \"98.0%\"\n";
    assert_eq!(found("success", ">= 98%", open), None);
    assert!(found("success", ">= 98.6%", open).is_some());
}

#[test]
fn what_had_not_ended_when_nobody_told_is_no_failure() {
    let level = "[[level]]\nname = \"a\"\ncount = 1000\nok = 990\nsuccess = \"100%\"\n";
    possible(level);
    possible(&format!(
        "{level}[[claim]]\nkind = \"success\"\ntext = \"t\"\nvalue = \"99.9%\"\n"
    ));
    impossible(
        "[[level]]\nname = \"a\"\ncount = 1000\nok = 990\nfailed = 10\nsuccess = \"100.0%\"\n",
        "counts-do-not-add-up",
    );
    // One failure in 30,000 is a share of 99.997 %, printed with two decimals.
    possible(
        "[[level]]\nname = \"a\"\ncount = 30000\nsuccess = \"100.00\"\nfailures = { \"500\" = 1 }\n",
    );
}

#[test]
fn a_change_without_a_row_is_that_of_the_whole() {
    let level = |name: &str, mean: &str, search: &str, buy: &str| {
        format!(
            "[[level]]\nname = \"{name}\"\nmean = \"{mean}\"\n[[level.row]]\nname = \"search\"\nmean = \"{search}\"\n\
             [[level.row]]\nname = \"buy\"\nmean = \"{buy}\"\n"
        )
    };
    let both = level("a", "10.0ms", "8.0ms", "30.0ms") + &level("b", "20.0ms", "19.0ms", "31.0ms");
    let claim = |by: &str, more: &str| {
        format!(
            "{both}[[claim]]\nkind = \"change\"\ntext = \"t\"\nof = \"mean\"\nlevels = [\"a\", \"b\"]\nby = \"{by}\"\n{more}"
        )
    };
    possible(&claim("2.0x", ""));
    possible(&claim("+100%", ""));
    possible(&claim("+3%", "row = \"buy\"\n"));
    impossible(&claim("2.5x", ""), "change");
    impossible(&claim("2.0x", "row = \"buy\"\n"), "change");
}

#[test]
fn a_change_may_be_cut_off_and_a_share_may_change_by_points() {
    let level = |name: &str, mean: &str, success: &str| {
        format!("[[level]]\nname = \"{name}\"\nmean = \"{mean}\"\nsuccess = \"{success}\"\n")
    };
    let both = level("a", "10.00ms", "50.0%") + &level("b", "14.29ms", "75.0%");
    let claim = |of: &str, by: &str| {
        format!(
            "{both}[[claim]]\nkind = \"change\"\ntext = \"t\"\nof = \"{of}\"\nlevels = [\"a\", \"b\"]\nby = \"{by}\"\n"
        )
    };
    for by in ["+42%", "+43%", "1.4x", "1.42x", "1.43x"] {
        possible(&claim("mean", by));
    }
    impossible(&claim("mean", "+50%"), "change");
    possible(&claim("success", "+50%"));
    possible(&claim("success", "+25%"));
    impossible(&claim("success", "+10%"), "change");
}

#[test]
fn a_cliff_is_a_change_for_the_worse_whatever_the_figure() {
    let level = |users: u32, success: &str, p95: &str, rate: &str| {
        format!(
            "[[level]]\nname = \"{users}\"\nusers = {users}\nsuccess = \"{success}\"\np95 = \"{p95}\"\nrate = \"{rate}\"\n"
        )
    };
    let run = level(5, "100%", "9ms", "50")
        + &level(10, "99.9%", "10ms", "99")
        + &level(20, "61%", "900ms", "41");
    let claim = |of: &str, levels: &str| {
        format!(
            "{run}[[claim]]\nkind = \"cliff\"\ntext = \"t\"\nof = \"{of}\"\nlevels = [{levels}]\n"
        )
    };
    for of in ["success", "p95", "rate"] {
        possible(&claim(of, "\"10\", \"20\""));
        impossible(&claim(of, "\"20\", \"10\""), "cliff");
    }
}

#[test]
fn more_that_was_sent_is_not_worse() {
    let level = |name: &str, sent: u32, failed: u32, p95: &str| {
        format!(
            "[[level]]\nname = \"{name}\"\ncount = {sent}\nok = {}\nfailed = {failed}\np95 = \"{p95}\"\n",
            sent - failed
        )
    };
    let both = level("a", 1000, 10, "1190ms") + &level("b", 2000, 12, "1.2s");
    let claim = |of: &str| {
        format!(
            "{both}[[claim]]\nkind = \"better\"\ntext = \"t\"\nof = \"{of}\"\nlevels = [\"a\", \"b\"]\n"
        )
    };
    for of in ["sent", "count", "ok", "failed", "success"] {
        assert_eq!(severity(&claim(of), "better"), None, "{of}");
    }
    // 1,190 ms may be 1,190.4 ms, and 1.2 s may be 1,185 ms.
    possible(&claim("p95"));
    let worse = level("a", 1000, 10, "1190ms") + &level("b", 2000, 212, "1.5s");
    for of in ["p95", "success"] {
        impossible(
            &format!(
                "{worse}[[claim]]\nkind = \"better\"\ntext = \"t\"\nof = \"{of}\"\nlevels = [\"a\", \"b\"]\n"
            ),
            "better",
        );
    }
}

#[test]
fn what_is_no_time_has_no_unit_of_time() {
    let level = "unit = \"s\"\n[[level]]\nname = \"a\"\nusers = 20\nsessions = 20\ncount = 1000\nok = 999\nfailed = 1\nmean = 0.5\n";
    for claim in [
        "kind = \"success\"\nvalue = 99.9",
        "kind = \"success\"\nvalue = \"99.9%\"",
        "kind = \"meets\"\nof = \"success\"\nlimit = 99.9\nlevels = \"a\"",
        "kind = \"meets\"\nof = \"count\"\nlimit = 900\nlevels = \"a\"",
        "kind = \"states\"\nof = \"users\"\nvalue = 20\nlevels = \"a\"",
        "kind = \"states\"\nof = \"sessions\"\nvalue = 20\nlevels = \"a\"",
        "kind = \"states\"\nof = \"count\"\nvalue = 1000\nlevels = \"a\"",
        "kind = \"states\"\nof = \"mean\"\nvalue = 0.5\nlevels = \"a\"",
        "kind = \"meets\"\nof = \"mean\"\nlimit = 0.6\nlevels = \"a\"",
    ] {
        let text = format!("{level}[[claim]]\ntext = \"t\"\n{claim}\n");
        let audit = audited(&text);
        let told: Vec<_> = audit
            .findings
            .iter()
            .filter(|one| one.subject == "t" && one.rule != "success-beside-failures")
            .collect();
        assert!(told.is_empty(), "{text}\n{told:#?}");
        possible(&text);
    }
}

#[test]
fn failures_in_per_cent_are_a_share_and_not_a_count() {
    let claim = |kind: &str, key: &str, value: &str| {
        format!(
            "{ROWS}[[claim]]\nkind = \"{kind}\"\ntext = \"t\"\nof = \"failed\"\nlevels = \"a\"\n{key} = \"{value}\"\n"
        )
    };
    for (kind, key, value) in [
        ("states", "value", "0.09%"),
        ("states", "value", "9"),
        ("meets", "limit", "< 0.1%"),
        ("meets", "limit", "< 10"),
    ] {
        let text = claim(kind, key, value);
        assert_eq!(audited(&text).findings, [], "{text}");
    }
    impossible(&claim("meets", "limit", "< 0.01%"), "target-met");
    impossible(&claim("meets", "limit", "5"), "target-met");
    assert_eq!(
        severity(&claim("states", "value", "0.9%"), "told-twice"),
        Some(Severity::Doubtful)
    );
}

#[test]
fn a_limit_says_by_its_sign_on_which_side_the_figure_is() {
    let level = "[[level]]\nname = \"a\"\nrate = 90.4\np95 = \"104ms\"\nsuccess = \"99.96%\"\n";
    let claim = |of: &str, limit: &str| {
        format!(
            "{level}[[claim]]\nkind = \"meets\"\ntext = \"t\"\nlevels = \"a\"\nof = \"{of}\"\nlimit = \"{limit}\"\n"
        )
    };
    for (of, limit) in [
        ("rate", "90"),
        ("rate", "> 90"),
        ("rate", "< 100"),
        ("p95", "< 110ms"),
        ("p95", "> 100ms"),
        ("success", "≥ 99.96"),
    ] {
        assert_eq!(
            severity(&claim(of, limit), "target-met"),
            None,
            "{of} {limit}"
        );
    }
    for (of, limit) in [
        ("rate", "95"),
        ("rate", "< 80"),
        ("p95", "< 90ms"),
        ("p95", "> 120ms"),
        ("success", "99.99"),
    ] {
        impossible(&claim(of, limit), "target-met");
    }
    // 104 ms may be 103.4 ms by rounding, or 102.4 ms by the error of a histogram with two digits.
    unsupported(&claim("p95", "< 103.5ms"), "target-met");
}

#[test]
fn users_who_come_over_a_ramp_are_fewer_than_there_are_at_its_end() {
    // 100 users with requests of 1 s: 60 s of ramp-up and 60 s of measurement. Both are counted, but the rate covers
    // only the measurement.
    let level = |ramp: &str, count: u32, rate: u32| {
        format!(
            "loop = \"closed\"\n[[level]]\nname = \"a\"\nusers = 100\nduration = \"60s\"\n{ramp}count = {count}\nok = {count}\nfailed = 0\n\
             rate = {rate}.0\nmean = \"1.00s\"\nmax = \"1.20s\"\n"
        )
    };
    possible(&level("ramp = \"60s\"\n", 9000, 150));
    possible(&level("", 9000, 150));
    impossible(&level("ramp = \"60s\"\n", 15_000, 250), "little-s-law");
    impossible(&level("ramp = \"0s\"\n", 9000, 150), "little-s-law");
    unsupported(&level("", 9000, 150), "little-s-law");
}

#[test]
fn quick_failures_without_a_time_break_no_law() {
    // Ten users. Nine of ten requests were refused at once, and the times are those of the others.
    let level = "loop = \"closed\"\n[[level]]\nname = \"a\"\nusers = 10\nduration = \"60s\"\nramp = \"0s\"\ncount = 100000\n";
    let times = "rate = 1666.7\nmean = \"59.0ms\"\nmax = \"100ms\"\n";
    possible(&format!("{level}ok = 10000\nfailed = 90000\n{times}"));
    impossible(
        &format!("{level}ok = 99990\nfailed = 10\n{times}"),
        "little-s-law",
    );
}
