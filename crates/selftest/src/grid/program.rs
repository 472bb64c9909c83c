//! Runs headcount for one cell, as a separate process with the same command line that users type.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

use super::cell::Cell;
use super::kind::{Load, Protocol, Shape};

const LOOK: Duration = Duration::from_millis(5);
/// Maximum number of polls, which take one minute. No cell takes longer, even on a busy machine.
const MOST_LOOKS: u32 = 60 * 200;

/// The output of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    /// The exit code. `None` if the process did not end and was killed.
    pub(crate) exit: Option<i32>,
    /// The output of `--json`.
    pub(crate) summary: Value,
    /// The content of `run.json`.
    pub(crate) record: Value,
    pub(crate) complaints: String,
}

/// Runs a cell in a separate folder, against the cell's port of the server.
pub(crate) fn run(exe: &Path, cell: &Cell, port: u16, folder: &Path) -> io::Result<Ended> {
    fs::create_dir_all(folder)?;
    let mut command = Command::new(exe);
    command.current_dir(folder).args(arguments(cell, port));
    if !cell.kind.is_bench {
        fs::write(folder.join("scenario.ts"), scenario(cell))?;
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let exit = wait(&mut child)?;
    let said = |stream: Option<JoinHandle<String>>| {
        stream
            .and_then(|stream| stream.join().ok())
            .unwrap_or_default()
    };
    Ok(Ended {
        exit,
        summary: serde_json::from_str(&said(stdout)).unwrap_or_default(),
        record: fs::read_to_string(folder.join("out/run.json"))
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default(),
        complaints: said(stderr),
    })
}

fn wait(child: &mut Child) -> io::Result<Option<i32>> {
    for _ in 0..MOST_LOOKS {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.code().unwrap_or(-1)));
        }
        thread::sleep(LOOK);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes); // after an error, the bytes read so far are used
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Returns the source of the cell's scenario.
fn scenario(cell: &Cell) -> String {
    let text = match cell.kind.shape {
        Shape::Request => include_str!("../../scenarios/grid/request.ts"),
        Shape::Echo => include_str!("../../scenarios/grid/echo.ts"),
        Shape::Room => include_str!("../../scenarios/grid/room.ts"),
    };
    text.replace(" = CELL_OPTIONS;", &format!(" = {};", cell.options()))
        .replace(
            " = CELL_PARAMETERS;",
            &format!(" = {};", cell.script_parameters()),
        )
}

/// Returns the command line of the program.
pub(crate) fn arguments(cell: &Cell, port: u16) -> Vec<String> {
    let p = &cell.parameters;
    let mut line: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| line.extend(words.iter().map(|word| (*word).to_owned()));
    let ms = |time: u64| format!("{time}ms");
    if cell.kind.is_bench {
        let is_socket = cell.kind.shape == Shape::Echo;
        let url = if is_socket {
            format!("ws://127.0.0.1:{port}/echo")
        } else {
            format!("http://127.0.0.1:{port}/r")
        };
        add(&["bench", &url, "-c", &p.users.to_string()]);
        add(&["--timeout", &ms(p.timeout)]);
        match cell.kind.load {
            Load::Once => add(&["-n", &p.count.to_string(), "-d", "5s"]),
            Load::Closed => add(&["-d", &ms(p.duration)]),
            Load::Open => add(&["-d", &ms(p.duration), "--rate", &format!("{}/s", p.rate)]),
        }
        if cell.kind.protocol == Protocol::Http2 {
            add(&["--http2", "--streams", &(1 + cell.seed % 3).to_string()]);
        }
    } else {
        let target = format!("http://127.0.0.1:{port}");
        let seed = (cell.seed % (1 << 53)).to_string();
        add(&["run", "scenario.ts", "--target", &target, "--seed", &seed]);
    }
    add(&["--out", "out", "--json", "--quiet", "--workers", "1"]);
    line
}

/// Returns the folder of a cell, inside the folder of all cells.
pub(crate) fn folder_of(all: &Path, cell: &Cell) -> PathBuf {
    all.join(cell.name().replace('/', "-"))
}
