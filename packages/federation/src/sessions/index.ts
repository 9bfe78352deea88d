// Who is at the other end of a connection.
export { coordinatorSessions, type Link, type Session, type Sessions } from "./coordinator.js";
export { blobText, type Frame, frameOf, joinText, proofText } from "./frames.js";
export { blobAuthorization, joinBody } from "./requests.js";
export { type Connection, type SiteSession, siteSession } from "./site.js";
