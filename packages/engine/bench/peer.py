#!/usr/bin/env python3
"""The PyTorch peer of the engine benchmark, driven by JSON lines on stdin; one JSON line answers each.

Launch with OMP_WAIT_POLICY=PASSIVE in the environment (spinning workers would steal the core from the other side).

  {"cmd":"setup", "workload":"A|B32|B28|C|D|F", "device":"cpu|cuda", "threads":2,
   "file":"data.bin", "manifest":[{"name":"x","shape":[50,3,32,32],"dtype":"float32|int32","offset":0}, ...],
   "lr":0.01, "autocast":false, "variant":{...}}                 -> {"ok":true, "torch":..., "variant":{...}, "tried":{name: s/step}}
  {"cmd":"losses", "steps":5}                  -> {"losses":[...]}   first steps from the initial weights, then reset
  {"cmd":"time", "steps":20, "warmup":2, "threads":2?}  -> {"seconds":s, "steps":n, "samples":samples per step}
  {"cmd":"quit"}

`manifest` may also be the path of a JSON file; `offset` is in bytes and defaults to "right after the array before".
Arrays: x, y (class numbers int32; 0/1 float or int in D) and, in this order, a weight and a bias per layer, under any names:
conv [O,C,kh,kw] + [O], dense [in,out] + [out] (transposed here into PyTorch's [out,in]).
F carries one more leading axis (the clients) on everything.

Without "variant", setup times every variant that applies to the workload and device and keeps the fastest, so that the
number compared against is PyTorch at its best. Variant keys:
  update         "fused" | "foreach" (torch.optim) | "hand" (SGD as one torch._foreach_add_)
  channels_last  memory format of images and filters        autocast  bf16 autocast (never chosen unless asked: not float32)
  graph          whole step in one CUDA graph (cuda)        compile   torch.compile of the loss (only on request: needs g++)
  vmap           F only: all clients at once with torch.func.vmap instead of one model after another
"""
import json
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

MODELS = {  # conv layers' padding, activation, loss, optimiser
    "A": dict(pads=[], act="tanh", loss="nll", opt="adam"),
    "B32": dict(pads=[0, 0], act="leaky", loss="nll", opt="sgd"),
    "B28": dict(pads=[0, 0], act="leaky", loss="nll", opt="sgd"),
    "C": dict(pads=[2, 0], act="tanh", loss="nll", opt="sgd"),
    "D": dict(pads=[], act=None, loss="bce", opt="sgd"),
    "F": dict(pads=[0, 0], act="leaky", loss="nll", opt="sgd"),
}
DEFAULT_LR = {"A": 1e-3, "B32": 0.01, "B28": 0.01, "C": 0.1, "D": 0.1, "F": 0.01}


def read_arrays(path, manifest):
    if isinstance(manifest, str):
        with open(manifest) as f:
            manifest = json.load(f)
    if isinstance(manifest, dict):
        manifest = manifest.get("arrays") or [dict(v, name=k) for k, v in manifest.items()]
    raw = np.fromfile(path, dtype=np.uint8)
    arrays, at = {}, 0
    for m in manifest:
        n = math.prod(m["shape"]) * 4
        at = m.get("offset", at)
        dtype = np.dtype("<i4" if m.get("dtype", "float32") == "int32" else "<f4")
        arrays[m["name"]] = raw[at:at + n].view(dtype).reshape(m["shape"]).copy()
        at += n
    return arrays


def loss_fn(spec, params, x, y):
    """The loss of one model. `params` is the flat list weight, bias, weight, bias, …"""
    act = {"tanh": torch.tanh, "leaky": lambda t: F.leaky_relu(t, 0.01), None: None}[spec["act"]]
    h, layers = x, len(params) // 2
    for i in range(layers):
        w, b = params[2 * i], params[2 * i + 1]
        if i < len(spec["pads"]):
            h = F.max_pool2d(act(F.conv2d(h, w, b, padding=spec["pads"][i])), 2)
        else:
            if h.dim() > 2:
                h = h.flatten(1)
            h = F.linear(h, w, b)
            if i < layers - 1:
                h = act(h)
    if spec["loss"] == "bce":
        return F.binary_cross_entropy_with_logits(h.squeeze(1), y)
    return F.cross_entropy(h, y)


class Peer:
    def setup(self, m):
        self.name, self.device = m["workload"], m.get("device", "cpu")
        self.spec, self.lr = MODELS[self.name], m.get("lr", DEFAULT_LR[self.name])
        torch.set_num_threads(m.get("threads", 2))
        if self.device == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.backends.cudnn.allow_tf32 = True
            torch.backends.cudnn.benchmark = True
        arrays = read_arrays(m["file"], m["manifest"])
        clients = 1 if self.name == "F" else 0  # number of leading client axes
        self.x = torch.from_numpy(arrays.pop("x")).to(self.device)
        y = torch.from_numpy(arrays.pop("y")).to(self.device)
        self.y = y.float().reshape(y.shape[0]) if self.spec["loss"] == "bce" else y.long()
        self.initial = []
        for a in arrays.values():
            t = torch.from_numpy(a)
            if t.dim() - clients == 2:
                t = t.transpose(-1, -2)  # [in,out] -> [out,in]
            elif self.name == "D" and t.dim() == 1 and len(self.initial) == 0:
                t = t.reshape(1, -1)
            self.initial.append(t.reshape(1) if t.dim() == 0 else t.contiguous())
        self.samples = self.x.shape[0] * (self.x.shape[1] if clients else 1)

        if m.get("variant") is not None:
            self.build(m["variant"])
            return {"ok": True, "torch": torch.__version__, "variant": self.variant, "tried": {}}
        tried, failed, ready = {}, {}, {}
        for v in self.variants():
            if m.get("autocast"):
                v = dict(v, autocast=True)
            key = ",".join(f"{k}={v[k]}" for k in v)
            try:
                self.build(v)
                self.run()
                ready[key] = (v, self.run, self.count())
            except Exception as e:  # a variant the installed PyTorch cannot run is no candidate
                failed[key] = f"{type(e).__name__}: {str(e)[:200]}"
        # Round-robin, best of the rounds: a busy moment on the machine must not decide which variant is chosen.
        for _ in range(1 if self.name == "F" and self.device == "cpu" else 5):
            for key, (v, self.run, n) in ready.items():
                tried[key] = min(tried.get(key, math.inf), self.timed(n) / n)
        if not tried:
            return {"error": "no variant ran", "failed": failed}
        self.build(ready[min(tried, key=tried.get)][0])
        return {"ok": True, "torch": torch.__version__, "variant": self.variant, "tried": tried, "failed": failed}

    def variants(self):
        """The ways to run this step that can be the fastest: update rule, memory layout, CUDA graph, vmap over clients."""
        cuda, sgd = self.device == "cuda", self.spec["opt"] == "sgd"
        updates = (["hand"] if sgd else ["fused"]) if cuda else ["foreach", "fused"] + (["hand"] if sgd else [])
        layouts = [False, True] if self.spec["pads"] else [False]
        graphs = [False, True] if cuda else [False]
        if self.name == "F":
            loops = [] if cuda else [dict(update="hand", channels_last=c, graph=False) for c in layouts]
            return loops + [dict(update="hand", graph=False)] * cuda + [dict(update="hand", vmap=True, graph=g) for g in graphs]
        return [dict(update=u, channels_last=c, graph=g) for c in layouts for g in graphs for u in updates]

    def build(self, v):
        """Sets up fresh parameters and `self.run`, one training step that returns the loss (of F: one loss per client)."""
        self.variant = v
        layout = torch.channels_last if v.get("channels_last") else torch.contiguous_format
        place = lambda t: t.to(self.device).clone(memory_format=layout if t.dim() == 4 else torch.contiguous_format)
        fn = loss_fn
        if v.get("compile"):
            fn = torch.compile(loss_fn)
        if v.get("autocast"):
            inner = fn

            def fn(*a):
                with torch.autocast(self.device, dtype=torch.bfloat16):
                    return inner(*a)
        self.graph = None
        if v.get("vmap"):
            self.build_vmap(fn)
        elif self.name == "F":
            steps, self.reset_all = [], []
            for c in range(self.x.shape[0]):
                steps.append(self.one(fn, [t[c] for t in self.initial], self.x[c], self.y[c], v, place))
            self.run = lambda: torch.stack([s() for s in steps])
        else:
            self.reset_all = []
            self.run = self.one(fn, self.initial, self.x, self.y, v, place)
        if v.get("graph"):
            self.capture()

    def one(self, fn, initial, x, y, v, place):
        """The training step of a single model as a closure."""
        spec, lr, x = self.spec, self.lr, place(x)
        params = [place(t).requires_grad_() for t in initial]
        opt, made = None, v.get("update", "foreach")
        if made != "hand":
            kind = torch.optim.Adam if spec["opt"] == "adam" else torch.optim.SGD
            more = {"capturable": True} if v.get("graph") and spec["opt"] == "adam" else {}
            opt = kind(params, lr=lr, fused=made == "fused", foreach=made == "foreach", **more)

        def step():
            for p in params:
                p.grad = None
            loss = fn(spec, params, x, y)
            loss.backward()
            if opt is None:
                with torch.no_grad():
                    torch._foreach_add_(params, [p.grad for p in params], alpha=-lr)
            else:
                opt.step()
            return loss.detach()

        def reset():
            with torch.no_grad():
                for p, t in zip(params, initial):
                    p.copy_(t)
            for state in (opt.state.values() if opt else ()):
                for t in state.values():
                    if torch.is_tensor(t):
                        t.zero_()

        self.reset_all.append(reset)
        return step

    def build_vmap(self, fn):
        """All clients of F in one batched computation."""
        params = [t.to(self.device).clone() for t in self.initial]
        grads = torch.func.vmap(torch.func.grad_and_value(lambda p, x, y: fn(self.spec, p, x, y)))

        def step():
            g, loss = grads(params, self.x, self.y)
            torch._foreach_add_(params, list(g), alpha=-self.lr)
            return loss

        def reset():
            for p, t in zip(params, self.initial):
                p.copy_(t)

        self.run, self.reset_all = step, [reset]

    def capture(self):
        """Replaces `self.run` by the replay of a CUDA graph of one step."""
        eager, side = self.run, torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # warm-up outside the capture, as PyTorch asks for
            for _ in range(3):
                eager()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            out = eager()

        def replay():
            self.graph.replay()
            return out

        self.run = replay
        self.reset()

    def reset(self):
        for r in self.reset_all:
            r()

    def sync(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def count(self):
        """How many steps take about 0.1 s."""
        n = 1
        while self.timed(n) < 0.1 and n < 100000:
            n *= 2
        return n

    def timed(self, steps):
        self.sync()
        t = time.perf_counter()
        for _ in range(steps):
            self.run()
        self.sync()
        return time.perf_counter() - t

    def losses(self, m):
        self.reset()
        # .clone(): a CUDA graph overwrites its output in the next replay
        out = [self.run().float().clone() for _ in range(m.get("steps", 5))]
        self.reset()
        return {"losses": [t.tolist() for t in out]}

    def time(self, m):
        if "threads" in m:
            torch.set_num_threads(m["threads"])
        for _ in range(m.get("warmup", 2)):
            self.run()
        return {"seconds": self.timed(m["steps"]), "steps": m["steps"], "samples": self.samples}


def main():
    peer = Peer()
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            m = json.loads(line)
            cmd = m.get("cmd") or m.get("type")
            if cmd == "quit":
                break
            if cmd not in ("setup", "losses", "time"):
                raise ValueError(f"unknown command {cmd!r}")
            answer = getattr(peer, cmd)(m)
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
