//! A flow's TCP with its options written out: the values that stand for those that it leaves to its profile. Settings of a control
//! that are left open stay so where they are those of its RFC or draft.

use crate::scenario::Tcp;
use crate::transport::TcpOptions;
use crate::units::Time;

/// A TCP with what it leaves to its profile written out. Still open are a phase of the clock that is drawn at random, and a
/// first end of slow start at the receiver's window.
pub fn filled(tcp: &Tcp) -> Tcp {
    let options = TcpOptions::resolve(tcp);
    let plain = options.plain();
    let rto = &options.rto_rules;
    let finite = options.initial_ssthresh.is_finite();
    Tcp {
        profile: tcp.profile,
        control: Some(options.control),
        ecn: options.ecn,
        pacing: options.pacing,
        rto: Some(options.rto),
        payload_bytes: tcp.payload_bytes,
        header_bytes: tcp.header_bytes,
        ack_bytes: tcp.ack_bytes,
        delayed_ack: Some(options.delayed_ack.is_some()),
        delayed_ack_timer: options.delayed_ack.or(tcp.delayed_ack_timer).or(TcpOptions::rfc().delayed_ack),
        initial_window_packets: Some(options.initial_window),
        quick_acks: plain.quick_acks.filter(|_| options.receive_buffer.is_none()),
        receive_buffer: options.receive_buffer.map(|rules| rules.first as u32),
        max_window_packets: Some(options.max_window as u32),
        initial_ssthresh_packets: finite.then_some(options.initial_ssthresh),
        initial_rto: Some(Time::from_secs(rto.initial_s)),
        min_rto: Some(Time::from_secs(rto.min_s)),
        max_rto: Some(Time::from_secs(rto.max_s)),
        clock_phase: options.clock_phase,
        ..plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{bbr, cubic, Control};
    use crate::scenario::{ProfileName, RecoveryName};

    fn senders() -> impl Iterator<Item = Tcp> {
        use RecoveryName::{Newreno, Reno, Sack, Tahoe, Vegas};
        let controls = [
            None,
            Some(Control::default()),
            Some(Control::Cubic(cubic::Config::default())),
            Some(Control::Bbr(bbr::Config { bounds: true, ..Default::default() })),
        ];
        let profiles = [ProfileName::Rfc, ProfileName::Linux, ProfileName::Linux61, ProfileName::Ns2];
        let recoveries = [None, Some(Tahoe), Some(Reno), Some(Newreno), Some(Sack), Some(Vegas)];
        let of = move |profile, recovery, control| Tcp { profile, recovery, control, ..Tcp::default() };
        profiles.into_iter().flat_map(move |profile| {
            let controls = controls.clone();
            recoveries.into_iter().flat_map(move |recovery| {
                controls.clone().into_iter().map(move |control| of(profile, recovery, control))
            })
        })
    }

    #[test]
    fn what_is_written_out_is_the_same_sender() {
        assert_eq!(senders().count(), 96);
        for tcp in senders() {
            let filled = filled(&tcp);
            assert_eq!(TcpOptions::resolve(&filled), TcpOptions::resolve(&tcp), "{tcp:?}");
        }
    }

    #[test]
    fn sizes_are_those_of_the_scenario() {
        let sizes = Tcp { payload_bytes: 500, header_bytes: 52, ack_bytes: 60, ..Tcp::default() };
        let TcpOptions { payload_bytes, data_bytes, syn_bytes, ack_bytes, .. } = TcpOptions::resolve(&sizes);
        assert_eq!((payload_bytes, data_bytes, syn_bytes, ack_bytes), (500, 552, 52, 60));
    }

    #[test]
    fn linux_is_what_it_is_called() {
        let tcp = |control| Tcp { profile: ProfileName::Linux, control, ..Tcp::default() };
        let linux = cubic::Config::default().linux();
        assert_eq!(linux.variant, Some(cubic::Variant::Linux));
        let unnamed = filled(&tcp(None));
        assert_eq!((unnamed.recovery, unnamed.rack), (Some(RecoveryName::Sack), Some(true)));
        assert_eq!(unnamed.control, Some(Control::Cubic(linux)));
        let named = |control| filled(&tcp(Some(control))).control;
        assert_eq!(named(Control::Cubic(cubic::Config::default())), Some(Control::Cubic(linux)));
        let rfc =
            cubic::Config { variant: Some(cubic::Variant::Rfc), hystart: Some(Default::default()), ..linux };
        assert_eq!(named(Control::Cubic(rfc)), Some(Control::Cubic(rfc)));
        let bbr = |bounds, variant| Control::Bbr(bbr::Config { bounds, variant });
        assert_eq!(named(bbr(false, None)), Some(bbr(false, Some(bbr::Variant::Linux))));
        assert_eq!(named(bbr(true, None)), Some(bbr(true, None)));
        assert_eq!(named(Control::default()), Some(Control::default()));
    }
}
