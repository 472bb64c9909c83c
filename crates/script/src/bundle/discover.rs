//! Finds the modules that a scenario imports. A script engine links the scenario for this, without running it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Exception, Module as JsModule, Runtime};

use super::path::{Import, resolve};
use super::{Module, text};
use crate::error::{Problem, ScriptError};
use crate::root::Root;
use crate::strip::strip_types;

/// Maximum size of a module, in bytes.
const MODULE_BYTES: u64 = 16 << 20;
/// Maximum number of modules of a scenario.
const MODULES: usize = 1000;

/// The modules found so far, and the first error.
struct Found {
    modules: Vec<Module>,
    names: HashSet<String>,
    error: Option<ScriptError>,
    /// Source of imported modules.
    imports: Imports,
}

/// Source of the modules that a scenario imports.
pub(super) enum Imports {
    /// Files in this folder.
    Files(Root),
    /// Only these modules, as pairs of name and text.
    Given(Vec<(String, String)>),
}

impl Imports {
    /// Whether there is a module of this name.
    fn have(&self, name: &str) -> bool {
        match self {
            Self::Files(_) => Path::new(name).is_file(),
            Self::Given(modules) => modules.iter().any(|(given, _)| given == name),
        }
    }

    /// Returns the text of a module, or the reason why it cannot be read.
    fn read(&self, name: &str) -> Result<String, String> {
        match self {
            Self::Files(root) => {
                let path = Path::new(name);
                root.check(path)?;
                read_file(path).map_err(|error| error.to_string())
            }
            Self::Given(modules) => {
                let given = modules.iter().find(|(given, _)| given == name);
                given.map(|(_, source)| source.clone()).ok_or_else(|| {
                    "a built-in scenario can import only \"headcount\" and its own modules"
                        .to_owned()
                })
            }
        }
    }
}

impl Found {
    fn source(&self, name: &str) -> &str {
        self.modules
            .iter()
            .find(|module| module.name == name)
            .map_or("", |module| &module.source)
    }

    /// Creates an error about an import, located at the importing line.
    fn import_problem(&self, base: &str, specifier: &str, message: String) -> ScriptError {
        let source = self.source(base);
        let location = text::import_location(base, source, specifier);
        ScriptError::Import(Box::new(Problem::new(message, location, source)))
    }
}

type Shared = Rc<RefCell<Found>>;

/// Returns all modules of a scenario, the main one first.
pub(super) fn modules(
    name: &str,
    source: String,
    imports: Imports,
) -> Result<Vec<Module>, ScriptError> {
    let found: Shared = Rc::new(RefCell::new(Found {
        modules: Vec::new(),
        names: HashSet::new(),
        error: None,
        imports,
    }));
    let main = prepare(name, source)?;
    let runtime = Runtime::new()?;
    runtime.set_loader(Follow(found.clone()), Follow(found.clone()));
    let context = Context::full(&runtime)?;
    let linked = context.with(|ctx| add(&ctx, &found, main));
    if let Err(error) = linked {
        return Err(found.borrow_mut().error.take().unwrap_or(error));
    }
    follow_dynamic(&context, &found)?;
    drop(context);
    Ok(std::mem::take(&mut found.borrow_mut().modules))
}

/// Adds a module and compiles it, which also adds its imports.
fn add(ctx: &Ctx<'_>, found: &Shared, module: Module) -> Result<(), ScriptError> {
    let (name, code) = (module.name.clone(), module.code.clone());
    let source = module.source.clone();
    {
        let mut found = found.borrow_mut();
        found.names.insert(name.clone());
        found.modules.push(module);
    }
    match JsModule::declare(ctx.clone(), name.as_str(), code) {
        Ok(_) => Ok(()),
        Err(error) => Err(text::compile(ctx, &error, &name, &source)),
    }
}

/// Adds modules that are imported only by `import("./x.ts")`. A search of the text finds these imports. Paths that are
/// not files are ignored here: their import fails when the script reaches it.
fn follow_dynamic(context: &Context, found: &Shared) -> Result<(), ScriptError> {
    let mut seen = 0;
    loop {
        let next = {
            let found = found.borrow();
            found
                .modules
                .get(seen)
                .map(|module| (module.name.clone(), module.code.clone()))
        };
        let Some((base, code)) = next else {
            return Ok(());
        };
        seen += 1;
        for specifier in text::dynamic_imports(&code) {
            let Ok(Import::Module(name)) = resolve(&base, specifier) else {
                continue;
            };
            let known = found.borrow().names.contains(&name);
            if known || !found.borrow().imports.have(&name) {
                continue;
            }
            let read = found.borrow().imports.read(&name);
            let source =
                read.map_err(|why| found.borrow().import_problem(&base, specifier, why))?;
            let module = prepare(&name, source)?;
            let linked = context.with(|ctx| add(&ctx, found, module));
            if let Err(error) = linked {
                return Err(found.borrow_mut().error.take().unwrap_or(error));
            }
        }
    }
}

/// Converts the source of a module to code, depending on its extension.
fn prepare(name: &str, source: String) -> Result<Module, ScriptError> {
    let code = match name.rsplit('.').next() {
        Some("json") => text::json_module(name, &source)?,
        Some("js" | "mjs") => source.clone(),
        _ => {
            strip_types(name, &source).map_err(|problem| ScriptError::Syntax(Box::new(problem)))?
        }
    };
    Ok(Module {
        name: name.to_owned(),
        source,
        code,
    })
}

/// Reads the text of a regular file, without its byte order mark.
pub(super) fn read_file(path: &Path) -> Result<String, ScriptError> {
    let read = |reason: String| ScriptError::Read {
        path: path.to_owned(),
        reason,
    };
    let about = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ScriptError::NotFound {
            path: path.to_owned(),
        },
        _ => read(error.to_string()),
    })?;
    if !about.is_file() {
        return Err(read("not a regular file".to_owned()));
    }
    if about.len() > MODULE_BYTES {
        return Err(ScriptError::TooLarge {
            path: path.to_owned(),
            bytes: about.len(),
            limit: MODULE_BYTES,
        });
    }
    let bytes = fs::read(path).map_err(|error| read(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        read(format!(
            "not UTF-8 from byte {}",
            error.utf8_error().valid_up_to()
        ))
    })?;
    if text.contains('\0') {
        return Err(read("it contains a NUL byte".to_owned()));
    }
    Ok(text
        .strip_prefix('\u{feff}')
        .map_or(text.clone(), str::to_owned))
}

/// Follows imports while a module is compiled.
struct Follow(Shared);

impl Follow {
    fn refuse(&self, ctx: &Ctx<'_>, error: ScriptError) -> rquickjs::Error {
        let thrown = Exception::throw_type(ctx, &error.to_string());
        self.0.borrow_mut().error.get_or_insert(error);
        thrown
    }

    /// Reads the module that `base` imports, unless it was read before.
    fn fetch(&self, base: &str, specifier: &str) -> Result<String, ScriptError> {
        let found = self.0.borrow();
        let problem = |message| found.import_problem(base, specifier, message);
        let name = match resolve(base, specifier).map_err(problem)? {
            Import::Api => return Ok("headcount".to_owned()),
            Import::Module(name) => name,
        };
        if found.names.contains(&name) {
            return Ok(name);
        }
        if found.names.len() >= MODULES {
            return Err(problem(format!("more than {MODULES} modules")));
        }
        let source = found.imports.read(&name).map_err(problem)?;
        drop(found);
        let module = prepare(&name, source)?;
        let mut found = self.0.borrow_mut();
        found.names.insert(name.clone());
        found.modules.push(module);
        Ok(name)
    }
}

impl Resolver for Follow {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        self.fetch(base, name)
            .map_err(|error| self.refuse(ctx, error))
    }
}

impl Loader for Follow {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<JsModule<'js, Declared>> {
        let (code, source) = {
            let found = self.0.borrow();
            let module = found.modules.iter().find(|module| module.name == name);
            module
                .map(|module| (module.code.clone(), module.source.clone()))
                .unwrap_or_default()
        };
        JsModule::declare(ctx.clone(), name, code).map_err(|error| {
            if self.0.borrow().error.is_some() {
                return error;
            }
            let error = text::compile(ctx, &error, name, &source);
            self.refuse(ctx, error)
        })
    }
}
