"""docs/api.md: its lines work when pasted against a running installation, and its agent remembers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests import model_server
from tests.functional.installation import Installation, wait_until

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "api.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_lines_work_and_the_agent_remembers(installation: Callable[..., Installation], tmp_path: Path) -> None:
    product = installation(environ={})
    product.start()
    # Twice: whoever tries a line tries it again.
    _paste_lines(product, tmp_path)
    _paste_lines(product, tmp_path)
    with model_server.running() as model:
        _talk(product, model, "I struggle with recursion.")
        wait_until(lambda: _remembers(product, "recursion"), "the memory")
        _talk(product, model, "What should I practise, recursion maybe?")
        prompt = model.chats()[-1].prompt
    assert "You are a patient tutor." in prompt
    assert "recursion" in prompt.partition("## ")[2].partition("What should I practise")[0]


def _paste_lines(product: Installation, folder: Path) -> None:
    script = "set -e\n" + "\n".join(blocks("sh")).replace("var/demo.json", str(product.folder / "demo.json"))
    script = script.replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name in ("learner.json", "python-tutor.json"):
        assert "memories" in json.loads((folder / name).read_text())


def _talk(product: Installation, model: model_server.ModelServer, message: str) -> None:
    more = {
        "MEMORY_URL": product.url,
        "MEMORY_TOKEN": product.demo["tokens"]["service"],
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "none",
    }
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[0]],
        input=message, env=product.environment(**more), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _remembers(product: Installation, part: str) -> bool:
    path = f"{product.url}/api/ai-agent/orgs/demo/users/learner/agents/python-tutor/agent-memories-list/"
    headers = {"Authorization": f"Token {product.demo['tokens']['learner']}"}
    found = httpx2.get(path, headers=headers).json()["results"]
    return any(part in memory["content"] for memory in found)


def test_every_group_of_the_api_is_in_the_document() -> None:
    for path in ("context/", "exchanges/", "global-memories/", "agent-memories/", "agent-memories-list/", "memory-categories/",
                 "memsearch-settings/", "memsearch-status/", "memsearch-config/", "settings/", "sign-in-link/", "export/",
                 "users/newcomer/", "agents/reading-group/"):  # fmt: skip
        assert path in "\n".join(blocks("sh")), path
