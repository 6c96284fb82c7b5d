//! Transfers by smoltcp's TCP through simulated networks.

mod beside;
mod captures;
mod common;
mod repeatable;
mod transfers;
