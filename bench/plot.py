"""A bar chart of the benchmark's results as SVG, without a plotting library."""
from xml.sax.saxutils import escape

WIDTH, LEFT, BAR, GAP, TOP = 900, 330, 8, 8, 60
COLORS = {"normc": "#2b6cb0", "kernels": "#d69e2e", "torch": "#c05621"}
NAMES = {"normc": "normc", "kernels": "torch, its kernels alone", "torch": "torch, as it comes"}


def svg(results, title):
    """One group of bars a case: the percentage of the copy bandwidth that each reaches."""
    scale = (WIDTH - LEFT - 60) / max(110.0, *(case["normc_percent"] for case in results))
    step = len(COLORS) * BAR + GAP
    height = TOP + step * len(results) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="10" y="20" font-size="14">{escape(title)}</text>']
    for index, name in enumerate(COLORS):
        x = LEFT + 160 * index
        out.append(f'<rect x="{x}" y="32" width="12" height="12" fill="{COLORS[name]}"/>'
                   f'<text x="{x + 17}" y="42">{NAMES[name]}</text>')
    for percent in range(0, 101, 25):
        x = LEFT + percent * scale
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 22}" '
                   f'stroke="#ddd"/><text x="{x:.1f}" y="{height - 8}" '
                   f'text-anchor="middle">{percent}%</text>')
    for index, case in enumerate(results):
        y = TOP + step * index
        out.append(f'<text x="{LEFT - 8}" y="{y + step // 2}" text-anchor="end">'
                   f'{escape(case["title"])}</text>')
        for row, name in enumerate(COLORS):
            percent = case[name + "_percent"]
            out.append(f'<rect x="{LEFT}" y="{y + row * BAR}" width="{percent * scale:.1f}" '
                       f'height="{BAR - 1}" fill="{COLORS[name]}"/>'
                       f'<text x="{LEFT + percent * scale + 4:.1f}" y="{y + row * BAR + BAR - 1}" '
                       f'font-size="9">{percent:.0f}%</text>')
    return "\n".join(out + ["</svg>", ""])
