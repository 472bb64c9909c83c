use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::counts::packed::{pack, unpack};
use crate::counts::{Counts, halved};
use crate::histogram::Histogram;

/// Maximum number of columns. Before it is exceeded, neighbouring columns are merged. A chart is rarely wider in
/// pixels.
const COLUMNS: usize = 1200;
/// Maximum number of times that the width of a column doubles.
const MOST_DOUBLINGS: u32 = 31;
/// Each row has two to this power bins, so that four rows divide a power of two.
const ROW_BITS: u32 = 3;

/// Times over the seconds of a level, for a picture: how many times of each length each second had.
///
/// The rows are coarse and the number of columns is bounded, so a heat map stays small however long the level is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatMap {
    /// A column spans two to this power seconds.
    doublings: u32,
    columns: Vec<Counts>,
}

/// The times of one column.
#[derive(Clone, Copy, Debug)]
pub struct HeatColumn<'a>(&'a Counts);

impl HeatMap {
    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The width of a column in seconds.
    pub fn width_s(&self) -> u32 {
        1 << self.doublings
    }

    /// The columns in order of time.
    pub fn columns(&self) -> impl Iterator<Item = HeatColumn<'_>> {
        self.columns.iter().map(HeatColumn)
    }

    /// Adds the times of second `second` of the level, and the number of operations of this second that never ended.
    pub fn add(&mut self, second: usize, times: &Histogram, endless: u64) {
        while second >> self.doublings >= COLUMNS && self.doublings < MOST_DOUBLINGS {
            self.doublings += 1;
            self.columns = halved(&self.columns);
        }
        let index = second >> self.doublings;
        if index >= COLUMNS {
            return; // after more than 80,000 years
        }
        let columns = self.columns.len().max(index + 1);
        self.columns.resize_with(columns, Counts::default);
        self.columns[index].add(&Counts::of(times, endless).coarser(ROW_BITS));
    }
}

impl HeatColumn<'_> {
    /// The non-empty rows with their counts, in ascending order.
    ///
    /// A row `r` below 8 begins at `8 r` ns. For a higher row, let `p = r / 4 - 1`: it begins at `(r - 4 p) << (p + 3)` ns.
    pub fn rows(&self) -> &[(u16, u64)] {
        &self.0.bins
    }

    /// Number of operations that never ended.
    pub fn endless(&self) -> u64 {
        self.0.endless
    }
}

#[derive(Serialize, Deserialize)]
struct Saved {
    width_s: u32,
    counts: String,
}

impl Serialize for HeatMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = Saved {
            width_s: self.width_s(),
            counts: pack(&self.columns).map_err(ser::Error::custom)?,
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HeatMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        if !saved.width_s.is_power_of_two() {
            return Err(de::Error::custom("`width_s` is not a power of two"));
        }
        let columns = unpack(&saved.counts, COLUMNS).map_err(de::Error::custom)?;
        Ok(Self {
            doublings: saved.width_s.trailing_zeros(),
            columns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn second(number: u64) -> Histogram {
        let mut times = Histogram::new();
        times.record_n(Nanos::from_millis(1 + number % 50), 3);
        times.record(Nanos::from_millis(400));
        times
    }

    fn after(seconds: usize) -> HeatMap {
        let mut map = HeatMap::default();
        for number in 0..seconds {
            map.add(number, &second(number as u64), u64::from(number % 10 == 0));
        }
        map
    }

    fn total(map: &HeatMap) -> u64 {
        let rows = map.columns().flat_map(|column| column.rows().to_vec());
        rows.map(|(_, count)| count).sum()
    }

    #[test]
    fn ten_hours_are_at_most_1200_columns_that_hold_all_times() {
        let map = after(36_000);
        assert_eq!((map.width_s(), map.columns().count()), (32, 1125));
        assert_eq!(total(&map), 4 * 36_000);
        let endless: u64 = map.columns().map(|column| column.endless()).sum();
        assert_eq!(endless, 3_600);
    }

    #[test]
    fn a_row_holds_the_times_of_a_quarter_of_a_power_of_two() {
        for (ns, row) in [
            (0, 0),
            (7, 0),
            (8, 1),
            (63, 7),
            (64, 8),
            (80, 9),
            (96, 10),
            (127, 11),
            (128, 12),
        ] {
            let mut map = HeatMap::default();
            let mut times = Histogram::new();
            times.record(Nanos(ns));
            map.add(0, &times, 0);
            let column = map.columns().next().unwrap();
            assert_eq!(column.rows(), [(row, 1)], "{ns} ns");
        }
    }

    #[test]
    fn a_saved_heat_map_is_read_again_and_an_hour_takes_little() {
        let map = after(3600);
        let json = serde_json::to_string(&map).unwrap();
        assert!(json.len() < 100_000, "{} bytes", json.len());
        assert_eq!(serde_json::from_str::<HeatMap>(&json).unwrap(), map);
        let odd = r#"{"width_s":3,"counts":""}"#;
        assert!(serde_json::from_str::<HeatMap>(odd).is_err());
    }

    #[test]
    fn a_second_without_times_is_an_empty_column() {
        let mut map = HeatMap::default();
        map.add(3, &second(0), 0);
        let sizes: Vec<usize> = map.columns().map(|column| column.rows().len()).collect();
        assert_eq!(sizes, [0, 0, 0, 2]);
    }
}
