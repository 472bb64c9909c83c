//! The median.

/// Returns the median of the values, which it sorts.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle_of_the_sorted_values() {
        for (mut values, middle) in [
            (vec![], None),
            (vec![7.0], Some(7.0)),
            (vec![3.0, 1.0, 2.0], Some(2.0)),
            (vec![5.0, 9.0, 4.0, 8.0, 6.0], Some(6.0)),
            // Of an even number of values, the larger one of the two in the middle.
            (vec![4.0, 1.0, 3.0, 2.0], Some(3.0)),
        ] {
            assert_eq!(median(&mut values), middle, "{values:?}");
        }
    }
}
