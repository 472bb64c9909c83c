//! A scenario with a minimal host for the benches.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use script::host::OpId;
use script::{Bundle, DataStore, Env, Limits, Script};

use super::common::{Call, FakeHost};

/// A script whose requests and sockets the bench answers.
pub(crate) struct Asked {
    pub(crate) script: Script,
    host: Rc<RefCell<FakeHost>>,
    /// The operations from the last call of [`Asked::take`].
    pub(crate) ops: Vec<OpId>,
}

impl Asked {
    pub(crate) fn new(source: &str) -> Self {
        let host = Rc::new(RefCell::new(FakeHost::default()));
        let data = DataStore::new(Path::new("."));
        let load = |bundle| {
            let limits = Limits::default();
            Script::load(&bundle, &data, &Env::default(), host.clone(), limits)
        };
        let loaded = Bundle::embedded("bench.ts", source).and_then(load);
        let script = match loaded {
            Ok(script) => script,
            Err(error) => panic!("{error}"),
        };
        Self {
            script,
            host,
            ops: Vec::new(),
        }
    }

    /// Takes all operations that wait for the host.
    pub(crate) fn take(&mut self) {
        let mut host = self.host.borrow_mut();
        host.checks.clear();
        self.ops.clear();
        let calls = host.calls.drain(..);
        self.ops.extend(calls.filter_map(|call| match call {
            Call::Http(op, ..) | Call::Open(op, ..) | Call::OpenSocketIo(op, ..) => Some(op),
            _ => None,
        }));
    }

    /// Returns the number of events sent since the last call.
    #[allow(dead_code, reason = "one of the benches sends some")]
    pub(crate) fn sent(&mut self) -> usize {
        let calls = &mut self.host.borrow_mut().calls;
        let sent = calls.drain(..).filter(|call| matches!(call, Call::Emit(_)));
        sent.count()
    }
}
