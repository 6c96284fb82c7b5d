"""Random scenarios, for tests of what holds of any."""

from __future__ import annotations

from hypothesis import HealthCheck, settings, strategies as st

from parshall import (
    ArimaRtoConfig,
    ArimaVegas,
    BernoulliLoss,
    Binomial,
    Bulk,
    Capacity,
    Cbr,
    ChoiceLaw,
    CoDel,
    ConstantLaw,
    Copa,
    Cubic,
    DelayChange,
    DitherLoss,
    DropTail,
    Dual,
    ExponentialLaw,
    ExponentialPeriods,
    FixedPointMethod,
    Flow,
    FqCodel,
    GilbertElliottLoss,
    JacobsonRtoConfig,
    JacobsonTicksRtoConfig,
    Jitter,
    KaczmarzMethod,
    KalmanMethod,
    Link,
    LinuxRtoConfig,
    ListedLoss,
    LognormalLaw,
    LomaxLaw,
    LossChange,
    MedianRtoConfig,
    OnOff,
    Outage,
    ParetoLaw,
    ParetoPeriods,
    Pie,
    QuantileRtoConfig,
    QueueShareSeries,
    RateChange,
    Record,
    Red,
    Reordering,
    Reverse,
    RlsMethod,
    Scenario,
    Schedule,
    SelfSimilar,
    Series,
    ShareSeries,
    Stall,
    Tcp,
    TcpTp,
    Telnet,
    Transfer,
    TransferSequence,
    Udp,
    UniformLaw,
    Vbr,
    VegasControl,
    Veno,
    Web,
    WeightedMedianRtoConfig,
)
from parshall.scenario.parts import Arima, forecaster
from parshall.units import parse_duration

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
rates = st.one_of(
    st.integers(1, 10**12).map(float),
    st.floats(1, 1e12),
    st.integers(1, 10**6).map(lambda n: f"{n} kbit/s"),
    st.decimals("0.001", "1e6", places=3).map(lambda d: f"{d} Mbit/s"),
)
periods = st.one_of(
    st.integers(1, 10**12).map(lambda n: n * 1e-12), st.integers(1, 9999).map(lambda n: f"{n} us")
)
durations = st.one_of(st.just(0), periods)
counts = st.integers(1, 2**32 - 1)
shares = st.floats(1e-9, 1)
queues = st.one_of(
    st.builds(DropTail, limit_packets=st.none() | counts, limit_bytes=st.none() | counts),
    st.builds(
        Red,
        min_threshold_packets=st.floats(0.1, 9),
        max_threshold_packets=st.floats(9, 99),
        limit_packets=counts,
        max_probability=shares,
        weight=st.just("from-rate") | shares,
        unit=st.sampled_from(["packets", "bytes"]),
        mean_packet_bytes=st.integers(1, 9000),
        gentle=st.booleans(),
        wait=st.booleans(),
        ecn=st.booleans(),
        adaptive=st.booleans(),
        tune_by=st.sampled_from([None, "responsiveness"]),
        tune_above=st.floats(0, 1),
        tune_band=st.floats(0, 1),
        tune_interval=periods,
    ),
    st.builds(
        CoDel,
        target=periods,
        interval=periods,
        limit_packets=st.none() | counts,
        limit_bytes=st.none() | counts,
        mtu_bytes=counts,
        ecn=st.booleans(),
        ce_threshold=st.none() | durations,
        variant=st.sampled_from(["rfc", "linux"]),
    ),
    st.builds(
        Pie,
        target=periods,
        update=periods,
        alpha=st.floats(0.01, 99),
        beta=st.floats(0.01, 99),
        max_burst=durations,
        limit_packets=st.none() | counts,
        limit_bytes=st.none() | counts,
        mean_packet_bytes=st.integers(1, 9000),
        delay=st.sampled_from(["timestamps", "departure-rate"]),
        ecn=st.booleans(),
        mark_below=st.floats(0, 1),
        derandomize=st.booleans(),
        cap_increase=st.booleans(),
        variant=st.sampled_from(["rfc", "linux"]),
    ),
    st.builds(
        FqCodel,
        target=periods,
        interval=periods,
        queues=st.integers(1, 65536),
        quantum_bytes=counts,
        limit_packets=counts,
        limit_bytes=st.none() | counts,
        drop_batch=counts,
        mtu_bytes=counts,
        ecn=st.booleans(),
        ce_threshold=st.none() | durations,
        variant=st.sampled_from(["rfc", "linux"]),
    ),
)
lost = st.sampled_from(["all", "data", "acks"])
losses = st.one_of(
    st.none(),
    st.builds(ListedLoss, arrivals=st.lists(st.integers(1, 2**63 - 1), max_size=3), of=lost),
    st.builds(BernoulliLoss, probability=st.floats(0, 1), of=lost),
    st.builds(DitherLoss, floor=st.floats(0, 1), of=lost),
    st.builds(
        GilbertElliottLoss,
        good_to_bad=st.floats(0, 1),
        bad_to_good=st.floats(0, 1),
        loss_good=st.floats(0, 1),
        loss_bad=st.floats(0, 1),
        of=lost,
    ),
)
capacities = st.none() | st.builds(
    Capacity,
    times=st.lists(durations, min_size=1, max_size=4).map(lambda times: sorted(map(parse_duration, times))),
    period=st.just("1 h"),
    bytes=counts,
)
jitters = st.none() | st.builds(Jitter, most=periods, reorder=st.booleans())
spans = st.tuples(durations, periods).map(
    lambda span: {"start": parse_duration(span[0]), "end": parse_duration(span[0]) + parse_duration(span[1])}
)
chosen = st.one_of(
    st.builds(dict, every=counts),
    st.builds(dict, probability=st.floats(0, 1)),
    st.builds(dict, packets=st.lists(st.integers(1, 2**63 - 1), min_size=1, max_size=3)),
)
events = st.lists(
    st.one_of(
        st.builds(lambda span, of: Outage(**span, of=of), spans, lost),
        st.builds(
            lambda span, delay, choice, of: Reordering(**span, delay=delay, **choice, of=of),
            spans,
            periods,
            chosen,
            lost,
        ),
    ),
    max_size=2,
).flatmap(
    lambda others: st.sampled_from(
        [
            others,
            [*others, Stall(start=0, end="1 s"), Stall(start="2 s", end="2.5 s")],
            [RateChange(at=0.5, rate=0), *others, RateChange(at="1 s", rate="2 Mbit/s")],
            [DelayChange(at=0.5, delay=0), *others, DelayChange(at="1 s", delay="7 ms")],
            [LossChange(at=0, probability=0.1), *others, LossChange(at="1 s", probability=0, of="acks")],
        ]
    )
)
some = st.floats(0.01, 99)
forecasters = st.one_of(
    st.sampled_from(["last-value", "arima", Arima.jeyasekar_2014()]),
    st.builds(forecaster.Constant, value=st.floats(-9, 9)),
    st.builds(forecaster.Ewma, gain=shares),
    st.builds(forecaster.Holt, gain=shares, trend_gain=shares),
    st.builds(forecaster.Median, window=st.integers(1, 99)),
    st.builds(Arima, ar=st.lists(st.floats(-0.4, 0.4), max_size=2), d=st.integers(0, 2)),
    st.builds(Arima, ma=st.lists(st.floats(-0.4, 0.4), max_size=2), mean=st.floats(0, 9)),
)
controls = st.one_of(
    st.sampled_from(["aimd", "bbr", "copa", "cubic", "vegas", "veno", Binomial.iiad(), Binomial.sqrt()]),
    st.builds(Binomial, k=some, l=some, alpha=some, beta=some),
    st.builds(Copa, delta=some, competitive=st.booleans()),
    st.builds(
        Cubic,
        c=some,
        beta=st.floats(0.01, 0.99),
        fast_convergence=st.booleans(),
        hystart=st.sampled_from([None, "none", "classic", "plus-plus"]),
        variant=st.sampled_from([None, "rfc", "linux"]),
    ),
    st.builds(VegasControl, alpha=st.floats(0, 2), beta=st.floats(2, 9), gamma=some),
    st.builds(
        ArimaVegas,
        alpha=st.floats(0, 2),
        beta=st.floats(2, 9),
        gamma=some,
        forecaster=forecasters,
        decide=st.sampled_from(["round", "ack"]),
    ),
    st.builds(
        Dual,
        threshold=st.floats(0, 0.99),
        beta=st.floats(0.01, 0.99),
        backoff=st.sampled_from(["constant", "proportional"]),
        rounds=st.integers(1, 9),
        forecaster=forecasters,
    ),
    st.builds(
        TcpTp,
        capacity=st.one_of(st.none(), st.floats(1e3, 1e9)),
        interval=st.floats(0.1, 10),
        gain=st.floats(0.01, 1),
        samples=st.integers(1, 50),
        forecaster=forecasters,
        rounding=st.sampled_from(["up", "nearest", "down"]),
        rtt=st.sampled_from(["smoothed", "least"]),
        decide=st.sampled_from(["interval", "ack"]),
        slow_start_again=st.booleans(),
    ),
    st.builds(Veno, beta=some),
)
rtos = st.one_of(
    st.none(),
    st.builds(JacobsonRtoConfig, gain=st.floats(0.01, 1), multiplier=st.floats(0, 20)),
    st.builds(JacobsonTicksRtoConfig, tick=periods),
    st.builds(LinuxRtoConfig, least_margin=periods),
    st.builds(MedianRtoConfig, window=st.integers(1, 99), deviation=st.sampled_from(["ewma", "mad"])),
    st.builds(QuantileRtoConfig, risk=st.floats(1e-6, 0.2)),
    st.builds(WeightedMedianRtoConfig, window=st.integers(1, 63), memory=st.none() | st.integers(1, 99)),
    st.builds(ArimaRtoConfig, forecaster=forecasters, multiplier=st.floats(0, 20)),
)
transports = st.one_of(
    st.builds(Udp, payload_bytes=st.integers(1, 9000)),
    st.builds(
        Tcp,
        profile=st.sampled_from(["rfc", "linux", "ns2"]),
        recovery=st.sampled_from(["tahoe", "reno", "newreno", "sack", "vegas"]),
        control=st.none() | controls,
        ecn=st.booleans(),
        pacing=st.booleans(),
        rto=rtos,
        delayed_ack=st.none() | st.booleans(),
        min_rto=st.none() | periods,
        clock_phase=st.none() | durations,
        initial_window_packets=st.none() | st.floats(1, 100),
        rtt_sampling=st.sampled_from([None, "one-packet", "timestamps"]),
    ),
)
laws = st.one_of(st.builds(ExponentialPeriods), st.builds(ParetoPeriods, shape=st.floats(1.01, 9)))
amounts = st.floats(0.001, 1e6)
shapes = st.floats(1.01, 9)
number_laws = st.one_of(
    amounts,
    st.builds(ConstantLaw, value=amounts),
    st.builds(ExponentialLaw, mean=amounts),
    st.builds(ParetoLaw, mean=amounts, shape=shapes),
    st.builds(LomaxLaw, mean=amounts, shape=shapes),
    st.builds(UniformLaw, low=st.floats(0, 1), high=st.floats(1, 99)),
    st.builds(LognormalLaw, mean=amounts, sigma=st.floats(0, 9)),
    st.builds(ChoiceLaw, values=st.just((1.0, 4.0, 35.0)), weights=st.just((350, 500, 0.5))),
)
time_laws = st.one_of(number_laws, periods, st.builds(ExponentialLaw, mean=periods))
apps = st.one_of(
    st.builds(
        TransferSequence,
        packets=number_laws,
        think=time_laws,
        transfers_at_most=st.none() | counts,
        connection=st.sampled_from(["new", "persistent"]),
        requests=st.booleans(),
        request_bytes=st.none() | st.integers(1, 9000),
    ),
    st.builds(Telnet, packets=number_laws, interval=time_laws, idle=time_laws, sessions=st.none() | counts),
    st.builds(
        Web,
        pages=number_laws,
        inter_page=time_laws,
        objects=number_laws,
        inter_object=time_laws,
        object_packets=number_laws,
        inter_session=st.none() | time_laws,
        connections=st.none() | counts,
        requests=st.sampled_from(["http", "ns2"]),
    ),
    st.builds(Bulk),
    st.builds(Transfer, packets=counts),
    st.builds(Cbr, rate=rates),
    st.builds(Cbr, interval=periods),
    st.builds(Vbr, rates=st.just(["1 kbit/s", 2e6]), intervals=st.just([0.1, "1 s"])),
    st.builds(OnOff, law=laws, rate=rates, on=periods, off=periods),
    st.builds(SelfSimilar, rate=rates, h=st.floats(0.01, 0.99), sd=rates, interval=periods),
    st.builds(Schedule, writes=st.just([(0, 1), ("1 s", 2)])),
)
reverses = st.builds(
    Reverse,
    rate=st.none() | rates,
    delay=st.none() | durations,
    queue=st.none() | queues,
    capacity=capacities,
    jitter=jitters,
    loss=losses,
    events=events,
)
links = st.builds(
    Link,
    between=st.tuples(names, names),
    name=st.none() | names,
    rate=rates,
    delay=durations,
    queue=queues,
    capacity=capacities,
    jitter=jitters,
    loss=losses,
    events=events,
    reverse=reverses,
)
flows = st.builds(
    Flow,
    name=names,
    source=names,
    destination=names,
    transport=transports,
    app=apps,
    start=durations,
    stop=st.none() | periods,
)
name_lists = st.lists(names, max_size=3)
series = st.none() | st.builds(Series, of=name_lists, interval=periods)
methods = st.one_of(
    st.sampled_from(["kaczmarz", "rls", "kalman", "fixed-point"]),
    st.builds(KaczmarzMethod, gamma1=some, gamma2=some),
    st.builds(RlsMethod, forgetting=shares, initial=some),
    st.builds(KalmanMethod, initial=some, drift=some, noise=st.none() | some),
    st.builds(FixedPointMethod, gamma1=some, gamma2=some, tick=periods),
)
queue_shares = st.none() | st.builds(
    QueueShareSeries,
    of=name_lists,
    sampling=periods,
    propagation=durations,
    mean_packet_bytes=st.integers(1, 9000),
    method=methods,
    form=st.sampled_from(["basic", "multi-hop", "cbr"]),
    rtt=st.none() | periods,
    count_drops=st.booleans(),
    zero_drops_after=st.none() | counts,
    estimation_samples=counts,
    backlog_alpha=st.floats(0, 0.99),
    start_n_s=st.none() | some,
    start_elsewhere=st.floats(0, 1),
    start_cbr=st.none() | some,
)
estimates = st.none() | st.builds(
    ShareSeries, of=name_lists, interval=periods, signals=st.sampled_from(["queue", "losses"])
)
records = st.builds(
    Record,
    rtt=name_lists,
    pcap=name_lists,
    pcap_format=st.sampled_from(["pcap", "pcapng"]),
    pcap_both_directions=st.booleans(),
    pcap_handshakes=st.sampled_from(["all", "simulated"]),
    flow_series=series,
    port_series=series,
    responsiveness=estimates,
    nonresponsive=queue_shares,
)
scenarios = st.builds(
    Scenario,
    title=names,
    duration=periods,
    warm_up=durations,
    hosts=name_lists,
    routers=name_lists,
    links=st.lists(links, max_size=3),
    flows=st.lists(flows, max_size=3),
    record=records,
)
unhurried = settings(suppress_health_check=[HealthCheck.too_slow])
