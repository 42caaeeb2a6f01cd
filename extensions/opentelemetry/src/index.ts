import { defineExtension } from "swarmbase/extension";
import { readConfiguration } from "./read-configuration.ts";
import { STANDARD_VARIABLES } from "./standard-variables.ts";

/** Exports traces, metrics and logs by OTLP. Without an endpoint in the environment nothing of OpenTelemetry is imported. */
export const extension = defineExtension({
  name: "opentelemetry",
  summary: "exports traces, metrics and logs by OTLP when OTEL_EXPORTER_OTLP_ENDPOINT is set",
  docs: new URL("../README.md", import.meta.url),
  standardVariables: STANDARD_VARIABLES,
  telemetry: {
    findFaults: (environment) => readConfiguration(environment).faults,
    async open(context) {
      const { configuration } = readConfiguration(context.environment);
      if (configuration === null) return null;
      const { openTelemetry } = await import("./open-telemetry.ts");
      return openTelemetry(configuration, context);
    },
  },
});
