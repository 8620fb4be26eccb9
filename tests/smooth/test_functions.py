"""Any function of R^d: certified slopes, the paper's mechanisms and the least scale, and faults that must be caught."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.noise.entropy import ENTROPY
from geopriv.shapes.slopes import Slopes
from geopriv.smooth.cells import Cells, cells_of
from geopriv.smooth.fields import Field, certify, least_field, rise
from geopriv.smooth.points import worst_of_points
from geopriv.spaces.checks import FloatArray

PLANE = gp.Plane(None)
BOX = ((-20.0, -20.0), (20.0, 20.0))
Function = Callable[..., Any]


def ramp(s: Any, width: float) -> Any:
    return np.clip(s / width + 0.5, 0, 1)


def rectangle(x: Any, y: Any) -> Any:
    return ramp(x + 3, 2) * ramp(3 - x, 2) * ramp(y + 5, 2) * ramp(5 - y, 2)


def disc_and_half_plane(x: Any, y: Any) -> Any:
    return np.minimum(ramp(6 - np.hypot(x, y), 2), ramp((x + 0.5 * y) / 1.25**0.5 + 1, 2))


def wave(x: Any, y: Any) -> Any:
    return 0.5 * (1 + np.tanh(x)) * np.exp(-(y**2) / 8)


def kernels(x: Any, y: Any) -> Any:
    places = ((-4, -3), (5, -2), (0, 6))
    return sum(np.exp(-((x - a) ** 2 + (y - b) ** 2) / 8) for a, b in places) / 3


def everything(x: Any, y: Any) -> Any:
    """Every operation that has a rule."""
    odd = np.sin(3 * x) * np.cos(y) + np.log(2 + x**2) - np.sqrt(1 + abs(y)) / (1 + x**4)
    return (
        odd
        + 2 ** -abs(x)
        + np.maximum(x, y) ** 3 / 50
        - (2 + x * x) ** -2 * y
        + np.square(y).clip(1, 4)
        + (y * y + 1) ** 0.3
    )


def chosen(x: Any, y: Any) -> Any:
    """`np.where` on what every cell decides: the box lies above −30."""
    return (
        np.where((x > -30) & ~(y > 30), np.reciprocal(2 + np.fabs(x)), 5.0)
        + np.zeros_like(y)
        + np.ones_like(x)
        - np.full_like(y, 0.5)
    )


FUNCTIONS = {f.__name__: f for f in (rectangle, disc_and_half_plane, wave, kernels)}
ALL = {**FUNCTIONS, "everything": everything, "chosen": chosen}


def of(function: Function, box: Any = BOX, **more: Any) -> gp.Function:
    return gp.Function(function, PLANE, box, **more)


def difference(function: Function, places: FloatArray, step: float = 1e-6) -> FloatArray:
    """The gradient by central differences, shape (2, n)."""
    x, y = places
    across = (function(x + step, y) - function(x - step, y)) / (2 * step)
    return np.stack([across, (function(x, y + step) - function(x, y - step)) / (2 * step)])


@pytest.mark.parametrize("name", ALL)
def test_no_value_and_no_slope_is_beyond_its_bounds(name: str) -> None:
    """100,000 boxes of three sizes; at points where a difference straddles a kink it is between both slopes."""
    rng, f = np.random.default_rng(1), ALL[name]
    middle, half = rng.uniform(-8, 8, (2, 100_000)), rng.choice([1e-3, 0.1, 1.0], 100_000)
    with np.errstate(all="ignore"):
        made = f(*Slopes.axes(middle - half, middle + half))
    places = middle + 0.99 * half * rng.uniform(-1, 1, middle.shape)
    inside = np.abs(places - middle).max(axis=0) < half - 2e-6
    value, slope = f(*places), difference(f, places)
    assert (value >= made.value[0]).all()
    assert (value <= made.value[1]).all()
    assert (np.hypot(*slope) <= made.norm + 1e-6)[inside].all()
    for axis in (0, 1):
        low, high = made.partials[axis]
        assert ((slope[axis] >= low - 1e-6) & (slope[axis] <= high + 1e-6))[inside].all()


def test_a_bound_that_forgets_a_term_would_be_seen() -> None:
    """Planted: the product rule without its second term."""
    rng = np.random.default_rng(1)
    middle = rng.uniform(-3, 3, (2, 1000))
    x, y = Slopes.axes(middle - 0.01, middle + 0.01)
    wrong = Slopes((x * y).value, [x.partials[0], y.partials[0]], np.abs(middle[1]), x.refusals)
    assert (np.hypot(*middle) > wrong.norm + 0.1).mean() > 0.5


@pytest.mark.parametrize(
    ("function", "steepest"),
    [
        (np.minimum, 1.0),
        (lambda x, y: np.maximum(0.5 * x, -0.5 * y), 0.5),
        (np.hypot, 1.0),
        (lambda x, y: np.hypot(x - 0.1, y + 0.2), 1.0),
        (lambda x, y: abs(x) + 0 * y, 1.0),
        (lambda x, y: np.clip((x + y) / 2, -1, 1), math.sqrt(0.5)),
        (lambda x, y: np.minimum(np.clip(x, 0, 1), np.clip(y, 0, 1)), 1.0),
    ],
)
def test_kinks_and_ties_do_not_make_slopes_longer(function: Function, steepest: float) -> None:
    """The hull of two gradients alone has a longer one in it: 0.667 for 0.5."""
    assert cells_of(of(function, ((-2, -2), (2, 2))), 0.1).top == pytest.approx(steepest, rel=1e-9)


def test_ties_at_a_plateau_spread_no_slope_along_a_line() -> None:
    """Outside of the disc the function is 0, also along the border of the half plane."""
    cells = cells_of(of(disc_and_half_plane), 0.2)
    assert cells.at(np.array([[6.0, -14.0], [-6.5, 13.0], [15.0, 3.0]])).max() == 0


BAD: dict[str, tuple[Function, str]] = {
    "a branch": (lambda x, y: x if x > 0 else y, "branch"),
    "a branch on a value": (lambda x, y: x if x else y, "same for every value"),
    "where that jumps": (lambda x, y: np.where(x > 0, 1.0, 0.0 * x), "minimum, maximum or clip"),
    "where of numbers": (lambda x, y: np.where(x > 0, 1.0, 0.0), "np.where"),
    "a comparison as a number": (lambda x, y: (x > 0) * 1.0, "np.where alone"),
    "a floor": (lambda x, y: np.floor(x), "floor has none"),
    "a remainder": (lambda x, y: x % 1.0, "same for every value"),
    "an array": (lambda x, y: np.asarray(x), "same for every value"),
    "a list": (lambda x, y: np.linalg.norm([x, y]), "same for every value"),
    "equality": (lambda x, y: np.tanh(x) / 2 + 5.0 * (x == 0), "same for every value"),
    "membership": (lambda x, y: x if x in [0.0] else y, "same for every value"),
    "float32": (lambda x, y: np.float32(2) * x, "float64"),
    "a cast": (lambda x, y: x.astype(np.float32), "astype has none"),
    "an array of numbers": (lambda x, y: x * np.ones(3), "float64"),
    "a place to write": (lambda x, y: np.add(x, 1, out=np.zeros_like(x)), "plainly"),
    "where= of a ufunc": (lambda x, y: np.exp(x, where=np.array([True])), "plainly"),
    "a complex number": (lambda x, y: abs(1j * x), "float64"),
    "an unknown ufunc": (lambda x, y: np.arctan(x), "arctan has none"),
    "the standard library": (lambda x, y: math.exp(x), "same for every value"),
    "a sum": (lambda x, y: np.sum([x, y]), "same for every value"),
    "a reduction": (lambda x, y: np.add.reduce([x, y]), "same for every value"),
    "a truth value": (lambda x, y: True * x, "float64"),
    "a size": (lambda x, y: x / x.size, "size has none"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_could_hide_a_jump_or_lose_an_error_is_refused(name: str) -> None:
    function, words = BAD[name]

    def safe(x: Any, y: Any) -> Any:  # so that floats pass, whatever the function is
        return np.zeros(len(x)) if isinstance(x, np.ndarray) else function(x, y)

    with pytest.raises(gp.InvalidParameter, match=words):
        gp.LeastScaleT.calibrate(of(safe), 1.0)


def test_whoever_catches_a_refusal_is_refused_and_so_is_who_tells_intervals_apart() -> None:
    def catching(x: Any, y: Any) -> Any:
        try:
            return np.where(x > 0, 1.0, 0.0 * x)
        except gp.InvalidParameter:
            return 0 * x

    def telling(x: Any, y: Any) -> Any:
        return np.tanh(5 * x) if isinstance(x, np.ndarray) else 0 * x

    def changing(x: Any, y: Any) -> Any:
        x += y
        return x

    def waving(x: Any, y: Any) -> Any:  # 0 in the middle of every cell
        return np.sin(np.pi * x / 0.05) * 0.1 if hasattr(x, "__array_interface__") else 0 * x

    for function, words in (
        (catching, "jump"),
        (telling, "something else"),
        (waving, "something else"),
        (changing, "in place"),
    ):
        with pytest.raises(gp.InvalidParameter, match=words):
            cells_of(of(function), 0.4)


@pytest.mark.parametrize(
    "function", [lambda x, y: 1 / (x - 0.123), lambda x, y: np.sqrt(abs(x)), lambda x, y: np.log(x + 20)]
)
def test_a_slope_without_a_bound_is_named_with_its_place(function: Function) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"(bounded slope.*between .* and|finite everywhere)"):
        gp.LipschitzLaplace.calibrate(of(function), 1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gp.Function(3.0, PLANE, BOX), "a function of numpy arrays"),
        (lambda: of(wave, None), "box"),
        (lambda: of(wave, ((0, 0), (0, 1))), "lower one first"),
        (lambda: of(wave, ((0, 0), (np.inf, 1))), "box"),
        (lambda: of(wave, 3), "two corners"),
        (lambda: of(lambda x, y: x[:1]), "one float64 number for each value"),
        (lambda: of(lambda x, y: 1j * x), "one float64 number for each value"),
        (lambda: of(lambda x, y: x.astype(np.float32)), "one float64 number for each value"),
        (lambda: of(lambda x, y: np.nan * x), "finite everywhere"),
        (lambda: gp.Function(lambda x: x, gp.Earth()), "LocalPlane"),
        (lambda: gp.Function(lambda x: x, gp.LogLine(2.0), (1.0, 2.0)), "LocalPlane"),
        (lambda: gp.Function(lambda *x: x[0], gp.Euclidean(4), ((0,) * 4, (1,) * 4)), "at most 3 axes"),
        (lambda: of(wave, gradient=lambda x, y: (x, y)), "together with gradient"),
        (lambda: cells_of(of(wave), 1e-3), "at most 16,777,216 cells"),
        (lambda: gp.SmoothT.calibrate(of(wave), 1.0, radius=2.0), "slope at each place"),
        (lambda: gp.SmoothLaplace.calibrate(of(wave), 1.0, 1e-3), "within Λ"),
        (lambda: gp.LeastScaleT.calibrate(of(lambda x, y: 0 * x + 2.0), 1.0), "changes somewhere"),
        (lambda: gp.Table.calibrate(of(wave), 1.0), "geopriv.smooth"),
    ],
)
def test_what_is_no_function_gets_a_sentence(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=words):
        make()


def even(count: int) -> FloatArray:
    """The middles of a grid over the box."""
    axis = -20 + 40 * (np.arange(count) + 0.5) / count
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize(
    ("name", "paper", "least"),
    [
        ("rectangle", 0.70, 0.132),
        ("disc_and_half_plane", 0.58, 0.109),
        ("wave", 0.265, 0.0575),
        ("kernels", 0.024, 0.0058),
    ],
)
def test_the_least_scale_has_a_quarter_of_the_papers_variance(name: str, paper: float, least: float) -> None:
    """On cells of 0.2/ε, for people even over the box; `bench/general.py` has finer ones."""
    function, x = of(FUNCTIONS[name]), even(150)
    rival = gp.SmoothT.calibrate(function, 1.0).variance(x).mean()
    own = gp.LeastScaleT.calibrate(function, 1.0).variance(x).mean()
    assert own < least
    assert own < rival / 4
    assert rival < paper


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_smooth_bound_is_never_below_the_slopes_and_hardly_above(name: str) -> None:
    """Against brute force over slopes by differences at 200 × 200 places, which are a little too small."""
    f, gamma = FUNCTIONS[name], 1 / 9
    places = even(200)
    slope = np.hypot(*difference(f, places.T))
    x = np.random.default_rng(3).uniform(-20, 20, (100, 2))
    brute = np.array([(slope * np.exp(-gamma * np.linalg.norm(places - one, axis=1))).max() for one in x])
    ratios = [cells_of(of(f), width).smooth(gamma, x) / brute for width in (0.1, 0.4)]
    for ratio, most in zip(ratios, (1.1, 1.3), strict=True):
        assert ratio.min() >= 1
        assert ratio.max() < most
    assert ratios[0].mean() < ratios[1].mean()


def test_the_descent_finds_the_largest_of_all_cells() -> None:
    rng = np.random.default_rng(5)
    for shape in ((1,), (7,), (5, 9), (1, 4), (3, 4, 5)):
        cells = Cells(rng.normal(size=len(shape)), rng.uniform(0.1, 1, len(shape)), rng.exponential(size=shape) ** 3)
        x = rng.normal(0, 3, (200, len(shape)))
        inside = np.clip(x, cells.origin, cells.origin + cells.widths * shape)
        low = cells.origin + np.stack([axis.ravel() for axis in np.indices(shape)], axis=1) * cells.widths
        off = np.maximum(np.maximum(low - inside[:, None], inside[:, None] - low - cells.widths), 0)
        brute = (cells.steepest.ravel() * np.exp(-0.7 * np.linalg.norm(off, axis=2))).max(axis=1)
        np.testing.assert_allclose(cells.smooth(0.7, x), brute, rtol=1e-12)


MECHANISMS: dict[str, Callable[[gp.Function], Any]] = {
    "LipschitzLaplace": lambda f: gp.LipschitzLaplace.calibrate(f, 1.0),
    "SmoothT": lambda f: gp.SmoothT.calibrate(f, 1.0),
    "SmoothT exact": lambda f: gp.SmoothT.calibrate(f, 1.0, 0.4, calibration="exact"),
    "SmoothCauchy": lambda f: gp.SmoothCauchy.calibrate(f, 1.0),
    "LocalLaplace": lambda f: gp.LocalLaplace.calibrate(f, 1.0, 2.0),
    "LeastScaleT": lambda f: gp.LeastScaleT.calibrate(f, 1.0),
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_keeps_its_promise(mechanism: str) -> None:
    made = MECHANISMS[mechanism](of(wave))
    found = gp.audit(made)
    assert found.passed
    assert found.worst_ratio > 0.65
    assert found.worst_ratio > 0.99 or not mechanism.startswith("LeastScaleT")


def test_a_scale_without_its_certificate_and_a_bound_that_is_too_small_are_caught() -> None:
    """Planted: the first sweep of the solver; B that falls off outside of the box; a tenth less noise."""
    function, df = of(wave), 3.6
    mechanism = gp.LeastScaleT.calibrate(function, 1.0, df=df)
    cells = cells_of(function, 0.4)
    raw = uncertified(cells, df)
    assert worst_of_points(function, raw, mechanism.noise, mechanism.guarantee).ratio > 1.01
    certified = least_field(cells, 1.0, df)
    assert worst_of_points(function, certified, mechanism.noise, mechanism.guarantee).ratio <= 1 + 1e-9
    less = replace(mechanism, scale=lambda x: 0.9 * mechanism.scale(x))
    assert not gp.audit(less).passed
    rival = gp.SmoothT.calibrate(function, 1.0, 0.4, calibration="exact")
    beyond = replace(
        rival, scale=lambda x: rival.scale(x) * np.exp(-rival.gamma * np.abs(x - np.clip(x, -20, 20)).max(axis=1))
    )
    assert not gp.audit(beyond).passed


def uncertified(cells: Cells, df: float) -> Field:
    """What the solver has after its first sweeps."""
    sizes = np.array(cells.steepest.shape) + 1
    around = np.pad(cells.steepest, 1)
    vertex = np.max([around[a : a + sizes[0], b : b + sizes[1]] for a in (0, 1) for b in (0, 1)], axis=0).ravel()
    start = np.maximum(np.log(np.maximum(vertex, 1e-300) * (df + 1) / (2 * math.sqrt(df))), -690.0)
    log_scale, share, awake = start.copy(), np.ones(vertex.size), np.ones(vertex.size, dtype=np.bool_)
    strides = np.array([sizes[1], 1])
    rise(log_scale, vertex, start, share, awake, sizes, strides, cells.widths, 1.0, df)
    failed, worst = certify(log_scale, cells.steepest.ravel(), sizes, strides, cells.widths, 1.0, df, share, awake)
    assert failed > 0
    return Field(cells.origin, cells.widths, log_scale.reshape(tuple(sizes)), worst, 1, cells.top)


def test_the_certificate_sees_a_vertex_that_is_moved() -> None:
    """Planted: ln σ of one vertex in fifty is lowered or raised by a hundredth."""
    function = of(rectangle)
    cells, df = cells_of(function, 0.4), 3.5
    field = least_field(cells, 1.0, df)
    sizes = np.array(field.log_scale.shape)
    share, awake = np.ones(field.log_scale.size), np.zeros(field.log_scale.size, dtype=np.bool_)
    rest = (sizes, np.array([sizes[1], 1]), cells.widths, 1.0, df, share, awake)
    failed, worst = certify(field.log_scale.ravel(), cells.steepest.ravel(), *rest)
    assert failed == 0
    assert worst == pytest.approx(field.worst)
    for change in (-0.01, 0.01):
        moved = field.log_scale.ravel().copy()
        moved[::50] += change
        assert certify(moved, cells.steepest.ravel(), *rest)[0] > 0


def test_the_loss_of_two_student_t_reports_is_hyperbolic() -> None:
    """Theory G1, against a search over outputs."""
    rng = np.random.default_rng(7)
    u = np.tan(np.linspace(-np.pi / 2, np.pi / 2, 200_001)[1:-1])
    for _ in range(200):
        noise = gp.noise.StudentT(df=float(rng.uniform(1, 8)))
        a, a2 = rng.normal(size=2) * rng.choice([0.01, 1, 30])
        b, b2 = np.exp(rng.normal(size=2) * rng.choice([0.01, 1.0]))
        exact = float(noise.largest_loss(*(np.array([part]) for part in (a, b, a2, b2)))[0])
        y = np.concatenate([a + b * u, a2 + b2 * u])
        loss = noise.log_pdf((y - a) / b) - np.log(b) - noise.log_pdf((y - a2) / b2) + np.log(b2)
        assert np.abs(loss).max() <= exact * (1 + 1e-12) + 1e-13
        assert np.abs(loss).max() >= exact * (1 - 1e-6)
    with pytest.raises(gp.InvalidParameter, match="at least 1"):
        gp.noise.StudentT(df=0.5).largest_loss(*(np.ones(1),) * 4)


@pytest.mark.parametrize("name", ALL)
def test_balls_hold_what_floats_compute(name: str) -> None:
    x = np.random.default_rng(2).uniform(-22, 22, (60, 2))
    function = of(ALL[name])
    for row, value in zip(x.tolist(), function(x).tolist(), strict=True):
        ball = function.enclose_answer(row)
        assert abs(float(ball.mid()) - value) < 1e-9 + float(ball.rad())


@pytest.mark.parametrize("mechanism", ["SmoothT", "LeastScaleT", "LipschitzLaplace"])
def test_scales_in_balls_are_the_stated_ones_and_reports_have_their_law(mechanism: str) -> None:
    """Means of 300 reports at one place, |z| < 5 (error rate 6e-7 each); twice the scale would be 2e-9 off in balls."""
    from flint import arb

    made = MECHANISMS[mechanism](of(wave))
    x = np.random.default_rng(4).uniform(-22, 22, (40, 2))
    for row, stated in zip(x.tolist(), made.scale(x).tolist(), strict=True):
        ball = made.scale.enclose_at([arb(part) for part in row])
        assert stated * (1 - 1e-9) <= float(ball.mid()) <= stated * (1 + 1e-8)
    reports = made.report_from(ENTROPY, np.tile([[1.0, 0.5]], (300, 1))).values
    assert abs(reports.mean() - made.query([(1.0, 0.5)])[0]) < 5 * math.sqrt(made.variance([(1.0, 0.5)])[0] / 300)


def test_a_function_given_by_its_bend_is_simulated_and_never_reported() -> None:
    """Its floats are known and not its true values, so near people could be told apart."""

    def bell(x: Any, y: Any) -> Any:
        return np.exp(-(x**2 + y**2) / 8)

    def gradient(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        return -x / 4 * bell(x, y), -y / 4 * bell(x, y)

    def bend(low: FloatArray, high: FloatArray) -> FloatArray:
        """The norm of D²f is at most e^(−r²/8)·(1 + r²/4)/4, which falls from r = 2 on."""
        near = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(abs(low), abs(high)))
        square = np.maximum((near**2).sum(axis=0), 4.0)
        return np.asarray(np.exp(-square / 8) * (1 + square / 4) / 4)

    given = of(bell, gradient=gradient, bend=bend)
    made = gp.LeastScaleT.calibrate(given, 1.0)
    assert gp.audit(made).passed
    own = gp.LeastScaleT.calibrate(of(bell), 1.0)
    assert 1 <= made.variance(even(80)).mean() / own.variance(even(80)).mean() < 1.3
    assert made.simulate(even(10), np.random.default_rng(0)).values.shape == (100,)
    with pytest.raises(gp.InvalidParameter, match="floats alone"):
        made.report([(0.0, 0.0)])
    lie = gp.LeastScaleT.calibrate(of(bell, gradient=gradient, bend=1e-6), 1.0, cells=1.0)  # planted: too small a bend
    assert not gp.audit(lie).passed


@pytest.mark.parametrize(
    ("function", "space", "box"),
    [
        (np.tanh, gp.Line("USD"), (-20.0, 20.0)),
        (
            lambda x, y, z: np.tanh(x) * np.exp(-(y**2) / 8) * np.exp(-(z**2) / 8),
            gp.Euclidean(3),
            ((-5,) * 3, (5,) * 3),
        ),
    ],
)
def test_functions_of_one_and_of_three_axes_keep_their_promise(function: Function, space: Any, box: Any) -> None:
    made = gp.LeastScaleT.calibrate(gp.Function(function, space, box), 1.0, df=3.5, cells=0.5)
    assert gp.audit(made).passed
    assert gp.audit(made).worst_ratio > 0.95


def test_on_a_line_cells_agree_with_the_closed_form() -> None:
    ramp_of = gp.Function(lambda x: np.clip(x / 2 + 0.5, 0, 1), gp.Line(), (-15.0, 15.0))
    own, known = (
        gp.LeastScaleT.calibrate(q, 1.0, df=3.5, **m)
        for q, m in ((ramp_of, {"cells": 0.02}), (gp.Threshold(0.0, 2.0), {}))
    )
    x = np.linspace(-10, 10, 101)
    ratio = own.variance(x) / known.variance(x)
    assert ratio.min() > 1 - 1e-6
    assert ratio.max() < 1.06


def test_on_a_map_a_function_is_asked_in_metres_and_estimated() -> None:
    city = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
    near = gp.Function(lambda east, north: np.exp(-(east**2 + north**2) / 2 / 3000.0**2), city)
    mechanism = gp.LeastScaleT.calibrate(near, "1 per 1 km", df=3.5, cells=1.0)
    people = np.random.default_rng(1).normal((40.725, -73.97), 0.03, (4_000, 2))
    answer = gp.estimate(mechanism, mechanism.simulate(people, np.random.default_rng(2)))
    assert abs(answer.value - near(people).mean()) < 5 * answer.standard_error
    assert gp.audit(mechanism).passed


def test_a_lattice_answers_a_function_from_the_reports_it_has() -> None:
    """Unbiased but for interpolation, whose bound is stated."""
    function = of(kernels)
    lattice = gp.Lattice.calibrate(PLANE, 1.0, step=0.2, noise="product")
    people = np.random.default_rng(1).normal(0, 4, (20_000, 2))
    answer = gp.estimate(lattice, lattice.simulate(people, np.random.default_rng(2)), function)
    bound = lattice.largest_bias(function)
    assert 0 < bound < 0.025
    assert abs(answer.value - function(people).mean()) < 5 * answer.standard_error + bound


def test_no_floor_is_above_what_a_mechanism_reaches() -> None:
    x = even(10)
    for name, function in FUNCTIONS.items():
        floor = gp.lower_bound(of(function), 1.0, x)
        assert (floor <= gp.LeastScaleT.calibrate(of(function), 1.0).variance(x)).all(), name
        assert floor.mean() > 0


def test_an_audit_searches_for_a_pair_that_breaks_a_constant_and_else_says_whose_word_it_is() -> None:
    """It said True of a function a hundred times as steep as its constant."""
    steep = gp.LipschitzQuery(lambda x: np.abs(x) % 10, 0.01)
    found = gp.audit(gp.LipschitzLaplace.calibrate(steep, 1.0))
    assert not found.passed
    assert found.worst_ratio > 99
    honest = gp.audit(gp.LipschitzLaplace.calibrate(gp.LipschitzQuery(np.sin, 1.0), 1.0))
    assert honest.passed
    assert "author's word" in str(honest)
    assert "author" not in str(gp.audit(gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0)))


def test_an_audit_says_so_where_a_function_of_ones_own_cannot_be_searched() -> None:
    def narrow(x: FloatArray) -> FloatArray:
        if np.abs(x).max() > 1_000:
            raise LookupError
        return np.sin(x)

    found = gp.audit(gp.LipschitzLaplace.calibrate(gp.LipschitzQuery(narrow, 1.0), 1.0))
    assert found.passed
    assert "no search could be made" in str(found)


def test_noise_on_values_is_refused_where_distances_are_not_along_axes() -> None:
    """A user's space of node numbers had noise on the numbers, at 3.5 times what was promised."""

    class Nodes(gp.Line):
        def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
            return np.minimum(np.abs(first - second), 0.3)

    with pytest.raises(gp.InvalidParameter, match="Euclidean along its axes"):
        gp.InputLaplace.calibrate(Nodes("node"), 1.0).simulate([1.0], np.random.default_rng(0))
    with pytest.raises(gp.InvalidParameter, match="metric"):
        gp.Guarantee(1.0, metric="banana")  # type: ignore[arg-type]
