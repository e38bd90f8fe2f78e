#!/usr/bin/env python3
"""The server of llama.cpp without a compiler: its own flag parser, loader and HTTP server, run in this process from the
prebuilt wheel xllamacpp. Flags, environment, log, messages and HTTP answers are the engine's; not so the build number
(0), the router mode, and the handling of signals and of the log's end, which is done here as the binary does it.

    llama_server.py -m model.gguf --port 8081 -c 2048 -np 2

The parser is reached through its C++ symbol, so the version is pinned and the layout of what it fills is checked."""
import ctypes
import os
import signal
import struct
import sys
import threading

VERSION = "2026.10.11549"
PARSE = "_Z19common_params_parseiPPcR13common_params13llama_examplePFviS0_E"
SERVER = 12         # the number of the server among the programs that share the parser
OBJECT_HEAD = 16    # bytes of a Python object before the parameters begin
CONTEXT_AT = 4      # of n_ctx among them
LOG = "_Z15common_log_mainv"
FLUSH = "_Z16common_log_flushP10common_log"
MARK = 0x5A5A5A5A


def refuse(words):
    sys.stderr.write(f"llama_server.py: {words}\n")
    sys.exit(1)


def library(module):
    return ctypes.CDLL(sys.modules[f"{module.__name__}.xllamacpp"].__file__)


def end_log(module):
    """Writes what the log's own thread still holds; the wheel, unlike the binary, would lose it."""
    engine = library(module)
    log = getattr(engine, LOG)
    log.restype = ctypes.c_void_p
    getattr(engine, FLUSH)(ctypes.c_void_p(log()))


def parsed(module, words):
    """The parameters that the engine's own parser makes of the words; it has said what it refuses."""
    parameters = module.CommonParams()
    usual, parameters.n_ctx = parameters.n_ctx, MARK
    seen = ctypes.string_at(id(parameters) + OBJECT_HEAD + CONTEXT_AT, 4)
    parameters.n_ctx = usual
    if struct.unpack("<I", seen)[0] != MARK:
        refuse("the parameters of this xllamacpp lie elsewhere")
    parse = getattr(library(module), PARSE)
    parse.restype = ctypes.c_bool
    encoded = [b"llama-server", *map(os.fsencode, words)]
    pointers = (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)
    where = ctypes.c_void_p(id(parameters) + OBJECT_HEAD)
    if not parse(len(encoded), pointers, where, SERVER, None):
        end_log(module)
        sys.exit(1)
    if parameters.n_parallel < 0:  # the binary's own choice when none was made
        parameters.n_parallel, parameters.kv_unified = 4, True
    return parameters


def main():
    try:
        import xllamacpp
    except ImportError:
        refuse(f"xllamacpp {VERSION} is not installed here; ./dev setup --engines does it")
    if xllamacpp.__version__ != VERSION:
        refuse(f"xllamacpp {VERSION} is needed, found {xllamacpp.__version__}")
    parameters = parsed(xllamacpp, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it loads, signals end it at once
    asked = threading.Event()
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError:
        end_log(xllamacpp)
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(1) if asked.is_set() else asked.set())
    while not asked.wait(3600):
        pass
    del server
    end_log(xllamacpp)
    return 0


if __name__ == "__main__":
    sys.exit(main())
