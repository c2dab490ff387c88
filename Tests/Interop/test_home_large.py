"""A home with a bridge of the maximum size. The limits are generous, because home_figures.py measures more precisely."""

import pytest

from home_figures import LIGHTS, LargeHome


@pytest.mark.alone
def test_home_with_150_accessories_stays_within_time_and_memory_limits(lan, tmp_path):
    large = LargeHome(lan.bridge, tmp_path)
    try:
        large.start()
        large.add()
        large.list()
        # In the end, every app has received the last value of each light.
        late = large.follow(seconds=5, rate=40)
        large.rename(seconds=2, rate=40)
        figures = large.finish()
        assert len(late) > 3 * LIGHTS
        assert figures["follow"]["p99Milliseconds"] < 5000, figures
        assert all(figures[step]["seconds"] < 30 for step in ("add", "homes", "byRoom", "byCategory", "rename")), figures
        assert figures["memory"]["homehubd"]["most"] < 300, figures
    finally:
        large.close()
