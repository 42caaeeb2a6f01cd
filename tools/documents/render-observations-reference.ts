import { GAUGES, METRICS, type Observation, OBSERVATIONS } from "../../server/src/observe/index.ts";

const INTRODUCTION = `<!-- Generated from server/src/observe by \`npm run generate -- reference\`. Do not edit by hand. -->

# Logs and metrics

This page is for operators who build dashboards and alerts, or search the log. It lists every metric and every event of the log.

The service logs events of one closed list. Each line of the log is one of these, as a JSON object with \`time\`, \`level\`,
\`event\`, \`msg\` and the fields of the event; the log never contains bodies or the values of fields that are named like secrets.
A request has exactly one line, at \`debug\`; with \`ACCESS_LOG_ENABLED=true\` the line is at \`info\`, at any \`LOG_LEVEL\`. It has \`requestId\` (also sent as \`X-Request-Id\`), \`route\`, \`path\`, \`status\`, \`durationMs\`, the
\`userId\` of a signed-in caller, the \`clientId\` of a program that acts for one, and the \`traceId\` of a \`traceparent\` header. Of each event that is marked as sampled, the service writes at most five lines in ten seconds, and then one with \`leftOut\`, the
number of lines that it left out. With \`ACCESS_LOG_ENABLED\` it leaves none out. Metrics count all events.

With \`METRICS_PORT\` set, \`GET /metrics\` on that port returns the text format of Prometheus: the metrics below, and the usual
metrics of the process.

`;

/** The text of `docs/reference/observations.md`; a check compares the two. */
export function renderObservationsReference(): string {
  const metrics = METRICS.map(
    ({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${code(labels)} | ${help} |\n`,
  );
  const gauges = Object.entries(GAUGES).map(
    ([name, { labels, help }]) => `| \`${name}\` | gauge | ${code(labels)} | ${help} |\n`,
  );
  const lines = Object.entries(OBSERVATIONS).map(
    ([name, observation]: [string, Observation]) =>
      `| \`${name}\` | ${observation.level}${observation.sampled === true ? ", sampled" : ""} | ${observation.message} |\n`,
  );
  return `${INTRODUCTION}## Metrics

| name | kind | labels | meaning |
|---|---|---|---|
${[...metrics, ...gauges].join("")}
## Log events

| event | level | meaning |
|---|---|---|
${lines.join("")}`;
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
