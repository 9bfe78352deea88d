// Invariance on generated handwriting: the digits must be read when they are turned, moved or scaled as well.
export const strokesSpec = `# Digits that must also be read when turned, moved or scaled: three requirements on disturbed copies of the images. Which
# transformation the model can be made to ignore, and at what price, is what the run finds out. The model is linear and its decay
# large: a network, or less decay, memorises these few images, and then no price of a transformation means anything.
name: strokes
data:
  dataset: strokes
  limit:
    train: 3000
    test: 1000
model:
  kind: linear
objective:
  decay: 0.02
requirements:
  turned:
    metric: loss
    under: { rotation: 30 }
    level: overall + 0.05
  moved:
    metric: loss
    under: { translation: 0.05 }
    level: overall + 0.05
  scaled:
    metric: loss
    under: { scale: [0.8, 1.25] }
    level: overall + 0.05
cost: quadratic(1)
budget:
  steps: 1000
seed: 1
`;
