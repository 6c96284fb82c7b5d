"""Signatures, texts of fields and values of profiles, as ``help`` shows them."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import parshall
from parshall import ArimaVegas, Bbr, Cubic, Dumbbell, ScenarioError, Tcp
from parshall.scenario import parts as classes
from parshall.scenario.profiles import PROFILES, blank_defaults
from parshall.scenario.schema import json_schema, parts
from parshall.sweep import Grid, LatinHypercube, Listed, Parameter, Sobol, StopRule

CLASSES = [
    *(getattr(classes, name) for name in parts()),
    Grid,
    LatinHypercube,
    Listed,
    Parameter,
    Sobol,
    StopRule,
]


@pytest.mark.parametrize("model", CLASSES, ids=lambda model: model.__name__)
def test_every_class_shows_its_call_and_the_text_of_its_fields(model: type) -> None:
    fields = [name for name in model.model_fields if name != "kind"]
    signature = inspect.signature(model)
    assert sorted(signature.parameters) == sorted(fields)
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    without = {name for name, each in signature.parameters.items() if each.default is each.empty}
    assert without == required
    text = inspect.getdoc(model)
    schema = model.table_schema()
    words = " ".join(text.replace("``", "`").split())
    assert words.startswith(schema["description"].replace("``", "`"))
    for name in fields:
        assert f"{name} : " in words
        assert schema["properties"][name]["description"].replace("``", "`") in words


def test_help_of_tcp() -> None:
    text = pydoc.render_doc(Tcp, renderer=pydoc.plaintext)
    assert 'profile: "rfc" | "linux" | "linux-6.1" | "linux-6.12" | "linux-7.3" | "ns2" = \'rfc\'' in text
    assert "ecn: True | False = False" in text
    assert "**values" not in text.split("Method resolution order")[0]
    words = " ".join((inspect.getdoc(Tcp) or "").split())
    assert "eifel : True, False True if a reduction of the window is undone" in words
    assert "rfc: false; linux: true; ns2: false" in words
    assert "payload_bytes : size; 1000 unless given" in words


def test_the_schema_has_the_texts_of_the_source_alone() -> None:
    _ = Tcp.__doc__
    described = json_schema()["$defs"]["Tcp"]["description"]
    assert described == " ".join((Tcp.__dict__["__doc__"]).split()).replace("``", "`")
    assert "Fields" not in described


def test_every_blank_default_has_a_value_in_each_profile() -> None:
    blank = {name for name, field in Tcp.model_fields.items() if field.default is None}
    found = blank_defaults()
    assert set(found) == blank
    assert len(blank) >= 30
    assert all(tuple(values) == PROFILES and all(values.values()) for values in found.values())
    linux = {name: values["linux"] for name, values in found.items()}
    assert linux["recovery"] == '"sack"'
    assert linux["control"] == '{ kind = "cubic", hystart = "classic", variant = "linux" }'
    assert (linux["min_rto"], linux["rack"], linux["delayed_ack_timer"]) == ('"200 ms"', "true", '"40 ms"')


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("control", [None, "cubic", "bbr", Bbr(bounds=True), ArimaVegas(), Cubic(beta=0.5)])
def test_what_is_resolved_sends_the_same_packets(profile: str, control: object) -> None:
    bell = Dumbbell(
        duration="5 s",
        rate="4 Mbit/s",
        delay="10 ms",
        queue={"kind": "droptail", "limit_packets": 12},
        access_rate="50 Mbit/s",
        access_delay="1 ms",
        flows=[{"transport": Tcp(profile=profile, control=control), "app": "bulk", "count": 2}],
    )
    tcp = bell.flows[0].transport
    assert tcp.resolved().resolved() == tcp.resolved()
    resolved = bell.replace("flows[0].transport", tcp.resolved())
    ours, theirs = (parshall.run(each, seed=3) for each in (bell, resolved))
    assert repr(ours.table("flows").to_pylist()) == repr(theirs.table("flows").to_pylist())
    assert ours.flow("f1").packets_sent > 300


def test_linux_is_what_it_is_called() -> None:
    assert Tcp(profile="linux").resolved().control == Cubic.linux()
    assert Tcp(profile="linux", control="cubic").resolved().control == Cubic.linux()
    assert Tcp(profile="linux", control="bbr").resolved().control == Bbr.linux()
    assert Tcp(profile="linux", control=Cubic(variant="rfc", hystart="none")).resolved().control == Cubic(
        variant="rfc", hystart="none"
    )
    for profile in ("rfc", "ns2"):
        assert Tcp(profile=profile).resolved().control.kind == "aimd"
        assert Tcp(profile=profile, control="cubic").resolved().control == Cubic()


def test_a_field_that_is_not_there_is_said() -> None:
    with pytest.raises(ScenarioError, match='expected the key "profile"'):
        Tcp(profil="linux")
