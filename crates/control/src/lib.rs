//! Congestion controls, apart from any transport: how a window grows and shrinks, how fast packets leave.
//!
//! A control is told of every ACK, of losses, timeouts and marks, of its connection's beginning, of a start
//! after silence and of its own timer. It answers with a window, and, if it asks for that with
//! [`Congestion::PACED`], with a rate and a time at which it wants to be woken. It knows nothing of the network
//! and nothing of other flows. What is sent again after a loss is not its affair.

pub mod aimd;
pub mod arima_vegas;
mod artt;
pub mod bbr;
pub mod binomial;
mod bottleneck;
mod congestion;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod dual;
pub mod hystart;
mod parameters;
pub mod random;
mod registry;
mod round;
mod sample;
#[cfg(test)]
mod samples;
mod since_first;
pub mod tcp_tp;
pub mod units;
pub mod user;
pub mod vegas;
pub mod veno;
mod window;

pub use artt::Artt;
pub use congestion::Congestion;
pub use parameters::{InvalidParameter, Parameters};
pub use registry::{AnyControl, Control};
pub use sample::{AckKind, AckSample, Loss, PathSample, Silence, Start};
pub use window::Window;
