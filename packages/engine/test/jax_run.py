"""Compiles and runs StableHLO modules with JAX on the CPU. Says a line when JAX is there; then reads one JSON object a line
on stdin and answers one a line:
{"module": text, "inputs": [{"dtype", "shape", "data": base64}]} -> {"outputs": [{"dtype", "data": base64}]} or {"error"}."""

import base64
import json
import sys

import jax
import numpy as np

print(jax.__version__, flush=True)

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402

NUMPY = {"float32": np.float32, "float64": np.float64, "int32": np.int32, "bool": np.bool_}
backend = xla_bridge.get_backend("cpu")
device = backend.devices()[0]


def run(module, inputs):
    options = xla_client.CompileOptions()
    with mlir.make_ir_context():
        parsed = ir.Module.parse(module)
        executable = backend.compile_and_load(parsed, xla_client.DeviceList((device,)), options)
    arrays = [np.frombuffer(base64.b64decode(i["data"]), NUMPY[i["dtype"]]).reshape(i["shape"]) for i in inputs]
    buffers = [jax.device_put(a, device) for a in arrays]
    results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [np.ascontiguousarray(np.asarray(r[0])) for r in results]


for line in sys.stdin:
    request = json.loads(line)
    try:
        outputs = run(request["module"], request["inputs"])
        answer = {"outputs": [{"dtype": o.dtype.name, "data": base64.b64encode(o.tobytes()).decode()} for o in outputs]}
    except Exception as error:  # the caller reports it with the program that caused it
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
