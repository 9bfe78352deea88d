import pandas
from fairlearn.metrics import demographic_parity_difference
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression

train, test = pandas.read_csv("train.csv"), pandas.read_csv("test.csv")
features = ["x1", "x2", "x3", "x4"]

# Fairlearn bounds the distance of each group from the overall rate. For two equal groups, that is half of their gap.
learner = ExponentiatedGradient(
    LogisticRegression(), constraints=DemographicParity(difference_bound=0.01), eps=0.01
)
learner.fit(train[features], train["y"], sensitive_features=train["group"])

for name, rows in [("train", train), ("test", test)]:
    answers = learner.predict(rows[features], random_state=0)
    error = (answers != rows["y"]).mean()
    gap = demographic_parity_difference(rows["y"], answers, sensitive_features=rows["group"])
    print(f"{name}: error {error:.4f}, gap {gap:.4f}")
