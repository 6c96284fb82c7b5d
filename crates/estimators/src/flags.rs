//! Sets of reasons to doubt an estimate, as bits with names.

/// Declares a set of flags: their bits in the order in which they stand, and what each is called.
macro_rules! flags {
    ($($(#[$doc:meta])* $flag:ident = $name:literal,)*) => {
        /// A set of reasons to doubt an estimate; empty when there is none.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Flags(u16);

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Position { $($flag,)* }

        impl Flags {
            /// No reason to doubt.
            pub const NONE: Flags = Flags(0);
            $($(#[$doc])* pub const $flag: Flags = Flags(1 << Position::$flag as u16);)*

            const NAMES: &'static [(Flags, &'static str)] = &[$((Flags::$flag, $name),)*];

            /// Returns whether every flag of `others` is set.
            pub fn contains(self, others: Flags) -> bool {
                self.0 & others.0 == others.0
            }

            /// Returns whether no flag is set.
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// The set as bits, in the order of the constants.
            pub fn bits(self) -> u16 {
                self.0
            }

            /// `self` if `holds`, else nothing.
            pub(crate) fn when(self, holds: bool) -> Flags {
                if holds {
                    self
                } else {
                    Flags::NONE
                }
            }
        }

        impl core::ops::BitOr for Flags {
            type Output = Flags;

            fn bitor(self, others: Flags) -> Flags {
                Flags(self.0 | others.0)
            }
        }

        impl core::ops::BitOrAssign for Flags {
            fn bitor_assign(&mut self, others: Flags) {
                self.0 |= others.0;
            }
        }

        impl core::fmt::Display for Flags {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let mut separator = "";
                for &(flag, name) in Flags::NAMES {
                    if self.contains(flag) {
                        write!(f, "{separator}{name}")?;
                        separator = ", ";
                    }
                }
                Ok(())
            }
        }
    };
}

pub(crate) use flags;
