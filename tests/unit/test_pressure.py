"""Context pressure, and reading transcripts from their end."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_engine.effects import transcript
from gsd_engine.rules import pressure

RECORDINGS = Path(__file__).parent.parent / "recordings"
VERSIONS = sorted(path.parent.name for path in RECORDINGS.glob("*/transcript.jsonl"))


def recorded(version: str) -> list[dict[str, Any]]:
    lines = (RECORDINGS / version / "transcript.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def until_compaction(version: str) -> list[dict[str, Any]]:
    records = recorded(version)
    return records[: next(number for number, record in enumerate(records) if pressure.is_compact_boundary(record))]


def reply(tokens: object, *, text: str = "text", model: str = "claude-x", **fields: Any) -> dict[str, Any]:
    message = {
        "id": f"msg_{text[:20]}",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": tokens, "output_tokens": 5},
    }
    return {"type": "assistant", "isSidechain": False, "message": message, **fields}


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "isSidechain": False}


def write(path: Path, *records: object) -> Path:
    path.write_bytes(b"".join(r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


# The rule


def test_there_are_recordings_of_both_versions() -> None:
    assert VERSIONS == ["claude-code-2.1.197", "claude-code-2.1.326"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_session_is_as_full_as_its_status_line_says_once_the_window_is_told(version: str) -> None:
    line = json.loads((RECORDINGS / version / "statusline-input.json").read_text())
    assert pressure.context_percent(until_compaction(version)) == 75
    assert pressure.context_percent(until_compaction(version), "any[1m]") == line["context_window"]["used_percentage"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_session_is_unknown_right_after_compaction(version: str) -> None:
    path = RECORDINGS / version / "transcript.jsonl"
    assert pressure.context_percent(recorded(version)) is None
    assert transcript.context_percent(path) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_the_last_message_of_a_recorded_session_is_claudes_and_not_an_api_error(version: str) -> None:
    assert transcript.last_assistant_message(RECORDINGS / version / "transcript.jsonl") == "Filled."


def test_cached_tokens_count_and_the_output_does_not() -> None:
    usage = {"input_tokens": 1, "cache_read_input_tokens": 99_999, "cache_creation_input_tokens": 20_000}
    record = reply(0)
    record["message"]["usage"] = usage | {"output_tokens": 50_000}
    assert pressure.context_percent([record]) == 60


@pytest.mark.parametrize(
    "newer",
    [
        reply(190_000, isSidechain=True),
        reply(0, model=pressure.SYNTHETIC_MODEL),
        reply(0),
        reply("many"),
        reply(-1),
        reply(True),
        {"type": "assistant"},
        {"type": "assistant", "message": "text"},
        {"type": "assistant", "message": {"usage": [1]}},
        {"type": "user", "message": {"usage": {"input_tokens": 9}}},
        {**BOUNDARY, "isSidechain": True},
        {},
    ],
)
def test_records_that_say_nothing_about_this_context_are_passed_over(newer: dict[str, Any]) -> None:
    assert pressure.context_percent([reply(100_000), newer]) == 50


def test_only_what_follows_a_compaction_counts() -> None:
    assert pressure.context_percent([reply(100_000), BOUNDARY]) is None
    assert pressure.context_percent([reply(100_000), BOUNDARY, reply(20_000)]) == 10


def test_a_context_beyond_the_small_window_proves_the_large_one() -> None:
    assert pressure.context_percent([reply(200_000)]) == 100
    assert pressure.context_percent([reply(250_000)]) == 25


@given(st.integers(1, 5_000_000), st.sampled_from(["claude-x", "claude-x[1m]", "", None]))
def test_a_percentage_is_between_0_and_100(tokens: int, model: str | None) -> None:
    percent = pressure.context_percent([reply(tokens)], model)
    assert percent is not None
    assert 0 <= percent <= 100


@given(st.integers(0, 100), st.integers(0, 100))
def test_levels_follow_their_thresholds(percent: int, threshold: int) -> None:
    level = pressure.pressure_level(percent, threshold)
    assert (level == "CRITICAL") == (percent >= 80)
    assert (level == "WARNING") == (threshold <= percent < 80)
    assert (level == "OK") == (percent < 80 and percent < threshold)


def test_the_line_of_the_wake_message() -> None:
    assert pressure.describe_pressure(72, 50) == "context: 72% [WARNING]"
    assert pressure.describe_pressure(80, 50) == "context: 80% [CRITICAL]"
    assert pressure.describe_pressure(49, 50) == "context: 49% [OK]"
    assert pressure.describe_pressure(None, 50) == "context: unknown"


# The file


@given(st.binary(max_size=400).map(lambda raw: raw.replace(b"\r", b"\n")), st.integers(1, 64))
def test_lines_from_the_end_are_the_lines_of_the_file_reversed(content: bytes, block: int) -> None:
    assert list(transcript.lines_from_end(io.BytesIO(content), block)) == content.split(b"\n")[::-1] or not content


@given(st.binary(max_size=200), st.integers(1, 16), st.integers(0, 220))
def test_a_bounded_reading_gives_whole_lines_only(content: bytes, block: int, limit: int) -> None:
    found = list(transcript.lines_from_end(io.BytesIO(content), block, limit))
    assert found == content.split(b"\n")[::-1][: len(found)]
    assert sum(map(len, found)) <= limit


@pytest.mark.parametrize(
    "noise",
    [
        b"not json, but assistant\n",
        b'{"type": "assistant", "mess',
        b'"assistant"\n[1, "assistant"]\n',
        b'{"type": "assistant", "message": {"content": "\xff\xfe"}}\n',
        b"[" * 100_000 + b'"assistant"\n',
        b'{"assistant": ' + b"9" * 5_000 + b"}\n",
        b"\n\n\r\n\0\0\n",
    ],
    ids=["text", "half-a-line", "no-object", "no-utf8", "deep", "long-number", "blank"],
)
def test_damaged_lines_are_passed_over(file: Path, noise: bytes) -> None:
    write(file, reply(100_000), noise)
    assert transcript.context_percent(file) == 50


def test_a_line_of_several_megabytes_is_passed_over_and_one_that_matters_is_read(file: Path) -> None:
    result = {"type": "user", "message": {"content": "x" * 3_000_000}}
    write(file, reply(100_000, text="y" * 3_000_000), result)
    assert transcript.context_percent(file) == 50
    assert transcript.last_assistant_message(file) == "y" * 3_000_000


def test_what_is_not_a_readable_file_tells_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "empty", tmp_path / "absent", tmp_path / "nul\0"):
        assert transcript.context_percent(path) is None
        assert transcript.last_assistant_message(path) is None


class CountingFile(io.FileIO):
    """Counts the bytes that were really read."""

    bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(-1 if size is None else size) or b""
        self.bytes_read += len(content)
        return content


def bytes_read_for(path: Path, expected: int | None) -> int:
    with CountingFile(path) as file:
        assert pressure.percent_newest_first(transcript.records_from_end(file)) == expected
        return file.bytes_read


def padded(path: Path, size: int, *last: dict[str, Any]) -> Path:
    """A sparse file of that size whose end holds the given records."""
    tail = b"\n" + b"".join(json.dumps(record).encode() + b"\n" for record in last)
    with path.open("wb") as file:
        file.truncate(size - len(tail))
        file.seek(0, os.SEEK_END)
        file.write(tail)
    return path


def test_two_hundred_megabytes_cost_no_more_than_two_hundred_kilobytes(tmp_path: Path) -> None:
    small = padded(tmp_path / "small", 200_000, reply(100_000))
    large = padded(tmp_path / "large", 200_000_000, reply(100_000))
    assert large.stat().st_size == 1000 * small.stat().st_size
    assert bytes_read_for(large, 50) == bytes_read_for(small, 50) == transcript.BLOCK_BYTES


def test_a_file_without_a_usable_record_is_given_up_after_a_bounded_reading(tmp_path: Path) -> None:
    assert bytes_read_for(padded(tmp_path / "large", 200_000_000), None) == transcript.MAX_BYTES


# The last message


def test_the_blocks_of_one_message_are_joined_though_each_has_its_own_record(file: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "first"},
        {"type": "tool_use", "name": "Bash"},
        {"type": "text", "text": "second\nthird"},
    ]
    records = [reply(1, text="older")]
    for part in parts:
        record = reply(1)
        record["message"] |= {"id": "msg_1", "content": [part]}
        records += [record, {"type": "user", "message": {"content": "assistant"}}]
    assert transcript.last_assistant_message(write(file, *records)) == "first\nsecond\nthird"


def test_messages_without_an_id_are_not_joined(file: Path) -> None:
    records = [reply(1, text="older"), reply(1, text="newer")]
    for record in records:
        del record["message"]["id"]
    assert transcript.last_assistant_message(write(file, *records)) == "newer"


def test_a_last_message_without_text_has_none_even_if_an_older_one_has(file: Path) -> None:
    last = reply(1)
    last["message"] |= {"id": "msg_2", "content": [{"type": "tool_use"}, {"type": "text", "text": 3}, "text"]}
    assert transcript.last_assistant_message(write(file, reply(1, text="older"), last)) is None


def test_sidechains_and_made_up_messages_are_not_the_last_message(file: Path) -> None:
    made_up = reply(0, text="API Error", model=pressure.SYNTHETIC_MODEL)
    write(file, reply(1, text="mine ✔"), reply(1, text="sub", isSidechain=True), made_up)
    assert transcript.last_assistant_message(file) == "mine ✔"


def test_content_given_as_plain_text_is_taken_as_it_is(file: Path) -> None:
    record = reply(1)
    record["message"]["content"] = "plain"
    assert transcript.last_assistant_message(write(file, record)) == "plain"
