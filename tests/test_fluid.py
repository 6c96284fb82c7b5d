"""The fluid model: trajectories, equilibria and stability against closed forms, and settings as packets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import trapezoid
from scipy.special import lambertw

from parshall import InputError
from parshall.fluid import (
    DOCUMENT,
    PERIODIC,
    ConstantRate,
    ConstantWindow,
    Equilibrium,
    FixedLoss,
    FluidModel,
    RedLoss,
    SquareRoot,
    WithTimeouts,
    critical,
    equilibria,
    linearise,
    random_losses,
    rightmost_roots,
    simulate,
    stability,
    whole_packets,
)
from parshall.theory import padhye_send_rate, periodic_loss_window, random_loss_window, red_drop_rate
from parshall.theory.tcp_laws import stepped_window
from parshall_studies.fluid.setting import CHAPTER

CAPACITY, DELAY = 3500.0, 0.1
RED = RedLoss(15, 45, 0.1)


def chapter_two(cbr: float = 22, **changes: object) -> FluidModel:
    """35 TCP flows and some of 1 Mbit/s, 28 Mbit/s, packets of 1000 bytes."""
    model = FluidModel(CAPACITY, DELAY, 35, RED, unresponsive=ConstantRate(cbr, 125), limit=60, weight=0.002)
    return model.with_(**changes)


def calm(**changes: object) -> FluidModel:
    """A model that rests, far from the ends of the queue and the kinks of RED."""
    model = FluidModel(
        12500, 0.04, 100, RedLoss(50, 450, 0.1), limit=1000, weight=0.002, unresponsive=ConstantRate(20, 125)
    )
    return model.with_(**changes)


def only(model: FluidModel) -> Equilibrium:
    rest = equilibria(model)
    assert rest.only is not None, str(rest)
    return rest.only


# --- The parts of the model ---------------------------------------------------------------------------------


def test_red_spaces_its_drops_as_the_count_of_packets_says() -> None:
    for queue in (16, 30, 44):
        p = RED.share(queue)
        wait, plain = (RedLoss(15, 45, 0.1, spacing=how).share(queue) for how in ("wait", "plain"))
        assert wait == pytest.approx(red_drop_rate(p, wait=True), rel=0.03)
        assert plain == pytest.approx(red_drop_rate(p, wait=False), rel=0.01)
    assert RED.share(15) == 0
    assert RED.share(45) == pytest.approx(0.1)
    assert RED.share(90) == 1
    assert RedLoss(15, 45, 0.1, gentle=False).share(45) == 1


def test_windows_at_rest() -> None:
    loss = 1e-3
    assert DOCUMENT.window(loss, 0.1) == pytest.approx(math.sqrt(2 / loss))
    assert PERIODIC.window(loss, 0.1) == pytest.approx(periodic_loss_window(loss))
    assert random_losses().window(loss, 0.1) == pytest.approx(random_loss_window(loss))
    assert WithTimeouts(0.7, acked=2).window(loss, 0.1) == pytest.approx(
        0.1 * padhye_send_rate(loss, rtt=0.1, timeout=0.7, acked=2)
    )
    # Where losses are rare, timeouts are as well.
    assert WithTimeouts().window(1e-8, 0.1) == pytest.approx(periodic_loss_window(1e-8), rel=1e-3)
    # The pause was set where losses are rarer still.
    assert whole_packets().window(loss, 0.1) == pytest.approx(
        stepped_window(loss, whole=True, pause=True), rel=0.015
    )
    for law in (DOCUMENT, random_losses(), whole_packets(), WithTimeouts(), WithTimeouts(acked=2)):
        assert law.window(0.0, 0.1) == math.inf
        for loss in (1e-4, 0.01, 0.3):
            window = law.window(loss, 0.1)
            assert law.decrease(loss, 0.1, window) * window**2 * loss == pytest.approx(law.increase)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"capacity": 0}, "capacity"),
        ({"capacity": math.nan}, "capacity"),
        ({"propagation_delay": -0.1}, "propagation_delay"),
        ({"flows": math.inf}, "flows"),
        ({"limit": 0}, "limit"),
        ({"limit": math.nan}, "limit"),
        ({"weight": 1.0}, "weight"),
        ({"elsewhere": -0.01}, "elsewhere"),
    ],
)
def test_a_parameter_out_of_range_is_named(changes: dict[str, float], place: str) -> None:
    with pytest.raises(InputError, match=f"^{place}: got .*, expected"):
        chapter_two(**changes)


def test_faults_of_parts_are_named() -> None:
    for make, place in (
        (lambda: FixedLoss(1.0), "probability"),
        (lambda: RedLoss(-1, 45, 0.1), "low"),
        (lambda: RedLoss(15, 15, 0.1), "high"),
        (lambda: RedLoss(15, 45, 0), "most"),
        (lambda: RedLoss(15, 45, 0.1, spacing="often"), "spacing"),  # type: ignore[arg-type]
        (lambda: SquareRoot(fraction=0), "fraction"),
        (lambda: SquareRoot(pause=-1), "pause"),
        (lambda: WithTimeouts(0), "timeout"),
        (lambda: WithTimeouts(acked=0), "acked"),
        (lambda: ConstantRate(-1, 1), "flows"),
        (lambda: ConstantWindow(1, math.inf), "window"),
        (lambda: simulate(calm(), 0), "duration"),
        (lambda: simulate(calm(), 1, [1.0, 0.0]), "start"),
        (lambda: simulate(calm(), 1, [0.0, 0.0, 0.0]), r"start\[0\]"),
        (lambda: simulate(calm(), 1, [1.0, 1001.0, 0.0]), r"start\[1\]"),
        (lambda: simulate(calm(), 1, [1.0, 0.0, math.nan]), r"start\[2\]"),
        (lambda: simulate(calm(), 1).every(0), "interval"),
        (lambda: simulate(calm(), 1).at(-1), "times"),
        (lambda: rightmost_roots([[1, 2]], [[1, 2]], 1), "a"),
        (lambda: rightmost_roots(1, [[1, 2], [3, 4]], 1), "b"),
        (lambda: rightmost_roots(1, math.nan, 1), "b"),
        (lambda: rightmost_roots(1, 1, -1), "delay"),
    ):
        with pytest.raises(InputError, match=f"^{place}: got .*, expected"):
            make()  # type: ignore[no-untyped-call]


# --- Trajectories -------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    cbr=st.floats(0, 32),
    flows=st.floats(1, 200),
    delay=st.floats(0.01, 0.4),
    weight=st.sampled_from([None, 0.002, 0.1]),
    counted=st.booleans(),
    law=st.sampled_from([DOCUMENT, whole_packets(), WithTimeouts()]),
    loss=st.sampled_from([FixedLoss(), FixedLoss(0.02), RED, RedLoss(15, 45, 0.1, spacing="wait")]),
    limit=st.sampled_from([20.0, 60.0, 500.0]),
)
def test_what_arrives_leaves_is_lost_or_waits(
    cbr: float,
    flows: float,
    delay: float,
    weight: float | None,
    counted: bool,
    law: SquareRoot | WithTimeouts,
    loss: FixedLoss | RedLoss,
    limit: float,
) -> None:
    model = chapter_two(
        cbr,
        flows=flows,
        propagation_delay=delay,
        weight=weight,
        count_drops=counted,
        response=law,
        loss=loss,
        limit=limit,
    )
    path = simulate(model, 5)
    found = path.every(0.001)
    assert (found.window > 0).all()
    assert (found.queue >= 0).all()
    assert (found.queue <= limit).all()
    early = np.array([loss.share(average) for average in found.average.tolist()])
    entering = found.arrivals * (1 - early) if counted else found.arrivals
    # An empty queue sends on what comes, a full one loses what it cannot hold.
    leaving = np.where(found.queue > 0, CAPACITY, np.minimum(entering, CAPACITY))
    lost = np.where(found.queue >= limit * (1 - 1e-9), np.maximum(entering - CAPACITY, 0), 0)
    change = trapezoid(entering - leaving - lost, found.time)
    passed = trapezoid(entering, found.time)
    assert found.queue[-1] - found.queue[0] == pytest.approx(change, abs=2e-3 * passed)


def test_the_model_converges_with_order_five() -> None:
    # From windows above rest, before the queue reaches an end and after the kink of the start.
    model = calm()
    rest = only(model)
    start = model.state(1.02 * rest.window, rest.queue, rest.queue)
    times = np.linspace(0, 1, 201)
    exact = simulate(model, 1, start, rtol=1e-12, atol=1e-13).at(times)
    assert exact.queue.min() > 50
    errors = []
    for step in (0.02, 0.01, 0.005):
        found = simulate(model, 1, start, step=step).at(times)
        errors.append(float(np.abs(found.window - exact.window).max()))
    assert (np.log2(np.array(errors[:-1]) / errors[1:]) > 4).all()


def test_the_average_forgets_as_fast_as_packets_arrive() -> None:
    # With a fixed loss the windows do not care; a queue at rest, an average that starts elsewhere.
    model = calm(loss=FixedLoss(0.02), limit=math.inf)
    rest = only(model)
    found = simulate(model, 0.5, model.state(rest.window, rest.queue, rest.queue + 10), rtol=1e-9).every(0.05)
    law = rest.queue + 10 * (1 - 0.002) ** (rest.arrivals * found.time)
    assert found.average == pytest.approx(law, rel=1e-6)


def test_a_trajectory_is_carried_on_with_its_past() -> None:
    model = calm()
    whole = simulate(model, 3, rtol=1e-9, atol=1e-10)
    halves = simulate(model, 2, simulate(model, 1, rtol=1e-9, atol=1e-10), rtol=1e-9, atol=1e-10)
    assert (halves.start, halves.end) == (1, 3)
    times = np.linspace(1, 3, 50)
    assert halves.at(times).queue == pytest.approx(whole.at(times).queue, abs=1e-4)
    louder = simulate(model.with_(unresponsive=ConstantRate(30, 125)), 2, simulate(model, 1))
    assert louder.at(1.0).queue == pytest.approx(halves.at(1.0).queue, abs=0.03)
    assert louder.at(1.0).share[0] > 1.3 * halves.at(1.0).share[0]


# --- Equilibria ---------------------------------------------------------------------------------------------


MODELS = {
    "document": chapter_two(16),
    "no average": chapter_two(16, weight=None),
    "drops counted": chapter_two(count_drops=True, loss=RedLoss(15, 45, 0.1, spacing="wait")),
    "timeouts": chapter_two(response=WithTimeouts(), count_drops=True),
    "window form": chapter_two(unresponsive=ConstantWindow(22, 14), count_drops=True),
    "elsewhere": chapter_two(16, elsewhere=0.03),
    "empty": chapter_two(10, elsewhere=0.1),
    "full": chapter_two(loss=FixedLoss()),
    "full, overload": chapter_two(30),
    "fixed": chapter_two(10, loss=FixedLoss(0.005), limit=math.inf),
}


@pytest.mark.parametrize("name", MODELS)
def test_at_an_equilibrium_nothing_moves(name: str) -> None:
    model = MODELS[name]
    rest = only(model)
    state = rest.state(model)
    slope = model.slope(0, state, state, rest.mode)
    assert model.start(0, state) == rest.mode or abs(rest.arrivals - CAPACITY) < 1e-6 * CAPACITY
    assert slope == pytest.approx([0] * len(slope), abs=1e-6 * CAPACITY)
    assert rest.regime == (name if name in ("empty", "full") else "full" if "full" in name else "free")
    at_rest = simulate(model, 0.2, state).every(0.02)
    assert at_rest.queue == pytest.approx(rest.queue, rel=1e-5, abs=1e-5)
    assert at_rest.loss == pytest.approx(rest.loss, rel=1e-5)
    assert at_rest.share == pytest.approx(rest.share, rel=1e-5)


def test_with_a_fixed_loss_the_equilibrium_has_a_closed_form() -> None:
    p, d = 0.005, 10 * 125.0
    rest = only(chapter_two(10, loss=FixedLoss(p), limit=math.inf))
    # N W / R = C - d with W = sqrt(2 / p).
    window = math.sqrt(2 / p)
    round_trip = 35 * window / (CAPACITY - d)
    assert rest.window == pytest.approx(window)
    assert rest.round_trip == pytest.approx(round_trip)
    assert rest.queue == pytest.approx(CAPACITY * (round_trip - DELAY))
    assert rest.share == pytest.approx(d / CAPACITY)
    # In the window form (N W + D) / R = C.
    other = only(chapter_two(unresponsive=ConstantWindow(10, 30), loss=FixedLoss(p), limit=math.inf))
    assert other.round_trip == pytest.approx((35 * window + 300) / CAPACITY)
    assert other.share == pytest.approx(300 / (35 * window + 300))


def test_the_two_forms_rest_at_the_same_place() -> None:
    rate = only(chapter_two(16))
    window = only(chapter_two(unresponsive=ConstantWindow(16, 125 * rate.round_trip)))
    assert window.queue == pytest.approx(rate.queue)
    assert window.share == pytest.approx(rate.share)


def test_losses_elsewhere_add_up() -> None:
    # RED and the other hops together leave the windows no other choice: the same loss in all.
    alone, less = only(chapter_two(16)), only(chapter_two(16, elsewhere=0.03))
    assert less.loss < alone.loss
    assert less.path_loss == pytest.approx(less.loss + 0.03)
    assert less.window * math.sqrt(less.path_loss) == pytest.approx(math.sqrt(2))


def test_a_full_queue_loses_what_balances() -> None:
    rest = only(chapter_two(loss=FixedLoss()))
    assert rest.arrivals * (1 - rest.loss) == pytest.approx(CAPACITY)
    assert rest.window == pytest.approx(math.sqrt(2 / rest.loss))
    assert rest.utilisation == 1


def test_an_empty_queue_uses_a_part_of_the_link() -> None:
    rest = only(chapter_two(10, elsewhere=0.1))
    assert rest.utilisation == pytest.approx((35 * math.sqrt(20) / DELAY + 1250) / CAPACITY)
    assert rest.utilisation < 1


def test_no_equilibrium_where_the_loss_jumps_over_it() -> None:
    model = chapter_two(loss=RedLoss(15, 45, 0.1, gentle=False))
    rest = equilibria(model)
    assert rest.found == ()
    assert rest.jumps == pytest.approx((45,))
    assert str(rest) == "none at 45 packets, where the loss law jumps"
    tail = simulate(model, 60).at(np.arange(30, 60, 0.01))
    assert tail.average.min() < 45 < tail.average.max()


def test_no_equilibrium_where_nothing_limits_the_queue() -> None:
    rest = equilibria(chapter_two(29, loss=FixedLoss(0.01), limit=math.inf))
    assert rest.found == ()
    assert str(rest) == "nowhere: the queue grows without end"
    assert only(chapter_two(29, loss=FixedLoss(0.01))).regime == "full"


def test_a_law_with_several_balances_shows_them_all() -> None:
    class Bump:
        """Falls between 30 and 40 packets."""

        kinks = (20.0, 30.0, 40.0)

        def share(self, queue: float) -> float:
            return float(np.interp(queue, (0, 20, 30, 40, 50), (0, 0, 0.12, 0.02, 0.2)))

    rest = equilibria(chapter_two(16, loss=Bump()))
    assert [each.regime for each in rest.found] == ["free"] * 3
    assert rest.only is None
    needed = rest.found[0].loss
    assert [each.queue for each in rest.found] == pytest.approx(
        [20 + 10 * needed / 0.12, 40 - 10 * (needed - 0.02) / 0.1, 40 + 10 * (needed - 0.02) / 0.18], rel=0.02
    )
    # The one in the middle, where more queue is less loss, is no place to stay.
    growth = [stability(chapter_two(16, loss=Bump()), each).roots[0] for each in rest.found]
    assert growth[1].real > 0
    assert growth[1].imag == pytest.approx(0)


# --- Stability ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["rate", "window"])
def test_with_a_fixed_loss_the_roots_have_a_closed_form_and_are_stable(form: str) -> None:
    # W' does not see the queue at rest, so the roots are those of the windows and that of the queue.
    p, d = 0.005, 10 * 125.0
    load = ConstantRate(10, 125) if form == "rate" else ConstantWindow(10, 30)
    model = chapter_two(unresponsive=load, loss=FixedLoss(p), limit=math.inf, weight=None)
    rest = only(model)
    found = stability(model, rest, 8)
    # s = -a (1 + exp(-s R)) with a R = 1 / W.
    a = 1 / (rest.window * rest.round_trip)
    lag = a * rest.round_trip
    windows = [complex(lambertw(-lag * math.exp(lag), k)) / rest.round_trip - a for k in (0, -1, 1, -2)]
    queue = (CAPACITY - d) / (CAPACITY * rest.round_trip) if form == "rate" else 1 / rest.round_trip
    for expected in (*windows, complex(-queue)):
        assert np.abs(found.roots - expected).min() == pytest.approx(0, abs=1e-4 * abs(expected))
    assert found.stable
    assert found.delay_margin == math.inf


@settings(max_examples=60, deadline=None)
@given(p=st.floats(1e-5, 0.5), delay=st.floats(1e-3, 1), flows=st.floats(1, 1000), share=st.floats(0, 0.95))
def test_the_equilibrium_of_a_fixed_loss_is_always_stable(
    p: float, delay: float, flows: float, share: float
) -> None:
    # As the document claims (II.B).
    model = FluidModel(CAPACITY, delay, flows, FixedLoss(p), unresponsive=ConstantRate(share, CAPACITY))
    rest = only(model)
    assert stability(model, rest, 2).stable


def test_the_linear_model_near_red_has_its_closed_form() -> None:
    # Hollot, Misra, Towsley and Gong (INFOCOM 2001), without what does not respond.
    model = calm(unresponsive=ConstantRate())
    rest = only(model)
    linear = linearise(model, rest)
    n, c, r, w = model.flows, model.capacity, rest.round_trip, rest.window
    slope, gain = 0.1 / 400, -math.log(1 - 0.002) * c
    now = [[-1 / (w * r), 0, 0], [n / r, -1 / r, 0], [0, gain, -gain]]
    past = [[-1 / (w * r), 0, -slope * w * w / (2 * r)], [0, 0, 0], [0, 0, 0]]
    assert linear.now == pytest.approx(np.array(now), rel=1e-5, abs=1e-5)
    assert linear.past == pytest.approx(np.array(past), rel=1e-5, abs=1e-5)
    assert linear.components == ("window", "queue", "average")


@pytest.mark.parametrize("flows", [40, 100])
def test_the_solution_near_rest_swings_and_dies_or_grows_as_the_rightmost_root_says(flows: float) -> None:
    model = calm(flows=flows, unresponsive=ConstantRate())
    rest = only(model)
    found = stability(model, rest)
    assert found.stable == (flows == 100)
    root = found.roots[0]
    start = model.state(rest.window * (1 + 1e-5), rest.queue)
    span = 3.0
    path = simulate(model, span, start, rtol=1e-11, atol=1e-12).at(np.linspace(span / 3, span, 3000))
    assert np.abs(path.queue - rest.queue).max() < 0.1  # still small
    # y = Re(c exp(s t)): least squares with the root of the model, which leaves next to nothing.
    basis = np.exp(root * path.time)
    fit = np.column_stack((basis.real, basis.imag))
    deviation = path.queue - rest.queue
    left = deviation - fit @ np.linalg.lstsq(fit, deviation, rcond=None)[0]
    scale = np.exp(root.real * path.time)
    assert np.abs(left / scale).max() < 1e-2 * np.abs(deviation / scale).max()
    # And a root that is 5 % off leaves far more.
    for off in (root * 1.05, root.conjugate() * 1.05, root + 0.1 * abs(root)):
        basis = np.exp(off * path.time)
        worse = np.column_stack((basis.real, basis.imag))
        rest_of_it = deviation - worse @ np.linalg.lstsq(worse, deviation, rcond=None)[0]
        assert np.abs(rest_of_it / scale).max() > 5 * np.abs(left / scale).max()


def test_the_critical_parameter_parts_stable_from_unstable() -> None:
    def family(flows: float) -> FluidModel:
        return calm(flows=flows, unresponsive=ConstantRate())

    boundary = critical(family, 20, 100)
    for flows, stable in ((0.98 * boundary, False), (1.02 * boundary, True)):
        assert stability(family(flows), only(family(flows))).stable == stable
    at_boundary = stability(family(boundary), only(family(boundary)))
    assert at_boundary.growth == pytest.approx(0, abs=1e-6)
    # The margin of the linear equation there is the delay that it has.
    assert at_boundary.delay_margin == pytest.approx(at_boundary.linear.delay, rel=1e-4)
    with pytest.raises(InputError, match=r"^low, high: got stable equilibria at 90 and 100, expected"):
        critical(family, 90, 100)
    with pytest.raises(InputError, match=r"^family: got none at 45 packets"):
        critical(lambda n: chapter_two(flows=n, loss=RedLoss(15, 45, 0.1, gentle=False)), 35, 36)


def test_an_unstable_equilibrium_is_left_for_a_cycle() -> None:
    model = calm(flows=40, unresponsive=ConstantRate())
    rest = only(model)
    assert not stability(model, rest).stable
    path = simulate(model, 60, model.state(1.0001 * rest.window, rest.queue))
    swings = [np.ptp(path.at(np.arange(begin, begin + 2, 0.005)).queue) for begin in (0, 50, 55)]
    assert swings[0] < 0.5 * swings[1]
    assert swings[1] == pytest.approx(swings[2], rel=0.01)


# --- Beside packets -----------------------------------------------------------------------------------------


def test_a_setting_is_one_network_as_packets_and_as_fluid() -> None:
    setting = CHAPTER.with_(elsewhere=0.02)
    model, network = setting.model("whole"), setting.scenario(10, 1).scenario()
    bottleneck = network.links[0]
    assert model.capacity * 8 * 1000 == bottleneck.rate
    assert model.propagation_delay == 2 * bottleneck.delay
    assert model.limit == bottleneck.queue.limit_packets
    assert isinstance(model.loss, RedLoss)
    assert (model.loss.low, model.loss.high) == (15, 45)
    assert model.weight == bottleneck.queue.weight.value
    rates = [
        flow.app.rate / flow.transport.payload_bytes for flow in network.flows if flow.transport.kind == "udp"
    ]
    assert sum(rates) / 8 == pytest.approx(model.unresponsive.arrivals(0.1))
    losing = [link for link in network.links if link.loss is not None]
    tcp = {flow.destination for flow in network.flows if flow.transport.kind == "tcp"}
    assert {link.between[1] for link in losing} == tcp
    assert {link.loss.probability for link in losing} == {model.elsewhere}
