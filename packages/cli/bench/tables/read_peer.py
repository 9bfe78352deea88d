#!/usr/bin/env python3
"""Reads a CSV file with pandas and encodes its features with scikit-learn, as read.ts does."""
import json
import resource
import sys
import time

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

start, worked = time.perf_counter(), time.process_time()
table = pd.read_csv(sys.argv[1])
features = table.drop(columns=["y", "group"])
encoder = make_column_transformer(
    (StandardScaler(), make_column_selector(dtype_include=np.number)),
    (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude=np.number)),
)
encoder.fit_transform(features).astype(np.float32)
print(json.dumps({
    "seconds": time.perf_counter() - start,
    "processor": time.process_time() - worked,
    "peakMegabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
}))
