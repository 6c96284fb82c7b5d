//! The interface as C sees it: its header, its calls, and programs in C that are compiled and run.

// Functions of a C interface are called here as C calls them.
#![allow(unsafe_code)]

mod calls;
mod compiler;
mod header;
mod layout;
mod programs;
mod same;
