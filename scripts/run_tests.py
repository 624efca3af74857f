#!/usr/bin/env python3
"""Runs the lit suite and the ctest suites of a build, and counts them together.

Both runners write JUnit XML, which is what is counted: a runner that dies, writes no
report or finds no test counts as a failure, so that a broken suite cannot look green.
"""
import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter, namedtuple
from pathlib import Path

# A test that runs many cases of its own closes with "N passed, N failed" as this script
# does; then its cases are counted.
Result = namedtuple("Result", "name outcome detail seconds passed failed")

PROGRESS_SECONDS = 10
# "PASS: normc :: norm/ops.mlir (3 of 40)" and " 3/40 Test  #3: name .... Passed".
LIT_LINE = re.compile(r"^([A-Z]+): .* \((\d+) of (\d+)\)")
CASES = re.compile(r"^(\d+) passed, (\d+) failed", re.MULTILINE)
CTEST_LINE = re.compile(r"^\s*(\d+)/(\d+) Test\s+#\d+: .*?(Passed|Failed|Skipped|\*\*\*.*|Not Run).*$")


def run_with_progress(title, command, log_path, environment=None):
    """Runs a command into a log and says now and then how far it is."""
    began = last = time.monotonic()
    total = done = 0
    with open(log_path, "w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, errors="replace", env=environment)
        for line in process.stdout:
            log.write(line)
            lit, ctest = LIT_LINE.match(line), CTEST_LINE.match(line)
            if lit:
                done, total = int(lit.group(2)), int(lit.group(3))
            elif ctest:
                done, total = int(ctest.group(1)), int(ctest.group(2))
            if time.monotonic() - last >= PROGRESS_SECONDS:
                last = time.monotonic()
                print(f"    {title}: {done} of {total or '?'} ({last - began:.0f} s)", flush=True)
        status = process.wait()
    print(f"    {title}: {done} of {total} run in {time.monotonic() - began:.0f} s", flush=True)
    return status


def outcome_of(case):
    """The outcome and the text of one <testcase>, as lit and ctest write them."""
    for tag in ("failure", "error"):
        node = case.find(tag)
        if node is not None:
            return "failed", node.text or case.findtext("system-out") or node.get("message", "")
    node = case.find("skipped")
    status = case.get("status", "run")
    reason = node.get("message", "") if node is not None else ""
    # ctest also calls a test skipped whose executable is not there.
    if status == "notrun" and not reason.startswith("SKIP_"):
        return "failed", reason or "not run"
    if node is not None or status == "disabled":
        output = case.findtext("system-out") or ""
        # GoogleTest prints the reason of GTEST_SKIP on the line after file and line.
        said = re.search(r"Skipped\n(.+)", output)
        return "skipped", said.group(1).strip() if said else reason or "disabled"
    if status == "fail":
        return "failed", case.findtext("system-out") or status
    return "passed", ""


def counts_of(outcome, output):
    """How many cases passed and failed: those that the output closes with, or one."""
    cases = CASES.findall(output)
    passed, failed = map(int, cases[-1]) if cases else (outcome == "passed", 0)
    return passed, max(failed, 1) if outcome == "failed" else 0


def failure(name, detail):
    return Result(name, "failed", detail, 0, 0, 1)


def read_report(path, suite, status, log_path):
    """All results of one report; what the runner itself did wrong is one more failure."""
    results = []
    try:
        for case in ElementTree.parse(path).iter("testcase"):
            # ctest repeats the test's name as its class; lit gives "normc.folder".
            group, name = case.get("classname") or "", case.get("name") or ""
            name = name if group in ("", name) else f"{group}/{name}"
            outcome, detail = outcome_of(case)
            results.append(Result(name, outcome, detail, float(case.get("time") or 0),
                                  *counts_of(outcome, case.findtext("system-out") or "")))
    except (OSError, ElementTree.ParseError) as error:
        results.append(failure(f"{suite} (no report)", f"{error}\n{tail(log_path)}"))
    if not results:
        results.append(failure(f"{suite} (no test)", tail(log_path)))
    if status != 0 and not any(result.outcome == "failed" for result in results):
        results.append(failure(f"{suite} (exit {status})", tail(log_path)))
    return results


def tail(path, lines=40):
    try:
        return "\n".join(Path(path).read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def cmake_cache(build, name):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    sys.exit(f"error: expected {name} in {build}/CMakeCache.txt; configure the build first")


def run_lit(build, reports, jobs, pattern):
    report, log = reports / "lit.xml", reports / "lit.log"
    command = [cmake_cache(build, "NORMC_LIT"), "-v", f"-j{jobs}", "--xunit-xml-output", str(report),
               *(["--filter", pattern, "--allow-empty-runs"] if pattern else []),
               str(build / "test")]
    status = run_with_progress("lit", command, log)
    # lit reports what a filter leaves aside as skipped.
    return [result for result in read_report(report, "lit", status, log)
            if not result.detail.startswith("Test not selected")]


def run_ctest(build, reports, jobs, pattern):
    report, log = reports / "ctest.xml", reports / "ctest.log"
    # The test named lit is the whole lit suite, which run_lit counts one by one.
    command = ["ctest", "--test-dir", str(build), f"-j{jobs}", "--output-junit", str(report),
               "--output-on-failure", "-E", "^lit$",
               "--no-tests=ignore" if pattern else "--no-tests=error",
               "--timeout", "3600",  # a slow machine; ctest gives 1500 s
               "--test-output-size-passed", "65536", "--test-output-truncation", "head",
               *(["-R", pattern] if pattern else [])]
    status = run_with_progress("ctest", command, log)
    return read_report(report, "ctest", status, log)


def print_summary(results):
    skipped = [result for result in results if result.outcome == "skipped"]
    if skipped:
        print(f"\nleft out: {len(skipped)}")
        for reason, count in Counter(result.detail for result in skipped).most_common():
            print(f"    {count:5d}  {reason}")
    slow = sorted(results, key=lambda result: -result.seconds)[:5]
    print("\nslowest: " + ", ".join(f"{result.name} {result.seconds:.1f} s" for result in slow))
    failed = [result for result in results if result.outcome == "failed"]
    for result in failed:
        print(f"\n---- FAILED: {result.name}")
        print("\n".join(result.detail.strip().splitlines()[-60:]))
    if failed:
        print("\nfailed:")
        for result in failed:
            print(f"    {result.name}")
    passed = sum(result.passed for result in results)
    failed_cases = sum(result.failed for result in results)
    # A line of its own, in this form, closes every run.
    closing = f"{passed} passed, {failed_cases} failed"
    print("\n" + closing + (f", {len(skipped)} skipped" if skipped else ""), flush=True)
    return 1 if failed or passed == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="build folder")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose name matches")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    reports = build / "test-reports"
    reports.mkdir(parents=True, exist_ok=True)
    for stale in reports.glob("*.xml"):
        stale.unlink()
    results = []
    for runner in (run_lit, run_ctest):
        found = runner(build, reports, arguments.jobs, arguments.filter)
        if arguments.filter:
            found = [result for result in found if "(no " not in result.name]
        results += found
    return print_summary(results)


if __name__ == "__main__":
    sys.exit(main())
