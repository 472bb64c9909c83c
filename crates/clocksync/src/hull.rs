//! The line below a set of points that comes closest to them on average.

/// A point. `x` is a time, `y` an offset, both in nanoseconds from a common origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A line below all points of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineBelow {
    pub(crate) slope: f64,
    /// The mean height of the points above the line.
    pub(crate) mean_height: f64,
}

/// The highest line below all points, measured at their mean `x`. `None` if all points have the same `x`.
///
/// Among all lines below the points, it has the smallest sum of vertical distances. It contains the edge of the lower
/// convex hull that lies below the mean `x`.
pub(crate) fn line_below(points: &[Point]) -> Option<LineBelow> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.x).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.y).sum::<f64>() / count;
    let hull = lower_hull(points);
    let edge = hull.windows(2).find(|edge| mean_x <= edge[1].x)?;
    let (from, to) = (edge[0], edge[1]);
    let slope = (to.y - from.y) / (to.x - from.x);
    Some(LineBelow {
        slope,
        mean_height: mean_y - (from.y + slope * (mean_x - from.x)),
    })
}

/// The lower convex hull from left to right, by Andrew's monotone chain.
fn lower_hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    // Only the lowest point of each `x` can be part of the hull.
    sorted.dedup_by(|later, earlier| later.x.total_cmp(&earlier.x).is_eq());
    let mut hull: Vec<Point> = Vec::new();
    for point in sorted {
        while let [.., before, last] = hull[..]
            && !turns_up(before, last, point)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

/// Whether the way over the three points bends upwards at `b`.
fn turns_up(a: Point, b: Point, c: Point) -> bool {
    (b.x - a.x) * (c.y - a.y) > (c.x - a.x) * (b.y - a.y)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(of: &[(i32, i32)]) -> Vec<Point> {
        let point = |&(x, y): &(i32, i32)| Point {
            x: f64::from(x),
            y: f64::from(y),
        };
        of.iter().map(point).collect()
    }

    #[test]
    fn the_line_rests_on_the_edge_below_the_mean() {
        let line = line_below(&points(&[(0, 5), (10, 0), (20, 4), (30, 30), (15, 40)])).unwrap();
        // The mean of x is 15: the edge from (10, 0) to (20, 4), which is 2 high there.
        assert!((line.slope - 0.4).abs() < 1e-12);
        assert!((line.mean_height - (79.0 / 5.0 - 2.0)).abs() < 1e-12);
    }

    #[test]
    fn points_above_each_other_have_no_line() {
        assert_eq!(line_below(&points(&[(3, 1), (3, 2)])), None);
        assert_eq!(line_below(&[]), None);
    }

    /// The smallest mean height of all lines through two points that are below all points.
    fn by_brute_force(points: &[Point]) -> Option<f64> {
        let pairs = points
            .iter()
            .flat_map(|a| points.iter().map(move |b| (a, b)));
        let heights = pairs.filter(|(a, b)| a.x < b.x).filter_map(|(a, b)| {
            let slope = (b.y - a.y) / (b.x - a.x);
            let height = |point: &Point| point.y - (a.y + slope * (point.x - a.x));
            let is_below = points.iter().all(|point| height(point) > -1e-9);
            is_below.then(|| points.iter().map(height).sum::<f64>() / points.len() as f64)
        });
        heights.min_by(f64::total_cmp)
    }

    proptest! {
        #[test]
        fn no_line_below_the_points_is_closer(set in prop::collection::vec((-20..20, -20..20), 1..12)) {
            let points = points(&set);
            let found = line_below(&points).map(|line| line.mean_height);
            match (found, by_brute_force(&points)) {
                (Some(found), Some(best)) => prop_assert!((found - best).abs() < 1e-9, "{found} {best}"),
                (found, best) => prop_assert_eq!(found, best),
            }
        }
    }
}
