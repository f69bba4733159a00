"""Servers of film on this machine: a web server, and a camera that speaks RTSP."""

from __future__ import annotations

import base64
import re
import socket
import socketserver
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

import av

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from io import BufferedIOBase

    from vision.boxes import Image

_RTP_TICK: Final = Fraction(1, 90_000)
_MOST_PAYLOAD: Final = 1200
_SENDER: Final = 7
_CLOCK: Final = 987_654  # what the clock of a camera shows first is never 0


# HTTP


@dataclass(frozen=True, slots=True)
class Page:
    """What a web server answers, in the pieces in which it sends it."""

    body: tuple[bytes, ...]
    kind: str = "application/octet-stream"
    status: int = 200
    says_length: bool = True
    length: int | None = None
    """What it says, if that is not true."""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class WebServer:
    """Pages by their path; where a path has several, each request gets the next of them."""

    pages: dict[str, list[Page]]
    password: str | None = None
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def page(self, path: str) -> Page:
        self.asked.append(path)
        pages = self.pages.get(path.partition("?")[0])
        if not pages:
            return Page((b"nothing here",), status=404)
        return pages.pop(0) if len(pages) > 1 else pages[0]


@contextmanager
def serving(pages: dict[str, list[Page]], password: str | None = None) -> Iterator[WebServer]:
    web = WebServer(pages, password)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = web.page(self.path)
            if web.password is not None and self.headers.get("Authorization") != basic(
                web.password
            ):
                page = Page((b"",), status=401, headers=(("WWW-Authenticate", 'Basic realm="x"'),))
            self.send_response(page.status)
            self.send_header("Content-Type", page.kind)
            self.send_header("Connection", "close")
            if page.says_length:
                length = sum(map(len, page.body)) if page.length is None else page.length
                self.send_header("Content-Length", str(length))
            for name, value in page.headers:
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in page.body:
                    self.wfile.write(piece)
            except OSError:
                self.close_connection = True  # whoever asked has seen enough

        def log_message(self, *said: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, _running(server):
        web.address = f"http://127.0.0.1:{server.server_port}"
        yield web


def basic(name_and_password: str) -> str:
    return f"Basic {base64.b64encode(name_and_password.encode()).decode()}"


# RTSP


Show = list[tuple[float, "Image"]]
"""Pictures with the seconds at which they are seen."""


@dataclass(slots=True)
class Camera:
    """A camera that shows pictures as fast as they are taken from it, then hangs up."""

    shows: list[Show]
    """For each connection in turn; the last is shown again to all that follow."""
    password: str | None = None
    """As name:password."""
    over_tcp: bool = True
    """Whether it sends over the connection by which it was asked."""
    requests: list[str] = field(default_factory=list)
    """The first line of each."""
    address: str = ""

    def next_show(self) -> Show:
        return self.shows.pop(0) if len(self.shows) > 1 else self.shows[0]

    def address_with(self, name_and_password: str) -> str:
        return self.address.replace("//", f"//{name_and_password}@")


@contextmanager
def filming(camera: Camera) -> Iterator[Camera]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            try:
                _Session(camera, self.rfile, self.wfile).answer()
                self.connection.shutdown(socket.SHUT_WR)
                while self.rfile.read(1):
                    pass  # what is left unread would make the other side lose what was sent
            except OSError:
                return  # whoever watched has gone

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server, _running(server):
        camera.address = f"rtsp://127.0.0.1:{server.server_address[1]}/table"
        yield camera


class _Session:
    """A conversation with somebody who watches."""

    def __init__(self, camera: Camera, asks: BufferedIOBase, answers: BufferedIOBase) -> None:
        self._camera = camera
        self._asks, self._answers = asks, answers
        self._ports: tuple[int, int] | None = None

    def answer(self) -> None:
        while request := self._request():
            first, headers = request
            self._camera.requests.append(first)
            method, password = first.split(" ")[0], self._camera.password
            if (
                method == "DESCRIBE"
                and password
                and headers.get("authorization") != basic(password)
            ):
                self._say("401 Unauthorized", headers, 'WWW-Authenticate: Basic realm="camera"')
            elif method == "DESCRIBE":
                self._say("200 OK", headers, "Content-Type: application/sdp", body=_SDP)
            elif method == "SETUP":
                self._set_up(headers)
            elif method == "PLAY":
                self._say("200 OK", headers, "Session: 7")
                self._play()
                return
            else:
                self._say("200 OK", headers, "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")

    def _set_up(self, headers: dict[str, str]) -> None:
        transport = headers["transport"]
        if ("interleaved" in transport) != self._camera.over_tcp:
            self._say("461 Unsupported Transport", headers)
            return
        if ports := re.search(r"client_port=(\d+)-(\d+)", transport):
            self._ports = int(ports[1]), int(ports[2])
            transport += ";server_port=9000-9001;source=127.0.0.1"
        self._say("200 OK", headers, f"Transport: {transport}", "Session: 7")

    def _play(self) -> None:
        packets = rtp_packets(self._camera.next_show())
        if self._ports is None:
            for packet in packets:
                self._answers.write(b"$\0" + struct.pack(">H", len(packet)) + packet)
            return
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for packet in packets:
                sender.sendto(packet, ("127.0.0.1", self._ports[0]))
            goodbye = struct.pack(">BBHI", 0x81, 203, 1, _SENDER)
            sender.sendto(goodbye, ("127.0.0.1", self._ports[1]))

    def _request(self) -> tuple[str, dict[str, str]] | None:
        lines: list[str] = []
        while (line := self._asks.readline()) and line.strip():
            lines.append(line.decode("latin-1").strip())
        if not lines:
            return None
        pairs = (line.partition(":") for line in lines[1:])
        return lines[0], {name.lower(): value.strip() for name, _, value in pairs}

    def _say(self, status: str, asked: dict[str, str], *lines: str, body: str = "") -> None:
        head = [f"RTSP/1.0 {status}", f"CSeq: {asked.get('cseq', '0')}", *lines]
        head += [f"Content-Length: {len(body)}", "", ""]
        self._answers.write("\r\n".join(head).encode() + body.encode())


_SDP: Final = "\r\n".join(
    (
        *("v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=table", "c=IN IP4 0.0.0.0", "t=0 0"),
        *("m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000", "a=control:pictures"),
        *("a=fmtp:96 packetization-mode=1", ""),
    )
)


def rtp_packets(show: Iterable[tuple[float, Image]]) -> Iterator[bytes]:
    """Pictures as H.264 in the packets of RFC 6184."""
    number = 0
    encoder: av.VideoCodecContext | None = None
    for at_s, image in show:
        if encoder is None:
            encoder = av.CodecContext.create("libx264", "w")
            encoder.height, encoder.width = image.shape[:2]
            encoder.pix_fmt, encoder.time_base = "yuv420p", _RTP_TICK
            encoder.framerate = Fraction(25)
            encoder.options = {"preset": "ultrafast", "tune": "zerolatency", "g": "10"}
        frame = av.VideoFrame.from_ndarray(image, format="bgr24")
        frame.pts, frame.time_base = _CLOCK + round(at_s / _RTP_TICK), _RTP_TICK
        for packet in encoder.encode(frame):
            payloads = [piece for unit in _units(bytes(packet)) for piece in _pieces(unit)]
            for place, payload in enumerate(payloads, 1):
                last = 0x80 if place == len(payloads) else 0
                yield (
                    struct.pack(">BBHII", 0x80, last | 96, number, packet.pts or 0, _SENDER)
                    + payload
                )
                number = (number + 1) & 0xFFFF


def _units(coded: bytes) -> list[bytes]:
    """The units of a picture, which come with a start code each."""
    parts = coded.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
    return [part for part in parts if part]


def _pieces(unit: bytes) -> Iterator[bytes]:
    if len(unit) <= _MOST_PAYLOAD:
        yield unit
        return
    kind, rest = unit[0], unit[1:]
    for start in range(0, len(rest), _MOST_PAYLOAD):
        piece = rest[start : start + _MOST_PAYLOAD]
        begins = 0x80 if start == 0 else 0
        ends = 0x40 if start + _MOST_PAYLOAD >= len(rest) else 0
        yield bytes((kind & 0xE0 | 28, begins | ends | kind & 0x1F)) + piece


@contextmanager
def _running(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
