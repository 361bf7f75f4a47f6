"""Charts of the gate's report: well-formed SVG of every value, whose names are escaped."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from pipeline.reports.gate_charts import draw_chart

SVG = "{http://www.w3.org/2000/svg}"


@given(
    st.sampled_from(["bars", "curve"]),
    st.lists(st.text("ab<&\"'>é", max_size=20), min_size=1, max_size=30),
    st.integers(0, 4),
    st.data(),
)
def test_every_chart_is_well_formed(
    kind: str, groups: list[str], count: int, data: st.DataObject
) -> None:
    shares = st.lists(st.floats(0, 1), min_size=len(groups), max_size=len(groups))
    series = {f"<{number}>": data.draw(shares) for number in range(count)}
    root = ElementTree.fromstring(
        draw_chart({"title": "<near> & far", "kind": kind, "groups": groups, "series": series})
    )
    assert root[0].text == "<near> & far"
    bars = [each for each in root.iter(f"{SVG}rect") if each.find(f"{SVG}title") is not None]
    curves = list(root.iter(f"{SVG}polyline"))
    assert (len(bars), len(curves)) == ((count * len(groups), 0) if kind == "bars" else (0, count))
