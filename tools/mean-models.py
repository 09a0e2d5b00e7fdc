#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mean-models.py -- joins trainings of one network into a network whose outputs are the means of theirs.

	tools/mean-models.py OUT MODEL MODEL...

The models must have the same layers, all dense and each on the one before, and the same inputs and outputs; they
differ in the seed of their training. Layers are set side by side: hidden layers are block-diagonal, and the
last one divides by the number of models. A mean of Q-values has less noise than each of them, and the choice
of an action is sensitive to it. The file is the same for the same models in the same order."""

import json
import pathlib
import struct
import sys


class Model:
    def __init__(self, name):
        data = pathlib.Path(name).read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        self.name, self.header, self.data = name, json.loads(data[8:8 + size]), data[8 + size:]
        self.texts = self.header.pop("__metadata__")

    def tensor(self, name):
        first, last = self.header[name]["data_offsets"]
        return list(struct.unpack(f"<{(last - first) // 4}f", self.data[first:last]))


def refuse(text):
    sys.exit(f"mean-models.py: {text}")


def check(models):
    first = models[0]
    for model in models:
        for key in ("layers", "features", "actions", "scheme"):
            if model.texts.get(key) != first.texts.get(key):
                refuse(f"{model.name}: its {key} differ from those of {first.name}")
    for i, layer in enumerate(first.texts["layers"].split("; ")[2:]):
        if not layer.startswith("dense") or not layer.endswith(f"< {i - 1}" if i else "< current"):
            refuse(f"{first.name}: layer '{layer}' is not a dense one on the layer before")


def join(models):
    """[(name, shape, numbers)] of the joint network."""
    tensors, count = [], len(models)
    layers = len(models[0].header) // 2
    for i in range(layers):
        units, inputs = models[0].header[f"{i}.weight"]["shape"]
        weights = [m.tensor(f"{i}.weight") for m in models]
        biases = [m.tensor(f"{i}.bias") for m in models]
        rows = [[w[r * inputs:(r + 1) * inputs] for r in range(units)] for w in weights]
        if i == layers - 1:
            joint = [[x / count for of in rows for x in of[r]] for r in range(units)]
            bias = [sum(b) / count for b in zip(*biases)]
        else:
            joint = [row if i == 0 else [0.0] * (k * inputs) + row + [0.0] * ((count - 1 - k) * inputs)
                     for k, of in enumerate(rows) for row in of]
            bias = [x for b in biases for x in b]
        tensors.append((f"{i}.weight", [len(joint), len(joint[0])], [x for row in joint for x in row]))
        tensors.append((f"{i}.bias", [len(bias)], bias))
    return tensors


def texts_of(models, tensors):
    first = models[0].texts
    layers = first["layers"].split("; ")
    for i in range(len(layers) - 2):
        words = layers[i + 2].split()
        words[1] = str(tensors[2 * i][1][0])
        layers[i + 2] = " ".join(words)
    texts = dict(first, layers="; ".join(layers), seed=", ".join(m.texts["seed"] for m in models))
    texts["command"] = f"tools/mean-models.py of {first['command']}"
    return texts


def main():
    if len(sys.argv) < 4:
        refuse("write tools/mean-models.py OUT MODEL MODEL...")
    models = [Model(name) for name in sys.argv[2:]]
    check(models)
    tensors, header, data = join(models), {}, b""
    header["__metadata__"] = texts_of(models, tensors)
    for name, shape, numbers in tensors:
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(sys.argv[1]).write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
