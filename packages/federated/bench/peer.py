#!/usr/bin/env python3
"""The PyTorch peer of the federated benchmark: a straightforward loop over the clients, one model at a time.

Reads one JSON object on stdin: {"file", "shapes", "clients", "samples", "epochs", "batch", "rate", "clip", "decay", "before", "rounds",
"device", "threads"}. The file holds float32 pictures, int32 labels and the weight and bias of each layer, one after another
(convolutions [O, C, kh, kw], dense [in, out]). Answers {"torch", "seconds" per communication round, "loss" of all samples
after the rounds before those timed}.
"""
import json
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F


def read(path, shapes):
    raw, at, arrays = np.fromfile(path, dtype=np.uint8), 0, []
    for i, shape in enumerate(shapes):
        n = 4 * math.prod(shape)
        arrays.append(torch.from_numpy(raw[at:at + n].view("<i4" if i == 1 else "<f4").reshape(shape).copy()))
        at += n
    return arrays


class Net(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        made = []
        for w, b in zip(weights[::2], weights[1::2]):
            if w.dim() == 4:
                layer = torch.nn.Conv2d(w.shape[1], w.shape[0], w.shape[2])
                layer.weight.data = w.clone()
            else:
                layer = torch.nn.Linear(w.shape[0], w.shape[1])
                layer.weight.data = w.t().contiguous()
            layer.bias.data = b.clone()
            made.append(layer)
        self.layers = torch.nn.ModuleList(made)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            if isinstance(layer, torch.nn.Conv2d):
                x = F.max_pool2d(F.leaky_relu(layer(x), 0.01), 2)
            else:
                x = layer(x.flatten(1))
                if i < len(self.layers) - 1:
                    x = F.leaky_relu(x, 0.01)
        return x


def main():
    m = json.load(sys.stdin)
    device = m["device"]
    torch.set_num_threads(m["threads"])
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
    x, y, *weights = read(m["file"], m["shapes"])
    x, y = x.to(device), y.long().to(device)
    server, client = Net(weights).to(device), Net(weights).to(device)
    n, size = m["samples"], m["batch"]

    def local(c, number):
        client.load_state_dict(server.state_dict())
        optimizer = torch.optim.SGD(client.parameters(), lr=m["rate"], weight_decay=m["decay"])
        for epoch in range(m["epochs"]):
            order = c * n + (torch.arange(n, device=device) + number * m["epochs"] + epoch) % n
            for rows in order.split(size):
                optimizer.zero_grad(set_to_none=True)
                F.cross_entropy(client(x[rows]), y[rows]).backward()
                torch.nn.utils.clip_grad_norm_(client.parameters(), m["clip"])
                optimizer.step()

    def communicate(number):
        total = [torch.zeros_like(p) for p in server.parameters()]
        for c in range(m["clients"]):
            local(c, number)
            with torch.no_grad():
                for t, p, q in zip(total, client.parameters(), server.parameters()):
                    t += p - q
        with torch.no_grad():
            for t, q in zip(total, server.parameters()):
                q += t / m["clients"]

    def loss():
        with torch.no_grad():
            parts = [F.cross_entropy(server(a), b, reduction="sum") for a, b in zip(x.split(1000), y.split(1000))]
            return float(sum(parts)) / len(y)

    for number in range(m["before"]):
        communicate(number)
    first = loss()
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    for number in range(m["before"], m["before"] + m["rounds"]):
        communicate(number)
    loss()
    seconds = (time.perf_counter() - start) / m["rounds"]
    print(json.dumps({"torch": torch.__version__, "seconds": seconds, "loss": first}))


if __name__ == "__main__":
    main()
