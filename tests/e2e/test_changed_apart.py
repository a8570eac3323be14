"""What two machines changed while apart: both changes hold, all machines agree, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harkback.archive.memories import Details
from harkback.model import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.machines import Two, two_machines
else:
    from machines import Two, two_machines


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    with two_machines(tmp_path) as made:
        yield made


# -- different fields ------------------------------------------------------------------------------------------------


def test_changes_to_different_fields_all_hold(two: Two) -> None:
    task = two.ada.save("Renew the TLS certificate", Details(kind="task"))
    port = two.ada.save("The staging database runs on port 5433")
    two.meet()
    two.ada.memories.finish(task.id)
    two.ada.memories.edit(port.id, "", Details(importance=5))
    two.bob.later_ms = 5000
    two.bob.memories.edit(task.id, "Renew the TLS certificate of the shop", Details())
    two.bob.memories.edit(port.id, "The staging database runs on port 6000", Details(tags=("ops",)))
    two.there.memories.edit(port.id, "", Details(kind="decision"))
    two.meet()
    held = two.ada.all()
    assert (held[task.id].status, held[task.id].text) == (DONE, "Renew the TLS certificate of the shop")
    assert held[port.id][1:6] == ("The staging database runs on port 6000", "decision", 5, (), ("ops",))
    for one in (two.ada, two.bob, two.there):
        assert (one.past(task.id), one.past(port.id)) == ([task.text], [port.text])


def test_of_the_same_field_the_later_counts_also_after_other_fields_were_changed(two: Two) -> None:
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details(importance=2))
    two.ada.later_ms = 5000
    two.ada.memories.edit(lamp.id, "The lamp of the yard is red", Details())
    two.bob.later_ms = 9000
    two.bob.memories.edit(lamp.id, "", Details(tags=("yard",)))  # its text is older than the other one all the same
    two.meet()
    held = two.bob.all()[lamp.id]
    assert (held.text, held.importance, held.tags) == ("The lamp of the yard is red", 2, ("yard",))
    for one in (two.ada, two.bob, two.there):
        assert sorted(one.past(lamp.id)) == ["The lamp of the yard is blue", "The lamp of the yard is green"]


def test_what_an_undone_forgetting_brings_back_is_merged_by_its_fields(two: Two) -> None:
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.ada.memories.edit(lamp.id, "", Details(importance=5))
    two.ada.memories.put_in_bin(lamp.id)
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details())
    two.meet()
    assert two.bob.all() == {}
    two.ada.memories.take_from_bin(lamp.id)
    two.meet()
    held = two.bob.all()[lamp.id]
    assert (held.text, held.importance) == ("The lamp of the yard is blue", 5)
