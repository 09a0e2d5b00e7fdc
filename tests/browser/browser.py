# SPDX-License-Identifier: BSD-3-Clause
"""A browser that tests drive: headless Chromium over its DevTools pipe, with nothing but Python's own library.

Every page it opens is watched: what it asks for, what it logs, what it fails at."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time

COMMAND = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
           "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
PATIENCE_S = 60


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()

        # Chromium reads from 3 and writes to 4.
        def place():
            low = [os.dup2(to_read, 20), os.dup2(from_write, 21)]
            for fd, at in zip(low, (3, 4)):
                os.dup2(fd, at)

        self.process = subprocess.Popen(COMMAND + ["--user-data-dir=" + self.profile.name], close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=place)
        os.close(to_read)
        os.close(from_write)
        self.number = 0
        self.buffer = b""
        self.answers = {}
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        self.profile.cleanup()

    def ask(self, method, parameters=None, session=None):
        """Sends a command and waits for what comes back."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while self.number not in self.answers:
            self.listen(end - time.monotonic())
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(method + ": " + answer["error"]["message"])
        return answer["result"]

    def listen(self, seconds):
        """Takes in what the browser has to say."""
        if not select.select([self.source], [], [], max(0, seconds))[0]:
            raise TimeoutError("the browser does not answer")
        self.buffer += os.read(self.source, 1 << 16)
        *messages, self.buffer = self.buffer.split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].hear(message["method"], message["params"])

    def open(self, address, width, dark=False):
        return Page(self, address, width, dark)


class Page:
    def __init__(self, browser, address, width, dark):
        self.browser = browser
        self.requests = []
        self.complaints = []
        # A window of its own, which the next one does not hide: pages rest while nobody sees them.
        target = browser.ask("Target.createTarget", {"url": "about:blank", "newWindow": True})["targetId"]
        self.target = target
        self.session = browser.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride",
                 {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.ask("Emulation.setEmulatedMedia",
                 {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.ask("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.ask("Page.navigate", {"url": address})
        self.wait("document.readyState === 'complete'")

    def ask(self, method, parameters=None):
        return self.browser.ask(method, parameters, self.session)

    def hear(self, event, p):
        if event == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
            self.complaints.append(" ".join(str(a.get("value", a)) for a in p["args"]))
        elif event == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.complaints.append(p["entry"]["text"])

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(expression + ": " + str(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        """Until it is true in the page."""
        end = time.monotonic() + seconds
        while True:
            if self.evaluate("!!(" + expression + ")"):
                return
            if time.monotonic() > end:
                raise TimeoutError("never so: " + expression + "\n" + str(self.evaluate("document.body.innerText")))
            time.sleep(0.1)

    def picture(self, path):
        """All of the page, as PNG."""
        data = self.ask("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        self.browser.ask("Target.closeTarget", {"targetId": self.target})
        del self.browser.pages[self.session]
