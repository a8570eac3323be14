"""An embedder behind HTTP, against a server of the test's own."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from harkback.errors import EmbedderFailed
from harkback.models import embedders
from harkback.models.embedders import ENDPOINT, OFF, Setup, load, name_of, prefixes
from harkback.models.endpoint import AT_ONCE, Endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Server(HTTPServer):
    """Answers with vectors that tell the texts apart, or with what a test wants."""

    asked: list[dict[str, Any]]
    keys: list[str]
    answer: Any = None
    status = 200


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers.get("Authorization", ""))
        rows = [{"index": at, "embedding": [len(text), 1.0, 0.0]} for at, text in enumerate(body["input"])]
        answer = self.server.answer or {"data": rows[::-1]}  # the order is told by the index
        self.send_response(self.server.status if self.path == "/v1/embeddings" else 404)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server(("127.0.0.1", 0), Handler)
    one.asked, one.keys = [], []
    thread = threading.Thread(target=one.serve_forever)
    thread.start()
    yield one
    one.shutdown()
    thread.join()
    one.server_close()


def setup(server: Server, **more: str) -> Setup:
    return Setup(ENDPOINT, f"http://127.0.0.1:{server.server_port}/v1", **{"model": "bge-m3", **more})


def test_texts_become_rows_of_unit_length_in_order(server: Server) -> None:
    rows = Endpoint(setup(server)).passages(["a", "bbb"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows[1][0] > rows[0][0]
    assert server.asked == [{"model": "bge-m3", "input": ["a", "bbb"], "encoding_format": "float"}]


def test_many_are_asked_for_in_pieces(server: Server) -> None:
    assert len(Endpoint(setup(server)).passages(["x"] * (AT_ONCE + 1))) == AT_ONCE + 1
    assert [len(one["input"]) for one in server.asked] == [AT_ONCE, 1]


def test_a_model_gets_the_words_that_its_makers_want(server: Server) -> None:
    one = Endpoint(setup(server, model="intfloat/multilingual-e5-base"))
    one.questions(["where"])
    one.passages(["here"])
    assert [asked["input"] for asked in server.asked] == [["query: where"], ["passage: here"]]
    assert prefixes("nomic-embed-text:v1.5").question == "search_query: "
    assert prefixes("bge-m3").question == ""


def test_a_key_is_sent_and_only_if_there_is_one(server: Server) -> None:
    Endpoint(setup(server, key="abc")).questions(["x"])
    Endpoint(setup(server)).questions(["x"])
    assert server.keys == ["Bearer abc", ""]


@pytest.mark.parametrize("answer", [{"data": []}, {"error": "no"}, {"data": [{"index": 0, "embedding": "x"}]}, []])
def test_an_answer_that_is_none_is_said(server: Server, answer: Any) -> None:
    assert len(Endpoint(setup(server)).passages(["a"])) == 1
    server.answer = answer or {"data": None}
    with pytest.raises(EmbedderFailed):
        Endpoint(setup(server)).passages(["a"])


def answer_of(*embeddings: Any, indexes: Sequence[Any] | None = None) -> dict[str, Any]:
    at = range(len(embeddings)) if indexes is None else indexes
    return {"data": [{"index": one, "embedding": row} for one, row in zip(at, embeddings, strict=True)]}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (answer_of([], []), "no rows"),
        (answer_of([1.0, 0.0], [1.0]), "no list of embeddings"),
        (answer_of([0.0, 0.0], [1.0, 0.0]), "all zeros"),
        (answer_of([1e-300, 0.0], [1.0, 0.0]), "all zeros"),
        (answer_of([1e39, 0.0], [1.0, 0.0]), "too large"),
        (answer_of([10**400, 0.0], [1.0, 0.0]), "no list of embeddings"),
        (answer_of([float("nan"), 0.0], [1.0, 0.0]), "no number"),
        (answer_of([float("inf"), 0.0], [1.0, 0.0]), "no number"),
        (answer_of([None, 0.0], [1.0, 0.0]), "no number"),
        (answer_of([[1.0], [0.0]], [[1.0], [0.0]]), "no rows"),
        (answer_of([1.0, 0.0]), "no list of embeddings"),
        (answer_of([1.0, 0.0], [1.0, 0.0], [1.0, 0.0]), "3 embeddings for 2"),
        (answer_of([1.0, 0.0], [1.0, 0.0], indexes=[0, 0]), "no list of embeddings"),
        (answer_of([1.0, 0.0], [1.0, 0.0], indexes=[1, 2]), "no list of embeddings"),
        (answer_of([1.0, 0.0], [1.0, 0.0], indexes=[0, -1]), "no list of embeddings"),
        (answer_of([1.0, 0.0], [1.0, 0.0], indexes=["0", "1"]), "no list of embeddings"),
        (answer_of([1.0, 0.0], [1.0, 0.0], indexes=[[0], 1]), "no list of embeddings"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(server: Server, answer: Any, why: str) -> None:
    server.answer = answer_of([1.0, 0.0], [3e38, 3e38], indexes=[1, 0])
    rows = Endpoint(setup(server)).passages(["a", "b"])
    assert np.allclose(rows, [[0.5**0.5, 0.5**0.5], [1, 0]])
    server.answer = answer
    with pytest.raises(EmbedderFailed, match=why):
        Endpoint(setup(server)).passages(["a", "b"])


def test_vectors_whose_length_changes_are_refused(server: Server) -> None:
    one = Endpoint(setup(server))
    server.answer = answer_of([1.0, 0.0])
    assert one.passages(["a"]).shape == (1, 2)
    server.answer = answer_of([1.0, 0.0, 0.0])
    with pytest.raises(EmbedderFailed, match="2 numbers and then 3"):
        one.questions(["a"])


def test_a_server_that_fails_or_is_not_there_is_said(server: Server) -> None:
    server.status = 500
    with pytest.raises(EmbedderFailed, match="500"):
        Endpoint(setup(server)).passages(["a"])
    with pytest.raises(EmbedderFailed):
        Endpoint(Setup(ENDPOINT, "http://127.0.0.1:1/v1", "m")).passages(["a"])
    with pytest.raises(EmbedderFailed, match="neither"):
        Endpoint(Setup(ENDPOINT, "file:///etc/passwd", "m"))


def test_which_model_is_used_is_told_without_loading_it() -> None:
    assert name_of(Setup(OFF)) == ""
    assert load(Setup(OFF)) is None
    assert name_of(Setup("auto", "http://h/v1", "bge-m3")) == "bge-m3@http://h/v1"
    assert name_of(Setup(ENDPOINT, "", "bge-m3")) == ""


def test_the_old_model_answers_until_the_new_one_has_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "is_installed", lambda: True)
    new = Setup("auto", "http://h/v1", "bge-m3")
    name = name_of(new)
    assert embedders.answering({embedders.NANO_MODEL: 900, name: 40}, new) == embedders.NANO_MODEL
    assert embedders.answering({embedders.NANO_MODEL: 900, name: 900}, new) == name
    assert embedders.answering({"gone@http://other/v1": 900, name: 40}, new) == name
    assert embedders.answering({"gone@http://other/v1": 900}, new) == ""
    assert embedders.answering({embedders.NANO_MODEL: 900}, Setup(OFF)) == ""
    monkeypatch.setattr(embedders, "is_installed", lambda: False)
    assert embedders.answering({embedders.NANO_MODEL: 900, name: 40}, new) == name
