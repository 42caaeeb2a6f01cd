// In charge of: what may be said about a running service, from one closed list, without secrets; the
// metrics that come of it.
// Not in charge of: deciding when to say it, or answering clients.

export type { GaugeName } from "./metric-table.ts";
export { createMeter, type GaugeReading, type Meter } from "./meter.ts";
export { renderObservationsReference } from "./render-observations-reference.ts";
export { OBSERVATIONS, type ObservationName } from "./observations.ts";
export { createObserver, type Observer } from "./observer.ts";
