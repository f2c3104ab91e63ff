"""Runs cases of client libraries, all at the same time, and prints a line of JSON for each:

    python run.py GATEWAY_URL LIBRARY.CASE@/ENDPOINT ...

GATEWAY_URL has no slash at its end; the cases of a LIBRARY are in the file LIBRARY_cases.py beside
this one. A line holds the case as it was asked for (name), whether it passed (ok), and what it saw
or why it failed (detail). The exit code is 0 when every case came to an end, passed or not. A case
is a plain function, which gets a thread of its own, or a coroutine function.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

CASE_SECONDS = 600


async def run(gateway, name):
    case, _, path = name.partition("@")
    library, _, case = case.partition(".")
    cases = importlib.import_module(f"{library}_cases").CASES
    if case not in cases:
        raise LookupError(f"there is no such case, expected one of: {', '.join(sorted(cases))}")
    if inspect.iscoroutinefunction(cases[case]):
        return await cases[case](gateway + path)
    return await asyncio.to_thread(cases[case], gateway + path)


async def report(gateway, name):
    try:
        async with asyncio.timeout(CASE_SECONDS):
            line = {"name": name, "ok": True, "detail": str(await run(gateway, name) or "")}
    except Exception:
        line = {"name": name, "ok": False, "detail": traceback.format_exc()}
    print(json.dumps(line), flush=True)


async def main(gateway, *wanted):
    threads = ThreadPoolExecutor(max_workers=len(wanted))
    asyncio.get_running_loop().set_default_executor(threads)
    await asyncio.gather(*(report(gateway, name) for name in wanted))


# A proxy that this machine may have is not for a gateway on this machine.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
# An isolated interpreter does not look for modules beside its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
with asyncio.Runner() as runner:
    runner.run(main(*sys.argv[1:]))
    # A case that hangs would keep its thread, and so the process.
    os._exit(0)
