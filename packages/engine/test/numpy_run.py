"""Evaluates expressions of jax.numpy on named arrays, in double precision: one JSON object a line, each answered by one."""
import json
import sys

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

names = {"jnp": jnp, "jax": jax, "np": np, "nn": jax.nn, "lax": jax.lax}
print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    given = {k: jnp.asarray(v["data"], dtype=v["dtype"]).reshape(v["shape"]) for k, v in asked["inputs"].items()}
    try:
        y = np.asarray(eval(asked["expression"], {**names, **given}))
        answer = {"shape": y.shape, "data": [float(v) for v in y.astype(np.float64).ravel()]}
    except Exception as reason:  # said on the other side
        answer = {"error": f"{asked['expression']}: {reason}"}
    print(json.dumps(answer), flush=True)
