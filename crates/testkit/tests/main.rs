//! Networks and assertions, tried with the reference endpoints and with ones that misbehave.

mod assertions;
mod common;
mod messages;
mod networks;
