use std::fs;

/// Time of all cores of this machine since it started, in ticks of the kernel's clock (mostly 10 ms).
///
/// Source: the first line of `/proc/stat`, whose fields `proc_stat(5)` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreTime {
    /// Time in which a core had something to run, but the host of the virtual machine ran something else.
    pub stolen: u64,
    /// All time: busy, idle and stolen.
    pub all: u64,
}

impl CoreTime {
    /// Reads the counters. `None` if the kernel does not provide them.
    pub fn look() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        let fields = stat.lines().next()?.strip_prefix("cpu ")?;
        // Times of guests come after these eight fields. They are part of the user time.
        let times = fields.split_ascii_whitespace().take(8);
        let times: Vec<u64> = times.map(str::parse).collect::<Result<_, _>>().ok()?;
        let [_, _, _, _, _, _, _, stolen] = times[..] else {
            return None;
        };
        Some(Self {
            stolen,
            all: times.iter().sum(),
        })
    }

    /// Share of the cores' time that the host took since `earlier`, in percent. `None` if no time has passed.
    #[must_use]
    pub fn stolen_percent_since(self, earlier: Self) -> Option<f64> {
        let all = self.all.checked_sub(earlier.all).filter(|all| *all > 0)?;
        let stolen = self.stolen.saturating_sub(earlier.stolen);
        Some(stolen as f64 * 100.0 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_share_is_that_of_all_cores() {
        let before = CoreTime::parse("cpu  100 0 50 800 0 0 10 40 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
        let after = CoreTime::parse("cpu  120 0 60 860 0 0 10 150 9 0\n");
        let (before, after) = (before.unwrap(), after.unwrap());
        assert_eq!(
            (before.stolen, before.all),
            (40, 1000),
            "without the guests' time"
        );
        assert_eq!(after.stolen_percent_since(before), Some(55.0));
        assert_eq!(before.stolen_percent_since(before), None);
    }

    #[test]
    fn an_unknown_form_yields_nothing() {
        for text in [
            "",
            "cpu  1 2 3\n",
            "cpu  a b c d e f g h\n",
            "intr 1 2 3 4 5 6 7 8\n",
        ] {
            assert_eq!(CoreTime::parse(text), None, "{text:?}");
        }
    }
}
