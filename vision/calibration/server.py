"""The page of a calibration, for one person at one machine.

It listens on this machine only. Every address has a secret in it that is new each time, the name it
was asked for by must be this machine's, and nothing that a page sends is ever taken as a path.
"""

import json
import math
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import TypeGuard
from urllib.parse import parse_qs, urlsplit

import cv2

from audit.errors import CatwalkError
from vision.calibration.camera_section import Polygon
from vision.calibration.drawn_zones import (
    COLOURS,
    GAMES,
    MOST_BOXES,
    MOST_POINTS,
    BadCalibration,
    problems_of,
    usual_layout,
    zones_of,
)
from vision.calibration.session import (
    USUAL_DECKS,
    USUAL_TIMEZONE,
    Calibration,
    Drawn,
    TableAnswers,
    check_drawn,
    rulebook_choices,
)

HERE = "127.0.0.1"
LARGEST_BODY = 200_000
JPEG_QUALITY = 93
_NAMES_OF_THIS_MACHINE = (HERE, "localhost")
_WAITS_S = 15.0
"""How long a connection may say nothing."""


class _Refused(Exception):
    """A request that gets no answer but why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class CalibrationServer(ThreadingHTTPServer):
    """Serves one calibration until it is told that all is done."""

    daemon_threads = True

    def __init__(self, calibration: Calibration, port: int = 0) -> None:
        """Listen, at any free port unless one is named."""
        self.calibration = calibration
        self.secret = secrets.token_urlsafe(18)
        try:
            super().__init__((HERE, port), _Handler)
        except OSError as problem:
            raise BadCalibration(f"port {port} cannot be used: {problem.strerror}") from None

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{HERE}:{self.server_port}/{self.secret}/"

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Let a browser go that hung up: nothing is lost by that."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: CalibrationServer
    timeout = _WAITS_S
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "catwalk", ""

    def do_GET(self) -> None:
        self._answer({"": self._page, "state": self._state, "frame": self._frame,
                      "result.png": self._result})  # fmt: skip

    def do_POST(self) -> None:
        self._answer({"check": self._check, "save": self._save, "done": self._done})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: the address holds the secret."""

    def _answer(self, pages: Mapping[str, Callable[[], None]]) -> None:
        try:
            name = self._asked()
            if name not in pages:
                raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
            pages[name]()
        except _Refused as refused:
            self._send_json(refused.status, {"error": str(refused)}, last=True)
        except CatwalkError as problem:
            self._send_json(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(problem)})

    def _asked(self) -> str:
        """The page asked for, once it is certain that our own page asks."""
        port = self.server.server_port
        ours = {f"{name}:{port}" for name in _NAMES_OF_THIS_MACHINE}
        if self.headers.get("Host") not in ours:
            raise _Refused(HTTPStatus.FORBIDDEN, "this page is not known by that name")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in ours}:
            raise _Refused(HTTPStatus.FORBIDDEN, "another site asks for this page")
        secret, _, name = urlsplit(self.path).path.removeprefix("/").partition("/")
        if not secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "the address lacks its secret")
        return name

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(12)
        page = files("vision.calibration").joinpath("page.html").read_text("utf-8")
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'"
        )
        content = page.replace("NONCE", nonce).encode()
        headers = {"Content-Security-Policy": policy}
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", content, headers)

    def _state(self) -> None:
        """All that a page begins with."""
        calibration = self.server.calibration
        start = calibration.start
        state = {
            "clip": calibration.clip.name,
            "size": calibration.size,
            "length_s": calibration.length_s,
            "at_s": calibration.at_s,
            "out": str(calibration.out),
            "has_sheet": calibration.sheet is not None,
            "game": start.drawn.game,
            "boxes": start.drawn.boxes,
            "zones": dict(start.drawn.zones),
            "note": start.note,
            "games": GAMES,
            "most_boxes": MOST_BOXES,
            "colours": COLOURS,
            "rulebooks": [asdict(choice) for choice in rulebook_choices()],
            "usual": {"timezone": USUAL_TIMEZONE, "decks": USUAL_DECKS},
        }
        self._send_json(HTTPStatus.OK, state)

    def _frame(self) -> None:
        asked = parse_qs(urlsplit(self.path).query).get("at", ["0"])[0]
        try:
            at_s = float(asked)
        except ValueError:
            at_s = math.nan
        if not 0 <= at_s < 1e9:
            raise _Refused(HTTPStatus.BAD_REQUEST, "that is no second of the clip")
        shown_s, image = self.server.calibration.frame(at_s)
        _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        self._send(HTTPStatus.OK, "image/jpeg", jpeg.tobytes(), {"X-At": f"{shown_s:.3f}"})

    def _result(self) -> None:
        picture = self.server.calibration.result
        if picture is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "nothing has been saved yet")
        self._send(HTTPStatus.OK, "image/png", picture)

    def _check(self) -> None:
        """What is missing or wrong in the zones as they are, and what else the page may offer."""
        drawn = _drawn(self._body(), self.server.calibration.size)
        size = self.server.calibration.size
        found = problems_of(drawn.zones, drawn.game, drawn.boxes, size)
        answer = {
            "problems": [asdict(problem) for problem in found],
            "names": zones_of(drawn.game, drawn.boxes),
            "usual_layout": usual_layout(drawn.game, drawn.boxes, size),
        }
        self._send_json(HTTPStatus.OK, answer)

    def _save(self) -> None:
        body = self._body()
        calibration = self.server.calibration
        drawn = _drawn(body, calibration.size)
        saved = calibration.save(drawn, _answers(body), _number(body, "at_s"))
        self._send_json(HTTPStatus.OK, {"saved": str(saved)})

    def _done(self) -> None:
        self._body()
        self._send_json(HTTPStatus.OK, {}, last=True)
        self.server.shutdown()

    def _body(self) -> dict[str, object]:
        if self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "only JSON is taken")
        said = self.headers.get("Content-Length", "")
        if not said.isascii() or not said.isdecimal():
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is")
        if len(said) > 9 or int(said) > LARGEST_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too long")
        try:
            body = json.loads(self.rfile.read(int(said)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the request is not JSON") from None
        if not isinstance(body, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the request is no object")
        return body

    def _send_json(self, status: HTTPStatus, content: object, *, last: bool = False) -> None:
        headers = {"Connection": "close"} if last else {}
        self._send(status, "application/json", json.dumps(content).encode(), headers)

    def _send(
        self,
        status: HTTPStatus,
        kind: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        always = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in {**always, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def _drawn(body: Mapping[str, object], size: tuple[int, int]) -> Drawn:
    game, boxes, zones = body.get("game"), body.get("boxes"), body.get("zones")
    if not isinstance(game, str) or not _is_whole(boxes) or not isinstance(zones, dict):
        raise _Refused(HTTPStatus.BAD_REQUEST, "game, boxes and zones are needed")
    polygons = {str(name): _polygon(points, size) for name, points in zones.items()}
    drawn = Drawn(game, boxes, polygons)
    check_drawn(drawn)
    return drawn


def _polygon(points: object, size: tuple[int, int]) -> Polygon:
    """Whole pixels within the frame."""
    if not isinstance(points, list) or not 3 <= len(points) <= MOST_POINTS:
        raise _Refused(HTTPStatus.BAD_REQUEST, f"a zone has 3 to {MOST_POINTS} points")
    polygon: list[tuple[int, int]] = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2 or not all(map(_is_finite, point)):
            raise _Refused(HTTPStatus.BAD_REQUEST, "a point is two numbers")
        x, y = point
        polygon.append((min(max(round(x), 0), size[0]), min(max(round(y), 0), size[1])))
    return tuple(polygon)


def _answers(body: Mapping[str, object]) -> TableAnswers | None:
    given = body.get("table")
    if not isinstance(given, dict):
        return None
    words = {key: str(given.get(key, "")) for key in ("table", "timezone", "rulebook", "first_day")}
    decks = given.get("decks")
    return TableAnswers(
        words["table"],
        words["timezone"],
        decks if _is_whole(decks) else 0,
        words["rulebook"],
        words["first_day"],
    )


def _number(body: Mapping[str, object], key: str) -> float:
    value = body.get(key)
    return float(value) if _is_finite(value) else 0.0


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
