"""Machine code of kernels, kept between processes.

Numba keeps what it has compiled in pickles, and needs two thirds of a second to read the first one.
Here the machine code of a kernel is a file of its own: a SHA-256 of everything that follows, a line
of JSON, and the object code as LLVM wrote it. llvmlite loads it with the parts of Numba that are
written in C, which takes milliseconds. The name of a file is a digest of what the kernel computes,
of the types of its arguments, and of the versions and the processor it was compiled for.
A file that is damaged or made for something else is not read, nor one that others can write to or
that is in a folder that they can write to; the kernel is then compiled again. The folder is the
user's cache, or that named by ``LEXFIELD_KERNELS``.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lexfield.store.files import replace_file

Entry = Callable[..., Any]
_SUFFIX = ".kernel"
_MOST = 4000  # files; the oldest are deleted when there are more
_SUM = 32  # bytes


def load(name: str) -> Entry | None:
    """Return a kernel whose machine code was kept under a name, or None."""
    path = _find_path(name)
    if path is None or not (_is_private(path.parent) and _is_private(path)):
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[_SUM:]).digest() != data[:_SUM]:
        return None
    header, _, code = data[_SUM:].partition(b"\n")
    return _link(json.loads(header), code)


def keep(name: str, compiled: Any) -> None:
    """Keep the machine code of what Numba has compiled, if it can be loaded without Numba."""
    path = _find_path(name)
    constants = compiled.environment.consts
    if path is None or not all(isinstance(one, np.dtype) for one in constants):
        return
    library = compiled.library
    _, _, (code, _) = library.serialize_using_object_code()
    module = library._final_module
    needed = {
        one.name
        for one in (*module.functions, *module.global_variables)
        if one.is_declaration and not one.name.startswith("llvm.")
    }
    header = {
        "wrapper": compiled.fndesc.llvm_cpython_wrapper_name,
        "environment": compiled.fndesc.env_name,
        "dtypes": [one.str for one in constants],
        "needed": sorted(needed),
    }
    data = json.dumps(header).encode() + b"\n" + code
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(path.parent):
            replace_file(path, hashlib.sha256(data).digest() + data)
            path.chmod(0o600)
            _delete_oldest(path.parent)


def _delete_oldest(folder: Path) -> None:
    files = [one for one in folder.iterdir() if one.suffix == _SUFFIX]
    if len(files) > _MOST:
        files.sort(key=lambda one: one.stat().st_mtime)
        for one in files[: _MOST // 2]:
            one.unlink(missing_ok=True)


def _find_path(name: str) -> Path | None:
    machine = _describe_machine()
    if machine is None:
        return None
    digest = hashlib.sha256(f"{machine}\n{name}".encode()).hexdigest()
    return _find_folder() / (digest + _SUFFIX)


def _find_folder() -> Path:
    if folder := os.environ.get("LEXFIELD_KERNELS"):
        return Path(folder)
    from platformdirs import user_cache_path

    return user_cache_path("lexfield") / "kernels"


@lru_cache(1)
def _describe_machine() -> str | None:
    """Return what else machine code depends on; None if that cannot be known."""
    from llvmlite import __version__, binding

    root = _find_numba()
    if root is None:
        return None
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    try:
        version = (root / "_version.py").read_text("utf-8")
        features = binding.get_host_cpu_features().flatten()
    except (OSError, RuntimeError):
        return None
    cpu = binding.get_host_cpu_name()
    return repr((version, __version__, np.__version__, sys.version, cpu, features, settings))


def _find_numba() -> Path | None:
    found = find_spec("numba")
    return Path(found.origin).parent if found is not None and found.origin else None


def _is_private(path: Path) -> bool:
    """Return whether a file or folder is ours or the system's, and nobody else's to write."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the folder of a user is private by default
    try:
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid in (0, os.getuid()) and not status.st_mode & 0o022


def _link(header: dict[str, Any], code: bytes) -> Entry | None:
    """Return a function from its machine code; None if something that it calls is not there."""
    from llvmlite import binding

    linker = _start_linker()
    if linker is None or not all(map(binding.address_of_symbol, header["needed"])):
        return None
    engine, functions = linker
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    environment = functions.Environment({})
    environment.consts[:] = [np.dtype(one) for one in header["dtypes"]]
    place = engine.get_global_value_address(header["environment"])
    ctypes.c_void_p.from_address(place).value = id(environment)
    address = engine.get_function_address(header["wrapper"])
    kept_alive = (engine, environment)
    made: Entry = functions.make_function(
        sys.modules[__name__], header["wrapper"], "", address, environment, kept_alive
    )
    return made


@lru_cache(1)
def _start_linker() -> tuple[Any, ModuleType] | None:
    """Return LLVM's linker, which knows the C functions that kernels call, and Numba's module of
    functions; None if this Numba has other ones."""
    from llvmlite import binding

    try:
        helpers, functions = _import_part("_helperlib"), _import_part("_dynfunc")
        memory = _import_part("core.runtime._nrt_python")
        known = {f"numba_{name}": at for name, at in helpers.c_helpers.items()}
        known |= {f"numba_{name}": at for name, at in functions.c_helpers.items()}
        for name, at in memory.c_helpers.items():
            known[name if name.startswith("_") else f"NRT_{name}"] = at
    except (ImportError, OSError, AttributeError):
        return None
    known["_Py_NoneStruct"] = id(None)
    known["numba_unpickle"] = ctypes.cast(_restore_in_c, ctypes.c_void_p).value or 0
    for name, one in vars(builtins).items():
        if isinstance(one, type) and issubclass(one, BaseException):
            known[f"PyExc_{name}"] = id(one)
    for name, at in known.items():
        binding.add_symbol(name, at)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(codemodel="jitdefault")
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine), functions


def _import_part(name: str) -> ModuleType:
    """Import a part of Numba that is written in C, and nothing else of Numba."""
    name_in_full = f"numba.{name}"
    if name_in_full in sys.modules:
        return sys.modules[name_in_full]
    root = _find_numba()
    if root is None:
        raise ImportError(name_in_full)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    path = str(root.joinpath(*name.split("."))) + suffix
    loader = ExtensionFileLoader(name_in_full, path)
    spec = spec_from_file_location(name_in_full, path, loader=loader)
    if spec is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


_ARRAY_TYPE = b"\x80\x04\x95\x15\0\0\0\0\0\0\0\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94."
_restored: dict[int, object] = {}  # by address


def _restore(address: int, size: int, digest: int) -> object:
    """Return what machine code names by a pickle: the type of the arrays it returns, or an error
    to raise, which Numba itself restores."""
    if address not in _restored:
        data = ctypes.string_at(address, size)
        if data == _ARRAY_TYPE:
            _restored[address] = np.ndarray
        else:
            serialize: Any = import_module("numba.core.serialize")
            found = serialize._numba_unpickle(address, data, ctypes.string_at(digest, 20))
            _restored[address] = found
    return _restored[address]


_RESTORE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_restore_in_c = _RESTORE(_restore)
