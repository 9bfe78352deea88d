// A NATS server as the bus.
export { connectNats, readNatsAddress, shownAddress } from "./address.js";
export { type NatsCoordinator, type NatsCoordinatorOptions, natsCoordinator } from "./coordinator.js";
export { natsSite } from "./site.js";
