//! The way out of a run before its end. Deep inside, a run ends by unwinding, as a panic does but without saying so: no
//! step of the engine has to ask whether something went wrong in a place that almost no run has. It is caught here, and
//! nothing unwinds beyond this crate.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::pulse::Pulse;
use crate::run::RunError;

/// The payload of a run that ended itself. Why it did is kept beside, so that the payload needs no memory.
#[cfg(not(panic = "abort"))]
struct Ended;

impl RunError {
    /// Ends the run of this thread.
    pub(crate) fn end_run(self) -> ! {
        // Where nothing unwinds this ends the program, and a panic is heard by its hook.
        #[cfg(panic = "abort")]
        panic!("{self}");
        #[cfg(not(panic = "abort"))]
        {
            Pulse::own().fail(self);
            std::panic::resume_unwind(Box::new(Ended))
        }
    }

    /// The reason why the run of this thread unwound with this: the one it ended itself for, or what a panic says.
    pub(crate) fn of_panic(panic: Box<dyn Any + Send>) -> Self {
        #[cfg(not(panic = "abort"))]
        if let (true, Some(error)) = (panic.is::<Ended>(), Pulse::own().take_failure()) {
            return error;
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let by_part = Pulse::own().panicked(text.unwrap_or("without a message"));
        by_part.unwrap_or_else(|| RunError::Engine(text.unwrap_or("the engine failed").to_string()))
    }
}

/// Does what may end the run of this thread, or, outside of a run, what a part of the caller's own may end.
///
/// # Errors
/// If it did.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, RunError> {
    catch_unwind(AssertUnwindSafe(run)).map_err(RunError::of_panic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_run_comes_back_as_its_error() {
        let ended = caught(|| -> () { RunError::Stopped.end_run() });
        assert!(matches!(ended, Err(RunError::Stopped)));
        assert_eq!(caught(|| 7).expect("nothing happened"), 7);
        // One that was taken is gone.
        let again = caught(|| -> () { std::panic::resume_unwind(Box::new(Ended)) });
        assert_eq!(again.expect_err("it unwound").to_string(), "the engine failed");
    }

    #[test]
    fn a_panic_is_a_fault_of_the_engine() {
        for payload in [Box::new("a fault") as Box<dyn Any + Send>, Box::new("a fault".to_string())] {
            let Err(RunError::Engine(text)) = caught(|| -> () { std::panic::resume_unwind(payload) }) else {
                panic!("an error of the engine");
            };
            assert_eq!(text, "a fault");
        }
    }
}
