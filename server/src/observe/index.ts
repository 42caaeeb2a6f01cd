// In charge of: what may be said about a running service, from one closed list, without secrets.
// Not in charge of: deciding when to say it, or answering clients.

export { OBSERVATIONS, type ObservationName } from "./observations.ts";
export { createObserver, type Observer } from "./observer.ts";
