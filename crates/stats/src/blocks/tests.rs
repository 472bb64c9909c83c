use super::*;
use crate::counts::bin_of;
use proptest::prelude::*;

fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// The blocks of `(time, value)` pairs in order of time.
fn written(values: &[(u64, u64)]) -> Blocks {
    let mut times = Histogram::new();
    let mut writer = BlockWriter::default();
    for &(at, value) in values {
        times.record(Nanos(value));
        writer.close(ms(at), &times, 0);
    }
    writer.into_blocks()
}

#[test]
fn each_block_holds_what_came_in_it() {
    let mut times = Histogram::new();
    let mut writer = BlockWriter::default();
    times.record_n(ms(1), 3);
    writer.close(ms(0), &times, 0);
    times.record_n(ms(1), 2);
    times.record(ms(9));
    writer.close(ms(260), &times, 4);
    writer.close(ms(500), &times, 4);
    times.record(ms(1));
    writer.close(ms(1_249), &times, 5);
    let blocks = writer.into_blocks();
    let (low, high) = (bin_of(ms(1)), bin_of(ms(9)));
    let expected = [
        (vec![(low, 3)], 0),
        (vec![(low, 2), (high, 1)], 4),
        (vec![], 0),
        (vec![], 0),
        (vec![(low, 1)], 1),
    ];
    let found: Vec<_> = blocks
        .blocks
        .iter()
        .map(|one| (one.bins.clone(), one.endless))
        .collect();
    assert_eq!(found, expected);
    assert_eq!((blocks.width(), blocks.count()), (ms(250), 12));
    assert!(Blocks::default().is_empty() && !blocks.is_empty());
}

#[test]
fn where_nothing_is_new_no_block_is_made() {
    let mut times = Histogram::new();
    let mut writer = BlockWriter::default();
    times.record(ms(1));
    for at in [0, 10_000] {
        writer.close(ms(at), &times, 3);
    }
    let blocks = writer.into_blocks();
    assert_eq!((blocks.blocks.len(), blocks.count()), (1, 4));
}

#[test]
fn values_of_one_bin_are_counted_together() {
    let mut times = Histogram::new();
    let mut writer = BlockWriter::default();
    times.record(Nanos(1_000_000));
    times.record(Nanos(1_010_000));
    writer.close(ms(0), &times, 0);
    assert_eq!(writer.into_blocks().blocks[0].bins, [(bin_of(ms(1)), 2)]);
}

#[test]
fn neighbours_are_put_together_when_there_are_too_many() {
    let quarter = |at: u64| (at * 250, 1_000_000);
    let blocks = written(&(0..64).map(quarter).collect::<Vec<_>>());
    assert_eq!((blocks.blocks.len(), blocks.width()), (64, ms(250)));
    let blocks = written(&(0..65).map(quarter).collect::<Vec<_>>());
    assert_eq!((blocks.blocks.len(), blocks.width()), (33, ms(500)));
    let sizes: Vec<u64> = blocks.blocks.iter().map(Counts::total).collect();
    assert_eq!((sizes[0], sizes[31], sizes[32]), (2, 2, 1));
    let day = written(&[(0, 5), (86_400_000, 5)]);
    assert!(day.blocks.len() <= BLOCKS && day.width() >= Nanos::from_secs(86_400 / 64));
    assert_eq!(day.count(), 2);
}

#[test]
fn bins_are_three_percent_wide_and_leave_no_gap() {
    for (value, bin) in [
        (0, 0),
        (63, 63),
        (64, 64),
        (65, 64),
        (66, 65),
        (127, 95),
        (128, 96),
    ] {
        assert_eq!(bin_of(Nanos(value)), bin, "{value}");
    }
    assert_eq!(bin_of(Nanos::MAX), 64 + 58 * 32 - 1);
    assert_eq!(bin_of(Nanos(1_000_000)), bin_of(Nanos(1_015_807)));
    assert_eq!(bin_of(Nanos(1_015_808)), bin_of(Nanos(1_000_000)) + 1);
}

/// The JSON of a record with these bytes.
fn packed(plain: &[u8]) -> String {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, plain).unwrap();
    let engine = &base64::engine::general_purpose::STANDARD;
    let counts = base64::Engine::encode(engine, packed.finish().unwrap());
    serde_json::json!({ "width_ms": 250, "counts": counts }).to_string()
}

#[test]
fn bins_ascend_and_end_with_the_range() {
    // For each block: the timeouts, the number of bins, and for each bin its distance from the last and its count.
    for (plain, is_read) in [
        (&[0, 1, 0, 7][..], true),
        (&[0, 2, 5, 7, 1, 7], true),
        (&[0, 2, 5, 7, 0, 7], false),
        (&[0, 1, 0xff, 0x0f, 7], true),
        (&[0, 1, 0x80, 0x10, 7], false),
    ] {
        let read = serde_json::from_str::<Blocks>(&packed(plain));
        assert_eq!(read.is_ok(), is_read, "{plain:?}");
        assert!(read.is_err() || read.is_ok_and(|blocks| blocks.count() % 7 == 0));
    }
}

#[test]
fn the_fullest_blocks_are_read_again() {
    let mut times = Histogram::new();
    let mut writer = BlockWriter::default();
    for block in 0..64 {
        for (power, part) in (6..64).flat_map(|power| (0..32).map(move |part| (power, part))) {
            times.record_n(Nanos((32 + part) << (power - 5)), 200);
        }
        writer.close(ms(block * 250), &times, 0);
    }
    let blocks = writer.into_blocks();
    assert_eq!(blocks.count(), 64 * 58 * 32 * 200);
    let text = serde_json::to_string(&blocks).unwrap();
    assert_eq!(serde_json::from_str::<Blocks>(&text).unwrap(), blocks);
}

#[test]
fn damaged_blocks_are_refused() {
    let text = serde_json::to_string(&written(&[(0, 1), (250, 70), (500, 900)])).unwrap();
    let whole: Blocks = serde_json::from_str(&text).unwrap();
    assert_eq!(whole, written(&[(0, 1), (250, 70), (500, 900)]));
    for (from, to) in [
        ("\"width_ms\":250", "\"width_ms\":251"),
        ("\"counts\":\"", "\"counts\":\"!"),
        ("\"counts\":\"eJ", "\"counts\":\"eK"),
    ] {
        let broken = text.replace(from, to);
        assert_ne!(broken, text);
        assert!(serde_json::from_str::<Blocks>(&broken).is_err(), "{broken}");
    }
}

fn courses() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let one = (0_u64..40_000, 0_u32..40, any::<u64>());
    prop::collection::vec(one, 0..80).prop_map(|all| {
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(at, power, random)| (at, (1 << power) + random % (1 << power)))
            .collect();
        all.sort_unstable();
        all
    })
}

proptest! {
    #[test]
    fn workers_put_together_are_one(one in courses(), other in courses(), both in any::<bool>()) {
        let mut merged = written(&one);
        merged.merge(&written(&other));
        let mut all = [one, other].concat();
        all.sort_unstable();
        let together = written(&all);
        prop_assert_eq!(&merged, &together);
        prop_assert_eq!(merged.count(), all.len() as u64);
        if both {
            let text = serde_json::to_string(&together).unwrap();
            prop_assert_eq!(serde_json::from_str::<Blocks>(&text).unwrap(), together);
        }
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(mut read) = serde_json::from_str::<Blocks>(&packed(&bytes)) {
            read.merge(&written(&[(20_000, 5)]));
            let _ = read.design_effect();
        }
    }
}
