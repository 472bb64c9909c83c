//! Checks before the load that tables with `take: "unique"` have a row for each user.

use plan::Load;
use script::UniqueTable;

/// The error names the line that opened the table, and possible solutions. An open load is not checked, because the
/// target determines how many of its users are needed at a time.
pub(crate) fn check(tables: &[UniqueTable], load: &Load) -> Result<(), String> {
    let closed = load.levels.iter().filter(|level| level.open.is_none());
    let users = closed.map(|level| level.users).max().unwrap_or(0);
    let too_short = tables.iter().find(|table| table.rows < users as usize);
    too_short.map_or(Ok(()), |table| Err(refusal(table, users)))
}

fn refusal(table: &UniqueTable, users: u32) -> String {
    let UniqueTable {
        path,
        rows,
        location,
    } = table;
    let place = location.as_ref().map(|place| format!("{place}: "));
    format!(
        "{}{path} has {rows} rows, but `take: \"unique\"` needs one for each of {users} users: add rows, lower the load, \
         or use `take: \"cycle\"`",
        place.unwrap_or_default()
    )
}
