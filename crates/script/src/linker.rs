//! The modules that scenarios can import: those of the bundle, and the prelude.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Exception, Module};

use crate::bundle::{Bundle, Import, resolve};

/// The modules of the API in JavaScript, by topic. Scenarios can import only `headcount`.
const PRELUDE: [(&str, &str); 17] = [
    ("headcount", include_str!("prelude/public.js")),
    ("headcount/native", include_str!("prelude/native.js")),
    ("headcount/check", include_str!("prelude/check.js")),
    ("headcount/absent", include_str!("prelude/absent.js")),
    ("headcount/clone", include_str!("prelude/clone.js")),
    ("headcount/crypto", include_str!("prelude/crypto.js")),
    ("headcount/url", include_str!("prelude/url.js")),
    ("headcount/globals", include_str!("prelude/globals.js")),
    ("headcount/inspect", include_str!("prelude/inspect.js")),
    ("headcount/story", include_str!("prelude/story.js")),
    ("headcount/user", include_str!("prelude/user.js")),
    ("headcount/audience", include_str!("prelude/audience.js")),
    ("headcount/audio", include_str!("prelude/audio.js")),
    ("headcount/socket", include_str!("prelude/socket.js")),
    ("headcount/together", include_str!("prelude/together.js")),
    ("headcount/group", include_str!("prelude/group.js")),
    ("headcount/entry", include_str!("prelude/entry.js")),
];

macro_rules! define_protocols {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        /// The modules of the protocols.
        const PROTOCOLS: &[(&str, &str)] = &[
            $($(($path, $source),)*)*
            // The exports of all of them, among which native code finds the constructors.
            ("headcount/protocols", concat!($($("export * from \"", $path, "\";\n",)*)*)),
        ];
    };
}
with_protocols!(define_protocols);

/// Returns the name and the source of the prelude's main module, which imports all others.
pub(crate) fn prelude() -> (&'static str, &'static str) {
    PRELUDE[PRELUDE.len() - 1]
}

/// Resolves modules from the bundle and the prelude only.
#[derive(Clone)]
pub(crate) struct Linker(pub(crate) Bundle);

impl Resolver for Linker {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        let bundle = &self.0;
        if !bundle.has(base) {
            return Ok(name.to_owned());
        }
        match resolve(base, name) {
            Ok(Import::Api) => Ok("headcount".to_owned()),
            Ok(Import::Module(found)) if bundle.has(&found) => Ok(found),
            Ok(Import::Module(found)) => {
                let message = format!(
                    "cannot import `{name}`: {found} did not exist when the scenario was read"
                );
                Err(Exception::throw_type(ctx, &message))
            }
            Err(message) => Err(Exception::throw_type(ctx, &message)),
        }
    }
}

impl Loader for Linker {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        if let Some(module) = self.0.module(name) {
            return Module::declare(ctx.clone(), name, module.code.as_str());
        }
        match PRELUDE
            .iter()
            .chain(PROTOCOLS)
            .find(|(known, _)| *known == name)
        {
            Some((_, source)) => Module::declare(ctx.clone(), name, *source),
            None => Err(Exception::throw_type(
                ctx,
                &format!("cannot import `{name}`"),
            )),
        }
    }
}
