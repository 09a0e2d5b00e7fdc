# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel for `pip install ./python` (PEP 517 and 660), with the standard library alone.

The wheel holds the package, and in weir/installed what it stands on: the program, the shared library, the headers for
plug-ins and the figures of papers, as `make` in the tree around this folder builds them. So the tree may go afterwards.
An editable install (`pip install -e`) refers to the tree, where the package finds the build.
"""
import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
SONAME = "libweir-lab.so.1"

EXTRAS = {"data": ["numpy", "pandas"], "plots": ["numpy", "pandas", "matplotlib"]}


def _version() -> str:
    found = re.search(r'WEIR_VERSION "(.*)"', (TREE / "base" / "version.h").read_text())
    return found.group(1).replace("-", "+", 1)


def _metadata() -> str:
    lines = [
        "Metadata-Version: 2.1",
        "Name: weir",
        f"Version: {_version()}",
        "Summary: Packet-level simulator of datacenter networks: runs, sweeps, DataFrames and environments",
        "License: BSD-3-Clause",
        "Requires-Python: >=3.9",
    ]
    for extra, packages in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n"


def _tag(pure: bool) -> str:
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return "py3-none-any" if pure else f"py3-none-{platform}"


class _Wheel:
    """A wheel that is being written."""

    def __init__(self, folder: str, pure: bool):
        self.name = f"weir-{_version()}-{_tag(pure)}.whl"
        self._info = f"weir-{_version()}.dist-info"
        self._pure = pure
        self._record = []
        self._zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")

    def add_file(self, name: str, path: Path) -> None:
        self.add(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def add_folder(self, name: str, folder: Path) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.add_file(f"{name}/{path.relative_to(folder)}", path)

    def close(self) -> str:
        self.add(f"{self._info}/METADATA", _metadata().encode())
        pure, tag = str(self._pure).lower(), _tag(self._pure)
        wheel = f"Wheel-Version: 1.0\nGenerator: weir\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
        self.add(f"{self._info}/WHEEL", wheel.encode())
        record = "\n".join(self._record + [f"{self._info}/RECORD,,"]) + "\n"
        self._zip.writestr(f"{self._info}/RECORD", record)
        self._zip.close()
        return self.name


def _make() -> None:
    subprocess.run(["make", "-C", str(TREE), "weir", f"build/{SONAME}"], check=True)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = Path(metadata_directory) / f"weir-{_version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata())
    return info.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _make()
    wheel = _Wheel(wheel_directory, pure=False)
    for path in sorted((HERE / "weir").rglob("*")):
        inside = path.relative_to(HERE)
        if path.is_file() and "__pycache__" not in inside.parts and "installed" not in inside.parts:
            wheel.add_file(str(inside), path)
    wheel.add_file("weir/installed/bin/weir", TREE / "weir")
    wheel.add_file(f"weir/installed/lib/{SONAME}", TREE / "build" / SONAME)
    wheel.add_folder("weir/installed/include/weir", TREE / "include" / "weir")
    wheel.add_folder("weir/installed/share/weir/papers", TREE / "scenarios" / "papers")
    return wheel.close()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _make()
    wheel = _Wheel(wheel_directory, pure=True)
    wheel.add("weir.pth", f"{HERE}\n".encode())
    return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources of the package are those of Weir: 'make dist'")
