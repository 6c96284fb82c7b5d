//! The code of the caller's own parts in a network, one of each form.

use std::collections::HashMap;
use std::sync::Arc;

use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::rto::RtoConfig;

use super::{FlowPlan, PortPlan};
use crate::control::user::Code;
use crate::control::Control;
use crate::network::ConditionerPlan;
use crate::scenario::{App, Flow, Meter, Queue};
use crate::transport::TcpOptions;

/// See [`super::Plan::makers`].
pub(super) fn makers(
    asked: &[Flow],
    plans: &[FlowPlan],
    ports: &[PortPlan],
    edges: &[ConditionerPlan],
) -> Vec<Arc<dyn Code>> {
    let mut by_form: HashMap<&str, Arc<dyn Code>> = HashMap::new();
    for options in plans.iter().filter_map(|plan| plan.tcp.as_deref()) {
        for (form, code) in codes(options) {
            by_form.entry(form).or_insert(code);
        }
    }
    for flow in asked {
        if let App::User(config) = &flow.app {
            if let Some(maker) = &config.maker.0 {
                by_form.entry(&config.form).or_insert_with(|| maker.clone());
            }
        }
    }
    for port in ports {
        if let Queue::User(config) = &*port.queue {
            let code = config.maker.0.iter().cloned().map(|maker| maker as Arc<dyn Code>);
            by_form.extend(code.map(|code| (&*config.form, code)));
        }
    }
    for rule in edges.iter().flat_map(|edge| &edge.config.rules) {
        if let Some(config) = rule.meter.as_ref().and_then(Meter::own) {
            let code = config.maker.0.iter().cloned().map(|maker| maker as Arc<dyn Code>);
            by_form.extend(code.map(|code| (&*config.form, code)));
        }
    }
    by_form.into_values().collect()
}

/// The code of the parts of a sender that are the caller's own, with its form.
fn codes(options: &TcpOptions) -> impl Iterator<Item = (&str, Arc<dyn Code>)> {
    let control = match &options.control {
        Control::User(config) => config.maker.0.clone().map(|maker| (&*config.form, maker as Arc<dyn Code>)),
        _ => None,
    };
    let rto = match &options.rto {
        RtoConfig::User(config) => {
            config.maker.0.clone().map(|maker| (&*config.form, maker as Arc<dyn Code>))
        }
        _ => None,
    };
    let forecasting = [options.control.forecaster(), rto_forecaster(&options.rto)];
    let forecasters = forecasting.into_iter().flatten().filter_map(|config| match config {
        ForecasterConfig::User(config) => {
            config.maker.0.clone().map(|maker| (&*config.form, maker as Arc<dyn Code>))
        }
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
