// Random streams that give the numbers of torch and numpy, for replicating what was published with them.

export { type NumpyStream, numpyStream } from "./numpy.js";
export { type TorchStream, torchStream } from "./torch.js";
