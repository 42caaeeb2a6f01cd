// In charge of: log lines and metrics, from one closed list of observations, without secrets.
// Not in charge of: deciding when something is observed, or responses to clients.

export type { GaugeName } from "./metric-table.ts";
export { createMeter, type GaugeReading, type Meter } from "./meter.ts";
export { renderObservationsReference } from "./render-observations-reference.ts";
export { OBSERVATIONS, type ObservationName } from "./observations.ts";
export { createObserver, type Observer } from "./observer.ts";
