"""What two machines changed while apart: both changes hold, all machines agree, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harkback import errors
from harkback.archive.memories import Details
from harkback.model import ACTIVE, DONE, SUPERSEDED

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


# -- replaced twice --------------------------------------------------------------------------------------------------


def test_replaced_on_both_machines_the_later_successor_stands_and_the_earlier_is_in_its_chain(two: Two) -> None:
    port = two.ada.save("The staging database runs on port 5433")
    two.meet()
    mine = two.ada.memories.supersede(port.id, "The staging database runs on port 6000").memory
    two.bob.later_ms = 5000
    other = two.bob.memories.supersede(port.id, "The staging database runs on port 7000").memory
    assert [two.ada.meet(), two.bob.meet(), two.ada.meet()] == ["", "", ""]
    assert two.ada.all() == two.bob.all() == two.there.all()
    for one in (two.ada, two.bob, two.there):
        assert one.active() == ["The staging database runs on port 7000"]
        assert [each.id for each in one.memories.find(other.id)[2]] == [mine.id, port.id]
        after = one.memories.replaced_by(port)
        assert after is not None
        assert (after.id, after.status) == (mine.id, SUPERSEDED)
    before = two.ada.all()
    two.meet()
    assert two.ada.all() == before


def test_chains_that_grew_apart_are_put_together_in_the_order_of_their_saving(two: Two) -> None:
    ports = [two.ada.save("The staging database runs on port 1001")]
    two.meet()
    for number, (machine, onto) in enumerate([(two.ada, 0), (two.bob, 0), (two.ada, 1), (two.there, 0)], 2):
        machine.later_ms = 1000 * number
        text = f"The staging database runs on port {number}001"
        ports.append(machine.memories.supersede(ports[onto].id, text).memory)
    two.meet()
    assert two.bob.active() == ["The staging database runs on port 5001"]
    chain = [one.id for one in two.bob.memories.find(ports[-1].id)[2]]
    assert chain == [one.id for one in reversed(ports[:-1])]


def test_what_was_archived_does_not_stand_for_what_both_replaced(two: Two) -> None:
    port = two.ada.save("The staging database runs on port 5433")
    two.meet()
    mine = two.ada.memories.supersede(port.id, "The staging database runs on port 6000").memory
    two.bob.later_ms = 5000
    other = two.bob.memories.supersede(port.id, "The staging database runs on port 7000").memory
    two.bob.memories.archive(other.id)
    two.meet()
    assert two.ada.active() == [mine.text]
    assert [each.id for each in two.ada.memories.find(mine.id)[2]] == [other.id, port.id]


def test_replaced_by_the_same_text_on_both_machines_is_one_chain(two: Two) -> None:
    port = two.ada.save("The staging database runs on port 5433")
    two.meet()
    ids = {
        machine.memories.supersede(port.id, "The staging database runs on port 6000").memory.id
        for machine in (two.ada, two.bob)
    }
    two.meet()
    (stands,) = (one for one in two.ada.all().values() if one.status == ACTIVE)
    chain = [each.id for each in two.bob.memories.find(stands.id)[2]]
    assert ({stands.id, chain[0]}, chain[1:]) == (ids, [port.id])


def test_two_that_replaced_each_other_leave_the_one_that_was_said_last(two: Two) -> None:
    lamp, light = two.ada.save("The lamp of the yard is green"), two.ada.save("The yard has a red light")
    two.meet()
    two.ada.memories.update(lamp.id, older=light.id)
    two.bob.later_ms = 5000
    two.bob.memories.update(light.id, older=lamp.id)
    two.meet()
    assert two.ada.active() == [light.text]
    assert [each.id for each in two.there.memories.find(light.id)[2]] == [lamp.id]


def test_a_memory_does_not_replace_what_came_in_its_place(two: Two) -> None:
    lamp, light = two.ada.save("The lamp of the yard is green"), two.ada.save("The yard has a red light")
    two.ada.memories.update(light.id, older=lamp.id)
    with pytest.raises(errors.BadValue):
        two.ada.memories.update(lamp.id, older=light.id)
    assert two.ada.active() == [light.text]


# -- the bin ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [-25, 25])
def test_a_clock_that_is_wrong_leaves_a_day_to_bring_back_what_was_put_in_the_bin(two: Two, hours: int) -> None:
    two.bob.later_ms = hours * 3_600_000
    heron = two.ada.save("The heron nests in the willow")
    two.meet()
    two.bob.memories.put_in_bin(heron.id)
    two.meet()
    for one in (two.ada, two.there):
        assert one.all() == {}
        (lies,) = one.memories.in_bin()
        assert 0 <= one.memories.now_ms - lies.at_ms < 60_000
    two.ada.memories.take_from_bin(heron.id)
    two.meet()
    assert two.bob.active() == [heron.text]


def test_who_was_away_for_days_has_a_day_to_bring_back_what_was_put_in_the_bin(two: Two) -> None:
    heron = two.ada.save("The heron nests in the willow")
    two.meet()
    two.bob.memories.put_in_bin(heron.id)
    assert two.bob.meet() == ""
    two.ada.later_ms = two.bob.later_ms = two.there.later_ms = 72 * 3_600_000
    assert two.ada.meet() == ""
    assert two.ada.active() == []
    two.there.memories.empty_bin()
    assert two.there.memories.in_bin() == []
    two.ada.memories.take_from_bin(heron.id)
    two.meet()
    assert two.there.active() == two.bob.active() == [heron.text]


# -- the same twice --------------------------------------------------------------------------------------------------


def test_saved_again_while_it_lay_in_the_bin_and_then_brought_back_it_is_one(two: Two) -> None:
    heron = two.ada.save("The heron nests in the willow")
    two.meet()
    two.ada.memories.put_in_bin(heron.id)
    two.meet()
    assert two.there.active() == []
    again = two.ada.save("The heron nests in the willow")  # told together with what follows
    assert two.ada.memories.take_from_bin(heron.id).id == again.id
    two.meet()
    assert two.bob.active() == ["The heron nests in the willow"]
    assert set(two.bob.all()) == {heron.id, again.id}


def test_saved_again_elsewhere_while_it_lay_in_the_bin_it_is_one(two: Two) -> None:
    heron = two.ada.save("The heron nests in the willow")
    two.meet()
    two.ada.memories.put_in_bin(heron.id)
    two.meet()
    two.bob.save("The heron nests in the willow")
    two.ada.memories.take_from_bin(heron.id)
    two.meet()
    assert two.ada.active() == ["The heron nests in the willow"]
    assert len(two.ada.all()) == 2


def test_worded_the_same_on_both_machines_two_memories_become_one(two: Two) -> None:
    lamp, light = two.ada.save("The lamp of the yard is green"), two.ada.save("The hall has no light at all")
    two.meet()
    two.ada.memories.edit(lamp.id, "The yard has a red lamp", Details())
    two.bob.memories.edit(light.id, "The yard has a red lamp", Details())
    two.meet()
    assert two.there.active() == ["The yard has a red lamp"]
    assert set(two.there.all()) == {lamp.id, light.id}


def test_what_is_opened_again_does_not_stand_beside_what_says_the_same(two: Two) -> None:
    task = two.ada.save("Renew the TLS certificate", Details(kind="task"))
    two.ada.memories.finish(task.id)
    two.ada.memories.reopen(task.id)
    two.ada.memories.finish(task.id)
    again = two.ada.save("Renew the TLS certificate", Details(kind="task"))
    assert again.id != task.id
    with pytest.raises(errors.SaysTheSame):
        two.ada.memories.reopen(task.id)
