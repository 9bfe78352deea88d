// Invariance on generated handwriting: the digits must be read when they are turned, moved or scaled as well.
export const strokesSpec = `# Digits that must also be read when turned, moved or scaled: three requirements on disturbed copies of the images. Which
# transformation the model can be made to ignore, and at what price, is what the run finds out.
name: strokes
data:
  dataset: strokes
  limit:
    train: 4000
    test: 1000
model:
  kind: mlp
  hidden: [64]
  activation: relu
objective:
  decay: 0.0003
requirements:
  turned:
    metric: loss
    under: { rotation: 30 }
    level: overall + 0.05
  moved:
    metric: loss
    under: { translation: 0.1 }
    level: overall + 0.05
  scaled:
    metric: loss
    under: { scale: [0.8, 1.25] }
    level: overall + 0.05
cost: quadratic(1)
budget:
  steps: 1500
  batch: 200
  optimizer: adam
  rate: 0.002
  schedule: cosine
  priceRate: 0.05
  tolerance: 0.004
  every: 100
seed: 1
`;
