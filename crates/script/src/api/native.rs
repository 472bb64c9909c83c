//! Registration of native calls, and what every native call gets.

use std::cell::RefMut;
use std::rc::Rc;

use model::{Fault, Nanos};
use rquickjs::function::{FromParam, IntoJsFunc, ParamRequirement, Params, ParamsAccessor};
use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value};

use crate::failure::failure;
use crate::host::Host;
use crate::state::State;

/// Collects the native calls during registration.
pub(super) struct Natives<'js> {
    pub(super) object: Object<'js>,
    /// The methods of users that open sockets.
    pub(super) methods: Object<'js>,
    pub(super) state: Rc<State>,
}

impl<'js> Natives<'js> {
    /// Registers a function whose first parameter is [`Call`].
    pub(super) fn add<F, P>(&self, name: &'static str, function: F) -> Result<()>
    where
        Bound<F>: IntoJsFunc<'js, P> + 'js,
    {
        self.add_as(name, name, function)
    }

    /// Registers a method of users, under the name that scenarios use.
    pub(super) fn add_method<F, P>(&self, name: &'static str, function: F) -> Result<()>
    where
        Bound<F>: IntoJsFunc<'js, P> + 'js,
    {
        self.methods.set(name, self.bound(name, name, function)?)
    }

    /// Like [`Natives::add`], for a call that messages name differently.
    pub(super) fn add_as<F, P>(
        &self,
        name: &'static str,
        method: &'static str,
        function: F,
    ) -> Result<()>
    where
        Bound<F>: IntoJsFunc<'js, P> + 'js,
    {
        self.object.set(name, self.bound(name, method, function)?)
    }

    fn bound<F, P>(
        &self,
        name: &'static str,
        method: &'static str,
        function: F,
    ) -> Result<Function<'js>>
    where
        Bound<F>: IntoJsFunc<'js, P> + 'js,
    {
        let state = self.state.clone();
        let bound = Bound {
            function,
            method,
            state,
        };
        Function::new(self.object.ctx().clone(), bound)?.with_name(name)
    }
}

/// A native call in progress.
pub(super) struct Call<'c, 'js> {
    pub(super) ctx: Ctx<'js>,
    pub(super) state: &'c State,
    /// Name of the method that the script called, for messages.
    pub(super) method: &'static str,
}

impl<'c> Call<'c, '_> {
    pub(super) fn host(&self) -> RefMut<'c, dyn Host> {
        self.state.host.borrow_mut()
    }

    /// Returns the planned time of the current step, if it has one.
    pub(super) fn planned(&self) -> Option<Nanos> {
        self.state.now.planned.get()
    }

    /// Throws a fault of the engine as an `Error` with `side` and `kind`.
    pub(super) fn or_throw<T>(&self, result: std::result::Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| match failure(&self.ctx, self.state, &fault) {
            Ok(error) => self.ctx.throw(error),
            Err(error) => error,
        })
    }
}

/// The receiver or an argument of a native call.
pub(super) trait Argument<'js>: Sized {
    fn requirement() -> ParamRequirement;

    fn take(call: &Call<'_, 'js>, given: &mut ParamsAccessor<'_, 'js>) -> Result<Self>;
}

impl<'js, T: FromParam<'js>> Argument<'js> for T {
    fn requirement() -> ParamRequirement {
        T::param_requirement()
    }

    fn take(_: &Call<'_, 'js>, given: &mut ParamsAccessor<'_, 'js>) -> Result<Self> {
        T::from_param(given)
    }
}

/// A function with the state that its calls get. The compiler creates code for each function, so that a call costs
/// neither an allocation nor a look-up.
pub(super) struct Bound<F> {
    function: F,
    method: &'static str,
    state: Rc<State>,
}

macro_rules! native_calls_with {
    ($($argument:ident)*) => {
        impl<'js, F, R, $($argument),*> IntoJsFunc<'js, (R, $($argument),*)> for Bound<F>
        where
            F: Fn(&Call<'_, 'js>, $($argument),*) -> R,
            R: IntoJs<'js>,
            $($argument: Argument<'js>,)*
        {
            fn param_requirements() -> ParamRequirement {
                ParamRequirement::none()$(.combine($argument::requirement()))*
            }

            fn call(&self, params: Params<'_, 'js>) -> Result<Value<'js>> {
                let given = &mut params.access();
                let call = Call {
                    ctx: given.ctx().clone(),
                    state: &self.state,
                    method: self.method,
                };
                let result = (self.function)(&call, $($argument::take(&call, given)?),*);
                result.into_js(&call.ctx)
            }
        }
    };
}

native_calls_with!();
native_calls_with!(A);
native_calls_with!(A B);
native_calls_with!(A B C);
native_calls_with!(A B C D);
native_calls_with!(A B C D E);
