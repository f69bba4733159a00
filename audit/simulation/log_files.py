"""A log as the bytes of a file: CSV, JSON Lines or Parquet, packed or not."""

import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

AS_WRITTEN = "%Y-%m-%dT%H:%M:%S%.3f%:z"
AT_ONCE = 1 << 20
GZIP_LEVEL = 6


class Packing(StrEnum):
    NONE = "none"
    GZIP = "gz"
    ZSTANDARD = "zst"

    @property
    def suffix(self) -> str:
        return "" if self is Packing.NONE else f".{self.value}"


def _csv(frame: pl.DataFrame) -> bytes:
    return _as_text(frame).write_csv().encode()


def _json_lines(frame: pl.DataFrame) -> bytes:
    return _as_text(frame).write_ndjson().encode()


def _parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


FORMATS: dict[str, Callable[[pl.DataFrame], bytes]] = {
    "csv": _csv,
    "jsonl": _json_lines,
    "parquet": _parquet,
}


def written(frame: pl.DataFrame, format_: str) -> bytes:
    """Write a log in a format, not packed."""
    return FORMATS[format_](frame)


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Write moments with their offset and money as text, so that neither loses anything."""
    return frame.with_columns(
        pl.col(pl.Datetime).dt.strftime(AS_WRITTEN),
        pl.col(pl.Decimal).cast(pl.String),
    )


def write_packed(contents: Iterable[bytes], path: Path, packing: Packing) -> None:
    """Write a file and pack it on the way, the same contents always to the same bytes."""
    with _opened(path, packing) as write:
        for content in contents:
            write(content)


@contextmanager
def _opened(path: Path, packing: Packing) -> Iterator[Callable[[bytes], object]]:
    if packing is Packing.ZSTANDARD:
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            yield stream.write
        return
    with path.open("wb") as file:
        if packing is Packing.GZIP:
            with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as stream:
                yield stream.write
        else:
            yield file.write


def join_files(parts: Sequence[Path], whole: Path, format_: str, packing: Packing) -> None:
    """Join plain files of the same columns into one, packed if it is to be."""
    if format_ == "parquet":
        _join_parquet(parts, whole)
    else:
        write_packed(_contents(parts, one_header=format_ == "csv"), whole, packing)


def _contents(parts: Sequence[Path], *, one_header: bool) -> Iterator[bytes]:
    for number, part in enumerate(parts):
        with part.open("rb") as source:
            if number and one_header:
                source.readline()
            while content := source.read(AT_ONCE):
                yield content


def _join_parquet(parts: Sequence[Path], whole: Path) -> None:
    schema = pq.read_schema(parts[0])
    with pq.ParquetWriter(whole, schema, compression="zstd") as into:
        for part in parts:
            into.write_table(pq.read_table(part, schema=schema))
