"""What the benchmark says at its end, and the files that it writes."""
import json
import statistics
import textwrap

import plot


def spread(results, key):
    values = [case[key] for case in results]
    return min(values), statistics.geometric_mean(values)


def compile_ms(results):
    return statistics.median(case["compile_ms"] for case in results)


def one_column_more(results):
    """For cases that differ in one column, how much longer the wider one takes."""
    key = lambda case, more: (case["op"], case["direction"], case["type"], case["rows"],
                              case["static_rows"], case["cols"] + more)
    narrower = {key(case, 1): case for case in results}
    pairs = [(case, narrower[key(case, 0)]) for case in results if key(case, 0) in narrower]
    return [f"{wide['title']}: {wide['normc_ms'] / narrow['normc_ms']:.2f} times as long as with "
            "a column less" for wide, narrow in pairs]


def closing(results):
    text = ("torch / normc: least {:.2f}, geometric mean {:.2f}\n"
            "kernels / normc: least {:.2f}, geometric mean {:.2f}\n"
            "of a copy: least {:.0f}%, geometric mean {:.0f}%\n"
            "normc compile, a cold process: median {:.0f} ms").format(
                *spread(results, "ratio"), *spread(results, "kernels_ratio"),
                *spread(results, "normc_percent"), compile_ms(results))
    return "\n".join([text, *one_column_more(results)])


def summary(results):
    """The same in sentences, with what is slower than torch's kernels by name."""
    count = lambda key, least: sum(case[key] >= least for case in results)
    slower = [f"{case['op']} {case['direction']} {case['rows']} x {case['cols']} {case['type']} "
              f"({case['kernels_ratio']:.2f})" for case in results if case["kernels_ratio"] < 1]
    text = (f"Of {len(results)} cases, {count('ratio', 2)} are at least twice as fast as PyTorch as "
            "it comes (least {:.2f}, geometric mean {:.1f}), ".format(*spread(results, "ratio")) +
            f"and {count('kernels_ratio', 2)} at least twice as fast as its kernels alone "
            "(least {:.2f}, geometric mean {:.1f}). ".format(*spread(results, "kernels_ratio")) +
            f"{count('normc_percent', 50)} reach half of the copy bandwidth "
            "(least {:.0f}%, geometric mean {:.0f}%). ".format(*spread(results, "normc_percent")))
    if slower:
        text += "Slower than PyTorch's kernels alone: " + "; ".join(slower) + ". "
    text += (f"`normc compile` of one entry takes {compile_ms(results):.0f} ms in a cold process "
             "(median).")
    return textwrap.fill(text, 88)


def markdown(about, results, plot_name):
    lines = ["| op | rows x cols | type | normc ms | torch ms | ratio | kernels ms | ratio "
             "| GB/s | of a copy |", "|---" * 10 + "|"]
    for case in results:
        lines.append(f"| {case['op']} {case['direction']} | {case['rows']} x {case['cols']} | "
                     f"{case['type']} | {case['normc_ms']:.2f} | {case['torch_ms']:.1f} | "
                     f"{case['ratio']:.1f} | {case['kernels_ms']:.2f} | "
                     f"{case['kernels_ratio']:.1f} | {case['normc_gb_per_s']:.0f} | "
                     f"{case['normc_percent']:.0f}% |")
    machine = textwrap.fill(
        f"{about['processor']}; {about['device']}; PyTorch {about['torch']} with as many threads; "
        f"medians of {about['turns']} turns. What the columns mean is in "
        "[Benchmarks](../benchmarks.md).", 88, break_long_words=False)
    return "\n\n".join(["# The host target against PyTorch", machine, summary(results),
                        f"![Percent of the copy bandwidth]({plot_name})",
                        "\n".join(lines)]) + "\n"


def write(prefix, about, results):
    """PREFIX.json with all figures, PREFIX.svg with bars, PREFIX.md with a table."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    svg = prefix.with_suffix(".svg")
    prefix.with_suffix(".json").write_text(
        json.dumps({"about": about, "results": results}, indent=1) + "\n")
    title = f"Percent of the copy bandwidth, {about['threads']} threads"
    svg.write_text(plot.svg(results, title))
    prefix.with_suffix(".md").write_text(markdown(about, results, svg.name))
