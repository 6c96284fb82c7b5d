//! Parts of the user's own: all are named alike.

use crate::part::{parts, Part, EMPTY_TABLE, NONE, T};
use crate::read as checks;
use crate::takes::{Takes, TEXT, VALUES};

/// Declares parts that have the fields by which any code is named, and of each the class of `parshall` from which such
/// code is derived.
macro_rules! own_parts {
    ($($(#[doc = $text:literal])* $ident:ident: $name:literal of $base:literal;)*) => {
        /// The class of `parshall` from which code that a part stands for is derived.
        pub(crate) fn base_of(part: &Part) -> Option<&'static str> {
            match part.name {
                $($name => Some($base),)*
                _ => None,
            }
        }

        parts! {
            $(
                $(#[doc = $text])*
                $ident: $name as "user", checked by checks::form {
                    /// In what form its code comes; left out, it is found out.
                    form: Takes::Choice(&["python", "numba", "library"]) => NONE,
                    /// Where it is found: a class as `module:Name`, a library as the path of its file.
                    source: TEXT,
                    /// SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out,
                    /// it is that of the code that is there; given, no other code runs.
                    code: TEXT => T(""),
                    /// Its parameters, where they are not at their defaults.
                    values: VALUES => EMPTY_TABLE,
                }
            )*
        }
    };
}

own_parts! {
    /// A control of your own, as a scenario names it: an instance of a class derived from
    /// `parshall.Control`, or a `parshall.SharedControl`, becomes this. The code itself is not in the
    /// scenario; to run it again takes that code. In a file `module:Class` alone names it, too: the module
    /// is looked for beside the file, and imported when the file is read.
    USER_CONTROL: "UserControl" of "Control";

    /// A filter of timeouts of your own, as a scenario names it: an instance of a class derived from
    /// `parshall.RtoFilter`, or a `parshall.SharedRtoFilter`, becomes this. As with a control of your own,
    /// the code is not in the scenario, and in a file `module:Class` alone names it, too.
    USER_RTO: "UserRto" of "RtoFilter";

    /// A forecaster of your own, as a scenario names it: an instance of a class derived from
    /// `parshall.Forecaster`, or a `parshall.SharedForecaster`, becomes this. As with a control of your own,
    /// the code is not in the scenario, and in a file `module:Class` alone names it, too.
    USER_FORECASTER: "UserForecaster" of "Forecaster";

    /// An application of your own, as a scenario names it: an instance of a class derived from
    /// `parshall.Source`, or a `parshall.SharedSource`, becomes this. As with a control of your own, the
    /// code is not in the scenario, and in a file `module:Class` alone names it, too.
    USER_APP: "UserApp" of "Source";

    /// A queue of your own, as a scenario names it: an instance of a class derived from `parshall.Queue`, or a
    /// `parshall.SharedQueue`, becomes this. As with a control of your own, the code is not in the scenario,
    /// and in a file `module:Class` alone names it, too.
    USER_QUEUE: "UserQueue" of "Queue";

    /// A marker of your own, as a scenario names it: an instance of a class derived from `parshall.Marker`, or
    /// a `parshall.SharedMarker`, becomes this. As with a control of your own, the code is not in the
    /// scenario, and in a file `module:Class` alone names it, too.
    USER_MARKER: "UserMarker" of "Marker";
}
