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
        let (mut queues, mut edges) = (Handed::over(has_own_queue), Handed::over(has_own_marker));
        for link in &mut self.links {
            queues.once(Some(&mut link.queue), |queue| of_queue(queue, &mut find))?;
            edges.once(link.conditioner.as_mut(), |edge| of_conditioner(edge, &mut find))?;
            let (queue, edge) = (link.reverse.queue.as_deref(), link.reverse.conditioner.as_deref());
            if queue.is_some_and(has_own_queue) || edge.is_some_and(has_own_marker) {
                let reverse = Arc::make_mut(&mut link.reverse);
                queues.once(reverse.queue.as_mut(), |queue| of_queue(queue, &mut find))?;
                edges.once(reverse.conditioner.as_mut(), |edge| of_conditioner(edge, &mut find))?;
            }
        }
        let mut transports = Handed::over(is_asked_for);
        for flow in &mut self.flows {
            if let App::User(config) = &mut flow.app {
                find(OwnPart::App(config))?;
            }
            if let Transport::Tcp(tcp) = &mut flow.transport {
                transports.once(Some(tcp), |tcp| of_tcp(tcp, &mut find))?;
            }
        }
        Ok(())
    }
}

/// Values that neighbours share, and go on sharing as their parts are handed over.
struct Handed<T> {
    is_asked_for: fn(&T) -> bool,
    /// The one that was handed over last, as it was and as it is.
    last: Option<[Arc<T>; 2]>,
}

impl<T: Clone> Handed<T> {
    /// Values that have parts of the caller's own if `is_asked_for` says so.
    fn over(is_asked_for: fn(&T) -> bool) -> Self {
        Handed { is_asked_for, last: None }
    }

    /// Hands over the parts of a value, if it has any, unless its neighbour is the same value.
    fn once<E>(
        &mut self,
        value: Option<&mut Arc<T>>,
        hand_over: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(value) = value.filter(|value| (self.is_asked_for)(value)) else { return Ok(()) };
        if let Some([_, done]) = self.last.as_ref().filter(|[asked, _]| Arc::ptr_eq(asked, value)) {
            *value = done.clone();
            return Ok(());
        }
        let asked = value.clone();
        hand_over(Arc::make_mut(value))?;
        self.last = Some([asked, value.clone()]);
        Ok(())
    }
}

fn has_own_queue(queue: &Queue) -> bool {
    matches!(queue, Queue::User(_))
}

fn of_queue<E>(queue: &mut Queue, find: &mut impl FnMut(OwnPart<'_>) -> Result<(), E>) -> Result<(), E> {
    match queue {
        Queue::User(config) => find(OwnPart::Queue(config)),
        _ => Ok(()),
    }
}

fn has_own_marker(edge: &Conditioner) -> bool {
    edge.rules.iter().any(|rule| matches!(rule.meter, Some(Meter::Own(_))))
}

fn of_conditioner<E>(
    edge: &mut Conditioner,
    find: &mut impl FnMut(OwnPart<'_>) -> Result<(), E>,
) -> Result<(), E> {
    for rule in &mut edge.rules {
        if let Some(Meter::Own(OwnMeter::User(config))) = &mut rule.meter {
            find(OwnPart::Marker(config))?;
        }
    }
    Ok(())
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
