// In charge of: log lines and metrics, from one closed list of observations, without secrets; trace context.
// Not in charge of: deciding when something is observed, or responses to clients.

export { type GaugeName, GAUGES, METRICS } from "./metric-table.ts";
export { keepSums, mergeMetrics, type ProcessMetrics } from "./merge-metrics.ts";
export { createMeter, type GaugeReading, type Meter, type MetricFamily, renderMetrics } from "./meter.ts";
export { type Observation, OBSERVATIONS, type ObservationName } from "./observations.ts";
export { createObserver, type LogLine, type Observer } from "./observer.ts";
export { redactText } from "./redact.ts";
export {
  activeTraceparent,
  contextBelow,
  parseTraceparent,
  traceparentOf,
  TRACER_NAME,
  type TraceSource,
} from "./trace-source.ts";
