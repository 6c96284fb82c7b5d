//! The parts of a scenario that the caller hands over, and how they are found in it.

use std::sync::Arc;

use parshall_control::user;
use parshall_control::Control;
use parshall_estimators::forecast::{ForecasterConfig, ForecasterMaker};
use parshall_estimators::own;
use parshall_estimators::rto::{RtoConfig, RtoMaker};

use super::{
    App, AppMaker, Conditioner, MarkerMaker, Meter, OwnMeter, Queue, QueueMaker, Scenario, Tcp, Transport,
};

/// A part that no crate here has, as a scenario names it. Whoever finds its code sets `maker`.
#[derive(Debug)]
#[non_exhaustive]
pub enum OwnPart<'a> {
    /// A congestion control.
    Control(&'a mut user::Config),
    /// A filter of retransmission timeouts.
    Rto(&'a mut own::Config<dyn RtoMaker>),
    /// A forecaster.
    Forecaster(&'a mut own::Config<dyn ForecasterMaker>),
    /// An application.
    App(&'a mut own::Config<dyn AppMaker>),
    /// A marker at an edge.
    Marker(&'a mut own::Config<dyn MarkerMaker>),
    /// A queue in front of a link.
    Queue(&'a mut own::Config<dyn QueueMaker>),
}

impl Scenario {
    /// Hands over what the caller has: `find` is asked for each part that the crates here do not have, and sets its `maker`.
    ///
    /// # Errors
    /// The first error of `find`.
    pub fn hand_over<E>(&mut self, mut find: impl FnMut(OwnPart<'_>) -> Result<(), E>) -> Result<(), E> {
        self.hand_over_queues(&mut find)?;
        self.hand_over_markers(&mut find)?;
        // Neighbours share a transport, and go on doing so.
        let mut last: Option<[Arc<Tcp>; 2]> = None;
        for flow in &mut self.flows {
            if let App::User(config) = &mut flow.app {
                find(OwnPart::App(config))?;
            }
            let Transport::Tcp(tcp) = &mut flow.transport else { continue };
            if let Some([_, done]) = last.as_ref().filter(|[asked, _]| Arc::ptr_eq(asked, tcp)) {
                *tcp = done.clone();
            } else if is_asked_for(tcp) {
                let asked = tcp.clone();
                of_tcp(Arc::make_mut(tcp), &mut find)?;
                last = Some([asked, tcp.clone()]);
            }
        }
        Ok(())
    }

    fn hand_over_markers<E>(&mut self, find: &mut impl FnMut(OwnPart<'_>) -> Result<(), E>) -> Result<(), E> {
        let is_own = |conditioner: &Option<Arc<Conditioner>>| {
            let mut rules = conditioner.iter().flat_map(|conditioner| &conditioner.rules);
            rules.any(|rule| matches!(rule.meter, Some(Meter::Own(_))))
        };
        let mut of = |conditioner: &mut Option<Arc<Conditioner>>| {
            let rules = conditioner.iter_mut().flat_map(|conditioner| &mut Arc::make_mut(conditioner).rules);
            for meter in rules.filter_map(|rule| rule.meter.as_mut()) {
                if let Meter::Own(OwnMeter::User(config)) = meter {
                    find(OwnPart::Marker(config))?;
                }
            }
            Ok(())
        };
        for link in &mut self.links {
            if is_own(&link.conditioner) {
                of(&mut link.conditioner)?;
            }
            if is_own(&link.reverse.conditioner) {
                of(&mut Arc::make_mut(&mut link.reverse).conditioner)?;
            }
        }
        Ok(())
    }

    /// Queues that links share stay shared.
    fn hand_over_queues<E>(&mut self, find: &mut impl FnMut(OwnPart<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut last: Option<[Arc<Queue>; 2]> = None;
        let mut of_queue = |queue: &mut Arc<Queue>| {
            if let Some([_, done]) = last.as_ref().filter(|[asked, _]| Arc::ptr_eq(asked, queue)) {
                *queue = done.clone();
                return Ok(());
            }
            let asked = queue.clone();
            if let Queue::User(config) = Arc::make_mut(queue) {
                find(OwnPart::Queue(config))?;
            }
            last = Some([asked, queue.clone()]);
            Ok(())
        };
        let is_own = |queue: &Arc<Queue>| matches!(**queue, Queue::User(_));
        for link in &mut self.links {
            if is_own(&link.queue) {
                of_queue(&mut link.queue)?;
            }
            if link.reverse.queue.as_ref().is_some_and(is_own) {
                Arc::make_mut(&mut link.reverse).queue.as_mut().map_or(Ok(()), &mut of_queue)?;
            }
        }
        Ok(())
    }
}

fn is_asked_for(tcp: &Tcp) -> bool {
    let is_own =
        |forecaster: Option<&ForecasterConfig>| matches!(forecaster, Some(ForecasterConfig::User(_)));
    let by_control = match &tcp.control {
        Some(Control::User(_)) => true,
        control => is_own(control.as_ref().and_then(Control::forecaster)),
    };
    by_control
        || match &tcp.rto {
            Some(RtoConfig::User(_)) => true,
            Some(RtoConfig::Arima { forecaster, .. }) => is_own(Some(forecaster)),
            _ => false,
        }
}

fn of_tcp<E>(tcp: &mut Tcp, find: &mut impl FnMut(OwnPart<'_>) -> Result<(), E>) -> Result<(), E> {
    if let Some(Control::User(config)) = &mut tcp.control {
        find(OwnPart::Control(config))?;
    }
    let mut forecasters = Vec::new();
    forecasters.extend(tcp.control.as_mut().and_then(Control::forecaster_mut));
    match &mut tcp.rto {
        Some(RtoConfig::User(config)) => find(OwnPart::Rto(config))?,
        Some(RtoConfig::Arima { forecaster, .. }) => forecasters.push(forecaster),
        _ => {}
    }
    for forecaster in forecasters {
        if let ForecasterConfig::User(config) = forecaster {
            find(OwnPart::Forecaster(config))?;
        }
    }
    Ok(())
}
