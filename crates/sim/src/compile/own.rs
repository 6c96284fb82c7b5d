//! The code of the caller's own parts in a network, one of each form.

use std::collections::HashMap;
use std::sync::Arc;

use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::own::Config;
use parshall_estimators::rto::RtoConfig;

use super::place::Place;
use super::{Checked, FlowPlan, PortPlan};
use crate::control::user::Code;
use crate::control::Control;
use crate::error::ScenarioError;
use crate::network::ConditionerPlan;
use crate::scenario::{App, Flow, Meter, Queue};
use crate::transport::TcpOptions;

/// A part's code with its form, once it has been found.
macro_rules! code {
    ($config:expr) => {
        $config.maker.0.clone().map(|maker| (&*$config.form, maker as Arc<dyn Code>))
    };
}

/// See [`super::Plan::makers`].
pub(super) fn makers(
    asked: &[Flow],
    plans: &[FlowPlan],
    ports: &[PortPlan],
    edges: &[ConditionerPlan],
) -> Vec<Arc<dyn Code>> {
    let of_senders = plans.iter().filter_map(|plan| plan.tcp.as_deref()).flat_map(codes);
    let of_apps = asked.iter().filter_map(|flow| match &flow.app {
        App::User(config) => code!(config),
        _ => None,
    });
    let of_queues = ports.iter().filter_map(|port| match &*port.queue {
        Queue::User(config) => code!(config),
        _ => None,
    });
    let meters = edges.iter().flat_map(|edge| &edge.config.rules).filter_map(|rule| rule.meter.as_ref());
    let of_markers = meters.filter_map(Meter::own).filter_map(|config| code!(config));
    let by_form: HashMap<_, _> = of_senders.chain(of_apps).chain(of_queues).chain(of_markers).collect();
    by_form.into_values().collect()
}

/// The maker of a part at `place`, which has to have been handed over.
pub(super) fn found<'a, M: ?Sized>(place: &Place<'_>, config: &'a Config<M>) -> Checked<&'a Arc<M>> {
    config.found().map_err(|error| {
        ScenarioError::new(place.field(error.field).to_string(), error.value, error.expected)
    })
}

/// The code of the parts of a sender that are the caller's own.
fn codes(options: &TcpOptions) -> impl Iterator<Item = (&str, Arc<dyn Code>)> {
    let control = match &options.control {
        Control::User(config) => code!(config),
        _ => None,
    };
    let rto = match &options.rto {
        RtoConfig::User(config) => code!(config),
        _ => None,
    };
    let forecasting = [options.control.forecaster(), rto_forecaster(&options.rto)];
    let forecasters = forecasting.into_iter().flatten().filter_map(|config| match config {
        ForecasterConfig::User(config) => code!(config),
        _ => None,
    });
    control.into_iter().chain(rto).chain(forecasters)
}

fn rto_forecaster(rto: &RtoConfig) -> Option<&ForecasterConfig> {
    match rto {
        RtoConfig::Arima { forecaster, .. } => Some(forecaster),
        _ => None,
    }
}

/// True for a sender that has parts of the caller's own besides its control, which do not know whose they are and what time it is.
pub(crate) fn has_own_parts(options: &TcpOptions) -> bool {
    let is_own = |config: Option<&ForecasterConfig>| matches!(config, Some(ForecasterConfig::User(_)));
    matches!(options.rto, RtoConfig::User(_))
        || is_own(options.control.forecaster())
        || is_own(rto_forecaster(&options.rto))
}
