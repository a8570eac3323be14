"""`hark chat` with a real model, where one is named.

    HARK_TEST_MODEL=ollama:qwen3:4b pytest tests/e2e/test_chat_real_model.py

With `HARK_TEST_MODEL_URL` it is asked at another address. Never part of the usual run: a model says what it likes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.chat_server import SOURCE
    from tests.e2e.pens import hark
else:
    from chat_server import SOURCE
    from pens import hark

MODEL = os.environ.get("HARK_TEST_MODEL", "")
LEAST_RECALL = 0.5
pytestmark = pytest.mark.skipif(not MODEL, reason="HARK_TEST_MODEL names no model")


@pytest.fixture(autouse=True)
def model(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_home.exists()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARK_CHAT_MODEL", MODEL)
    monkeypatch.setenv("HARK_CHAT_BASE_URL", os.environ.get("HARK_TEST_MODEL_URL", ""))
    monkeypatch.setenv("HARK_CHAT_TIMEOUT_S", "600")


def chat(*lines: str, argv: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harkback", "chat", *argv],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": SOURCE},
        timeout=7200,
        check=False,
    )


def test_what_was_told_in_passing_is_known_in_the_next_chat() -> None:
    told = chat("下個月開始，我們部門的測試資料庫改到 5433 埠，因為 5432 被別的專案佔用了。", "謝謝")
    assert told.returncode == 0, told.stderr
    kept = [one["text"] for one in hark("memories", "--json", "--everywhere").json["memories"]]
    assert any("5433" in text for text in kept), kept
    asked = chat("我們的測試資料庫現在用哪個埠？只回答號碼。")
    assert re.search("5433", asked.stdout), asked.stdout + asked.stderr


def test_it_takes_memories_well_enough() -> None:
    done = chat(argv=("--eval", "--json"))
    told = json.loads(done.stdout)
    assert told["all"]["kept"] / told["all"]["wanted"] >= LEAST_RECALL, done.stderr[-4000:]
