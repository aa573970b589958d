"""Power beside draws of the test it speaks of."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.study.analyse import compute_detectable_difference as detectable
from lexfield.study.analyse import compute_power as power
from lexfield.study.analyse import count_needed_participants as needed
from lexfield.study.analyse import describe_power


def test_by_hand() -> None:
    assert power(0, 1) == pytest.approx(0.05)
    assert detectable(1) == pytest.approx(2.8016, abs=1e-4)  # 1.9600 + 0.8416
    assert power(detectable(1), 1) == pytest.approx(0.8, abs=1e-4)
    assert needed(50, 2.0, detectable(2.0)) == 50
    assert needed(50, 2.0, detectable(2.0) / 2) == 200
    assert needed(50, 0.0, 5) == 2
    row = describe_power("x", 40, 2.5)
    assert row.power_2 < row.power_5 < row.power_10 and row.needed_2 > row.needed_5 > row.needed_10
    assert power(1, 0) == 1 and power(0, 0) == 0.05


@pytest.mark.parametrize("difference", [0.0, 3.0, 6.0, 12.0])
def test_beside_draws(difference: float) -> None:
    rng = np.random.default_rng(int(difference))
    found = rng.normal(difference, 3.0, 200_000)
    assert power(difference, 3.0) == pytest.approx((abs(found) > 1.95996 * 3).mean(), abs=0.005)
