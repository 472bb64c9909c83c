//! What remains on a terminal after a run.

use crate::harness::{Lab, Program, Server, python};

const COLUMNS: usize = 80;

const STAIRS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [5, 10], duration: "1500ms" }, settle: "100ms" };
export default async function asks({ number, users: [user] }: Group) {
  if (number === 0) console.log("the script says hello");
  await user!.get("/delay/500ms");
}
"#;

/// The rows of a terminal after this output. Understands what headcount uses: line ends, erasing a row, and colours.
fn rows(output: &str) -> Vec<String> {
    let mut rows = vec![Vec::new()];
    let mut column = 0;
    let mut letters = output.chars();
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().unwrap();
        match letter {
            '\r' => column = 0,
            '\n' => rows.push(Vec::new()),
            '\u{1b}' => {
                let mut sequence = String::new();
                while !sequence.ends_with(|last: char| last.is_ascii_alphabetic()) {
                    sequence.extend([letters.next().unwrap()]);
                }
                if sequence == "[2K" {
                    row.clear();
                }
            }
            letter => {
                if column == COLUMNS {
                    column = 0;
                    rows.push(Vec::new());
                }
                let row = rows.last_mut().unwrap();
                row.resize(row.len().max(column + 1), ' ');
                row[column] = letter;
                column += 1;
            }
        }
    }
    let text = rows.iter().map(|row| row.iter().collect::<String>());
    text.map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn no_live_line_is_left_on_the_terminal() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("stairs.ts", STAIRS);
    let mut command = python();
    command
        .arg(Server::folder().join("terminal.py"))
        .arg(COLUMNS.to_string())
        .arg(env!("CARGO_BIN_EXE_headcount"))
        .args(["run", "stairs.ts", "--out", "run", "--target", &truth.url()])
        .current_dir(lab.path(""));
    let ended = Program::start(command).end();
    assert!(ended.stdout.contains("level 2 of 2 · "), "{ended:#?}");
    let rows = rows(&ended.stdout);
    let live = rows.iter().filter(|row| row.starts_with("level "));
    assert_eq!(live.collect::<Vec<_>>(), [""; 0], "{rows:#?}");
    let logged = rows.iter().filter(|row| *row == "the script says hello");
    assert!(logged.count() > 1, "each on a row of its own: {rows:#?}");
    assert!(
        rows.iter().any(|row| row.starts_with("Levels (requests")),
        "{rows:#?}"
    );
}
