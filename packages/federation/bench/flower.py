"""The same task in Flower: ten clients on MNIST, an MLP in numpy, FedAvg, in the open and with SecAgg+.
Called by the benchmark: python flower.py DATA_FOLDER OUT.json ROUNDS SAMPLES plain|secaggplus"""
import gzip, json, sys, time
import numpy as np

folder, out, rounds, samples, kind = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
CLIENTS, HIDDEN, BATCH, RATE = 10, 128, 32, 0.1


def idx(name, head):
    with gzip.open(f"{folder}/{name}") as file:
        return np.frombuffer(file.read(), np.uint8, offset=head)


def images(name):
    return (idx(name, 16).reshape(-1, 784) / 255).astype(np.float32)


def init():
    draw = np.random.default_rng(0)
    return [
        draw.normal(0, np.sqrt(1 / 784), (784, HIDDEN)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        draw.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, 10)).astype(np.float32),
        np.zeros(10, np.float32),
    ]


def train(params, x, y, seed):
    w1, b1, w2, b2 = (np.array(p, np.float32) for p in params)
    order = np.random.default_rng(seed).permutation(len(y))
    for first in range(0, len(y) - BATCH + 1, BATCH):
        rows = order[first : first + BATCH]
        a = x[rows]
        h = np.tanh(a @ w1 + b1)
        z = h @ w2 + b2
        p = np.exp(z - z.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        p[np.arange(len(rows)), y[rows]] -= 1
        p /= len(rows)
        d = (p @ w2.T) * (1 - h * h)
        w2 -= RATE * (h.T @ p)
        b2 -= RATE * p.sum(0)
        w1 -= RATE * (a.T @ d)
        b1 -= RATE * d.sum(0)
    return [w1, b1, w2, b2]


def accuracy(params):
    w1, b1, w2, b2 = params
    x, y = images("t10k-images-idx3-ubyte.gz"), idx("t10k-labels-idx1-ubyte.gz", 8)
    return float(((np.tanh(x @ w1 + b1) @ w2 + b2).argmax(1) == y).mean())


from flwr.client import ClientApp, NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.common import Context, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.server import Grid, LegacyContext, ServerApp, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow
from flwr.simulation import run_simulation

_data = {}


def client_fn(context: Context):
    me = int(context.node_config["partition-id"])
    if not _data:
        _data["x"], _data["y"] = images("train-images-idx3-ubyte.gz"), idx("train-labels-idx1-ubyte.gz", 8)
    rows = np.arange(me, CLIENTS * samples, CLIENTS)

    class Client(NumPyClient):
        def fit(self, parameters, config):
            params = train(parameters, _data["x"][rows], _data["y"][rows], config["round"])
            return params, len(rows), {}

    return Client().to_client()


times = []
final = {}


def config_of(server_round):
    times.append(time.time())
    return {"round": server_round}


class Kept(FedAvg):
    def aggregate_fit(self, server_round, results, failures):
        parameters, metrics = super().aggregate_fit(server_round, results, failures)
        final["parameters"], final["clients"] = parameters, len(results)
        return parameters, metrics


app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    strategy = Kept(
        fraction_fit=1.0,
        fraction_evaluate=0.0,
        min_fit_clients=CLIENTS,
        min_available_clients=CLIENTS,
        on_fit_config_fn=config_of,
        initial_parameters=ndarrays_to_parameters(init()),
    )
    context = LegacyContext(context=context, config=ServerConfig(num_rounds=rounds), strategy=strategy)
    fit = None
    if kind == "secaggplus":
        fit = SecAggPlusWorkflow(num_shares=1.0, reconstruction_threshold=0.7, clipping_range=4.0, max_weight=1.0 * samples)
    DefaultWorkflow(fit_workflow=fit)(grid, context)
    ended = time.time()
    params = parameters_to_ndarrays(final["parameters"])
    result = {
        "roundsPerSecond": (rounds - 1) / (ended - times[1]) if rounds > 1 else 1 / (ended - times[0]),
        "firstRoundSeconds": times[1] - times[0] if rounds > 1 else ended - times[0],
        "accuracy": accuracy(params),
        "clients": final["clients"],
    }
    with open(out, "w") as file:
        json.dump(result, file)


client = ClientApp(client_fn=client_fn, mods=[secaggplus_mod] if kind == "secaggplus" else [])
run_simulation(
    server_app=app,
    client_app=client,
    num_supernodes=CLIENTS,
    backend_config={"client_resources": {"num_cpus": 1}},
)
