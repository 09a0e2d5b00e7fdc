# SPDX-License-Identifier: BSD-3-Clause
"""Opens reports, figures and the live page in a browser, as wide as a desk's and as a phone's: nothing is wider than the
page, nothing is logged as an error, nothing is asked from elsewhere, buttons do what they say, and the live page moves
while a sweep runs.

	view.py WEIR FOLDER	FOLDER: lines (results), papers and out/made/fig1 (a figure's results), live.ini

With PICTURES=DIR every page is left there as PNG."""
import contextlib
import os
import re
import subprocess
import sys

from browser import Browser

WIDTHS = 1280, 360
LIVE = "127.0.0.1"


@contextlib.contextmanager
def serve(weir, *words):
    """The address of a server, which ends well when it is asked to."""
    server = subprocess.Popen([weir, "view", *words, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        yield re.match(r"(http://127\.0\.0\.1:\d+/) shows ", server.stdout.readline()).group(1)
    finally:
        server.terminate()
        assert server.wait() == 0


def look(page, name, width):
    """What must hold for every page, as it is now."""
    if os.environ.get("PICTURES"):
        page.picture(os.path.join(os.environ["PICTURES"], f"{name}-{width}.png"))
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{name}: {wide} pixels wide on a page of {width}"
    assert not page.complaints, f"{name}: {page.complaints}"
    elsewhere = [r for r in page.requests if not r.startswith(("data:", "file://", "http://" + LIVE + ":"))]
    assert not elsewhere, f"{name}: asks for {elsewhere}"


def press_tabs(page, name, width):
    """Each button shows its part alone, and that is not too wide either."""
    titles = page.evaluate("[...document.querySelectorAll('.tabs button')].map((b) => b.textContent)")
    assert len(titles) > 3, f"{name}: tabs {titles}"
    for i, title in enumerate(titles):
        page.evaluate(f"document.querySelectorAll('.tabs button')[{i}].click()")
        seen = page.evaluate("[...document.querySelectorAll('.tab')].filter((t) => t.offsetHeight > 0)"
                             ".map((t) => t.dataset.title)")
        assert seen == [title], f"{name}: {title} shows {seen}"
        look(page, f"{name}-{i}", width)
        undrawn = page.evaluate("[...document.querySelectorAll('.tab.open figure.chart')]"
                                ".filter((f) => !(f.querySelector('.plot .line') && f.querySelector('.tools'))).length")
        assert undrawn == 0, f"{name}: {undrawn} charts of {title} are not drawn"


def reports(browser, weir, folder):
    with serve(weir, folder + "/lines") as at:
        for width in WIDTHS:
            for dark in (False, True):
                page = browser.open(at + "report", width, dark)
                press_tabs(page, "report-dark" if dark else "report", width)
                page.close()


def figures(browser, weir, folder):
    with serve(weir, folder + "/out/made/fig1", "--papers", folder + "/papers") as at:
        for width in WIDTHS:
            page = browser.open(at, width)
            page.wait("document.querySelector('#where a[href=\"/figure\"]') && document.querySelector('#table td')")
            look(page, "figure-live", width)
            page.close()
            page = browser.open(at + "figure", width)
            drawn = page.evaluate("document.querySelectorAll('figure.chart svg.plot').length")
            assert drawn >= 4, f"figure: {drawn} charts"
            look(page, "figure", width)
            page.close()


def state(page, pattern):
    """Waits for words of the live page; the numbers in them."""
    page.wait(f"/{pattern}/.test(document.getElementById('state').textContent)")
    return re.search(pattern, page.evaluate("document.getElementById('state').textContent"))


def live(browser, weir, folder):
    with serve(weir, folder + "/live") as at, contextlib.ExitStack() as at_end:
        pages = {width: browser.open(at, width, dark=width < 500) for width in WIDTHS}
        first, last = pages[WIDTHS[0]], pages[WIDTHS[1]]
        for width, page in pages.items():
            state(page, "No runs are there yet")
            look(page, "live-before", width)
        sweep = subprocess.Popen([weir, "run", folder + "/live.ini", "--out", folder + "/live", "--quiet", "--jobs", "1"])
        at_end.callback(sweep.kill)
        before = int(state(first, r"(\d+) of 6 runs done, 1 running").group(1))
        first.wait("document.querySelector('#running li progress').value > 0")
        first.wait("document.querySelector('#of').textContent.startsWith('A run that goes on now: ')")
        first.wait("document.querySelector('#charts .plot .line')")
        first.evaluate("window.drawn = document.querySelector('#charts .plot').outerHTML; 0")
        first.wait("document.querySelector('#charts .plot').outerHTML !== window.drawn")
        first.wait("document.querySelector('#table tbody tr')")
        for width, page in pages.items():
            page.wait("document.querySelector('#table tbody tr')")
            look(page, "live", width)
        first.wait(f"Number(document.getElementById('state').textContent.match(/^\\d+|$/)[0] || 6) > {before}")
        assert sweep.wait() == 0
        for width, page in pages.items():
            state(page, "All 6 runs are done")
            page.wait("document.querySelectorAll('#table tbody tr').length === 2 && !document.querySelector('#running li')")
            page.wait("document.querySelector('#of').textContent.startsWith('The run that ended last: ')")
            assert page.evaluate("document.querySelectorAll('#table b').length") == 0, "what users wrote is no markup"
            look(page, "live-after", width)
        title = last.evaluate("document.querySelector('h1').textContent")
        assert title == "Do <b>names</b> & numbers reach the page?", title
    for page in pages.values():
        state(page, "weir view does not answer")


def main():
    weir, folder = sys.argv[1:]
    with Browser() as browser:
        for part in (reports, figures, live):
            part(browser, weir, folder)
            print(f"view, {part.__name__}: fine at {WIDTHS[0]} and {WIDTHS[1]} pixels", flush=True)


main()
