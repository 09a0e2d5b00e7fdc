# SPDX-License-Identifier: BSD-3-Clause
"""A simulation driven step by step (weir/sim.h)."""
from __future__ import annotations

import ctypes
import itertools
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from . import _library, values
from .errors import Error, ScenarioError
from .scenario import Scenario, Source

UNLIMITED = 2**64 - 1

Host = Union[int, str]


@dataclass(frozen=True)
class Flow:
    """A flow of the scenario's own traffic. bytes and finish_ps are None for a flow without an end, and for one that
    has not ended."""

    source: int
    destination: int
    traffic: int
    bytes: Optional[int]
    start_ps: int
    finish_ps: Optional[int]


@dataclass(frozen=True)
class Delivery:
    """A message that has arrived: handed to the sender's transport at sent_ps, its last byte received at
    delivered_ps."""

    source: int
    destination: int
    bytes: int
    sent_ps: int
    delivered_ps: int


class Turn:
    """What a callback may do: it runs in the turn of a host. Valid until the callback returns."""

    def __init__(self, sim: Sim, address: int):
        self._sim = sim
        self._address: Optional[int] = address

    @property
    def _open(self) -> int:
        """The struct weir_sim_turn."""
        if self._address is None:
            raise ValueError("the turn is over: its callback has returned")
        return self._address

    @property
    def host(self) -> int:
        """The host."""
        return _library.load().weir_sim_turn_host(self._open)

    @property
    def now_ps(self) -> int:
        """The present time."""
        return _library.load().weir_sim_turn_now_ps(self._open)

    def send(
        self,
        destination: Host,
        bytes: int,
        *,
        traffic: Optional[str] = None,
        class_id: int = 0,
        delivered: Optional[Delivered] = None,
    ) -> None:
        """Sends a message from the host of the turn."""
        message = self._sim._message(self.host, destination, bytes, traffic, class_id, delivered)
        self._sim._check(lambda e: _library.load().weir_sim_turn_send(self._open, message, e))

    def call_at(self, time: values.Time, called: Called) -> None:
        """Calls the function in the turn of the host at that time."""
        call = self._sim._call(time, called)
        self._sim._check(lambda e: _library.load().weir_sim_turn_call_at(self._open, call, e))


Delivered = Callable[[Turn, Delivery], None]
Called = Callable[[Turn], None]


class Sim:
    """The network of a scenario, driven from Python.

        sim = weir.Sim(SCENARIO)
        sim.send("h1", "h0", 1_000_000)
        sim.run_until("5ms")
        sim.observe("queue sw->h0")

    Messages use the settings of a section with `pattern = messages`. Times are "5ms" or picoseconds. Results do not
    depend on threads, nor on how the time is divided into steps. An exception in a callback ends run_until, which
    raises it; the simulation is then at the end of that step.
    """

    def __init__(self, scenario: Source, *, seed: Optional[int] = None, threads: int = 1):
        read = Scenario(scenario, check=False)
        text = read.text if seed is None else f"seed = {seed}\n{_without_seed(read.text)}"
        self._sim = ctypes.c_void_p()
        error = _library.ErrorBuffer()
        plan = _library.Plan(threads=threads)
        if _library.load().weir_sim_new(self._sim, text.encode("utf-8", "surrogateescape"), plan, error):
            message = error.message
            if message.startswith("scenario:"):
                message = read.name + message[len("scenario"):]
            raise read.locate(ScenarioError(message))
        self._is_running = False
        self._watches: dict[str, int] = {}
        self._hosts: dict[str, int] = {}
        self._traffic: dict[str, int] = {}
        self._pending: dict[int, Callable] = {}  # callbacks that were not called yet, by number
        self._numbers = itertools.count(1)  # next() is atomic: callbacks may run on several threads
        self._problem: Optional[BaseException] = None
        # ctypes frees what the library would still call; these live as long as the simulation, which they must not
        # keep alive themselves.
        this = weakref.proxy(self)
        self._on_delivered = _library.DELIVERED(lambda *arguments: this._run_delivered(*arguments))
        self._on_called = _library.CALLED(lambda *arguments: this._run_called(*arguments))

    def close(self) -> None:
        """Frees the simulation; also done when the object goes."""
        if getattr(self, "_sim", None) and self._open:
            _library.load().weir_sim_free(self._sim)
            self._sim = ctypes.c_void_p()

    __del__ = close

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def _open(self) -> ctypes.c_void_p:
        """The struct weir_sim, for calls from outside of callbacks."""
        if not self._sim:
            raise ValueError("the simulation is closed")
        if self._is_running:
            raise ValueError("run_until has not returned: a callback calls functions of its turn")
        return self._sim

    def _check(self, call: Callable[[_library.ErrorBuffer], int]) -> None:
        error = _library.ErrorBuffer()
        if call(error):
            raise Error(error.message)

    # --- time ---

    @property
    def now_ps(self) -> int:
        """The present time."""
        return _library.load().weir_sim_now_ps(self._open)

    def run_until(self, time: values.Time) -> None:
        """Simulates all events before that time."""
        handle, end_ps = self._open, values.time_ps(time)
        self._is_running = True
        try:
            self._check(lambda e: _library.load().weir_sim_run_until(handle, end_ps, e))
        finally:
            self._is_running = False
        if self._problem:
            problem, self._problem = self._problem, None
            raise problem

    def audit(self) -> None:
        """Checks that every packet and byte is accounted for."""
        self._check(lambda e: _library.load().weir_sim_audit(self._open, e))

    # --- names ---

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return _library.load().weir_sim_hosts(self._open)

    def _find(self, call: Any, name: str, handle: Optional[ctypes.c_void_p] = None) -> int:
        found = ctypes.c_uint32()
        # Without a handle not self._open: looking for a host or a section is allowed in callbacks.
        chosen = handle or self._sim or self._open
        self._check(lambda e: call(chosen, name.encode(), found, e))
        return found.value

    def host(self, name: Host) -> int:
        """The number of a host, "h3"."""
        if isinstance(name, int):
            return name
        if name not in self._hosts:
            self._hosts[name] = self._find(_library.load().weir_sim_find_host, name)
        return self._hosts[name]

    # --- observing and changing ---

    def watch(self, what: str) -> list[str]:
        """Starts to observe a probe, "queue sw->h0", "throughput flow:3", "scheme sw->h0"; returns the names of its
        values. Throughput counts from here on."""
        if what not in self._watches:
            self._watches[what] = self._find(_library.load().weir_sim_watch, what, self._open)
            self._watches[what + "\0end"] = _library.load().weir_sim_watches(self._open)
        first, end = self._watches[what], self._watches[what + "\0end"]
        names = (_library.load().weir_sim_watch_name(self._open, i) for i in range(first, end))
        return [name.decode() for name in names]

    def observe(self, what: str) -> Any:
        """The present value of a probe; of one with several values, a dict by their names."""
        names = self.watch(what)
        first = self._watches[what]
        found = [_library.load().weir_sim_observe(self._open, first + i) for i in range(len(names))]
        return found[0] if len(found) == 1 else dict(zip(names, found))

    def set(self, what: str, value: str) -> None:
        """Changes a link, set("link leaf0->spine1", "down"), or a marking scheme,
        set("marking sw->h0", "ecn(k=30pkts)")."""
        self._check(lambda e: _library.load().weir_sim_set(self._open, what.encode(), value.encode(), e))

    def flows(self) -> list[Flow]:
        """The flows of the scenario's own traffic."""
        library = _library.load()
        heads = (library.weir_sim_flow_at(self._open, i) for i in range(library.weir_sim_flows(self._open)))
        return [
            Flow(
                head.source,
                head.destination,
                head.traffic,
                None if head.bytes == UNLIMITED else head.bytes,
                head.start_ps,
                None if head.finish_ps < 0 else head.finish_ps,
            )
            for head in heads
        ]

    # --- messages and calls ---

    def _number(self, function: Callable) -> int:
        number = next(self._numbers)
        self._pending[number] = function
        return number

    def _message(
        self,
        source: Host,
        destination: Host,
        size: int,
        traffic: Optional[str],
        class_id: int,
        delivered: Optional[Delivered],
    ) -> _library.Message:
        if traffic is not None and traffic not in self._traffic:
            self._traffic[traffic] = self._find(_library.load().weir_sim_find_traffic, traffic)
        return _library.Message(
            self.host(source),
            self.host(destination),
            self._traffic[traffic] if traffic is not None else 0,
            class_id,
            size,
            self._on_delivered if delivered else _library.DELIVERED(),
            self._number(delivered) if delivered else None,
        )

    def _call(self, time: values.Time, called: Called) -> _library.Call:
        return _library.Call(values.time_ps(time), self._on_called, self._number(called))

    def send(
        self,
        source: Host,
        destination: Host,
        bytes: int,
        *,
        traffic: Optional[str] = None,
        class_id: int = 0,
        delivered: Optional[Delivered] = None,
    ) -> None:
        """Sends a message at the present time.

        traffic   -- the section, which has pattern = messages; may be left out if there is one section
        delivered -- delivered(turn, delivery) is called in the turn of the receiver when the last byte is there
        """
        message = self._message(source, destination, bytes, traffic, class_id, delivered)
        self._check(lambda e: _library.load().weir_sim_send(self._open, message, e))

    def call_at(self, host: Host, time: values.Time, called: Called) -> None:
        """Calls called(turn) in the turn of the host at that time."""
        call, number = self._call(time, called), self.host(host)
        self._check(lambda e: _library.load().weir_sim_call_at(self._open, number, call, e))

    # Callbacks come from C, which cannot pass an exception on; with several threads, from any of them.

    def _run(self, number: int, address: int, *arguments: Any) -> None:
        function = self._pending.pop(number)
        if self._problem:
            return
        turn = Turn(self, address)
        try:
            function(turn, *arguments)
        except BaseException as problem:
            self._problem = problem
        turn._address = None

    def _run_delivered(self, number: int, address: int, head: Any) -> None:
        d = head.contents
        self._run(number, address, Delivery(d.source, d.destination, d.bytes, d.sent_ps, d.delivered_ps))

    def _run_called(self, number: int, address: int) -> None:
        self._run(number, address)


def _without_seed(text: str) -> str:
    """The scenario without its own seed, which stands before the first section; line numbers stay."""
    head, bracket, rest = text.partition("[")
    lines = ["" if line.split("=")[0].strip() == "seed" else line for line in head.split("\n")]
    return "\n".join(lines) + bracket + rest


def allow_plugins(folder: str) -> None:
    """Allows simulations of this process to load plug-ins from this folder and below; "/" allows all."""
    _library.load().weir_sim_allow_plugins(folder.encode())
