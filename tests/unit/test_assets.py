"""Static files are what was recorded, carry their hash in their address, and are sent compressed."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest

from webapp import assets
from webapp.assets import ROOT, AssetError, Assets


@pytest.fixture
def static(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "static" / "vendor", tmp_path / "vendor")
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "a.css").write_text("p { color: red }\n" * 50)
    return tmp_path


def test_the_address_changes_with_the_content(static: Path) -> None:
    before = Assets.load(static).url("css/a.css")
    assert re.fullmatch(r"/static/css/a\.[0-9a-f]{12}\.css", before)
    (static / "css" / "a.css").write_text("p { color: blue }")
    assert Assets.load(static).url("css/a.css") != before


def test_a_file_is_found_by_its_address_only(static: Path) -> None:
    loaded = Assets.load(static)
    found = loaded.find(loaded.url("css/a.css").removeprefix("/static/"))
    assert found is not None
    assert found.media_type == "text/css; charset=utf-8"
    assert loaded.find("css/a.css") is None
    assert loaded.find("../../webapp/assets.py") is None


def test_an_unknown_name_is_an_error(static: Path) -> None:
    with pytest.raises(AssetError, match=r"no static file 'css/b\.css'"):
        Assets.load(static).url("css/b.css")


def test_it_is_sent_compressed_to_who_takes_that_and_kept_for_ever(static: Path) -> None:
    asset = Assets.load(static).by_name["css/a.css"]
    body, headers = asset.answer("gzip, br")
    assert gzip.decompress(body) == asset.body
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Vary"] == "Accept-Encoding"
    assert "immutable" in headers["Cache-Control"]
    plain, headers = asset.answer("identity")
    assert plain == asset.body
    assert "Content-Encoding" not in headers


def test_a_vendored_file_that_was_changed_or_lost_stops_the_start(static: Path) -> None:
    file = static / "vendor" / assets.VENDORED[0].target
    file.write_bytes(file.read_bytes() + b"//")
    with pytest.raises(AssetError, match="is not the file that was recorded"):
        Assets.load(static)
    file.unlink()
    with pytest.raises(AssetError, match="is missing: run"):
        Assets.load(static)


def test_nothing_is_copied_whose_hash_is_not_the_recorded_one(tmp_path: Path) -> None:
    for item in assets.VENDORED:
        (tmp_path / item.source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / item.source).write_text("something else")
    with pytest.raises(AssetError, match="does not have the hash recorded"):
        assets.copy_vendored(tmp_path, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_complete_folder_needs_no_npm(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.move(static, static.parent / "root" / "static")
    monkeypatch.setattr(assets, "_npm", lambda: pytest.fail("npm was asked for"))
    assets.install(static.parent / "root")


def test_the_first_visit_is_small() -> None:
    first = Assets.load(ROOT / "static").by_name
    wire = sum(min(len(a.body), len(a.gzipped)) for name, a in first.items() if not name.endswith(".txt"))
    assert wire < 60_000
