// In charge of: the calls of operators: who may make them, their audit log, and what they see and change.
// Not in charge of: what the tables and accounts accept, which the core decides.
import { defineExtension } from "swarmbase/extension";
import { ACCESS } from "./sql/access.ts";
import { runHousekeeping } from "./housekeeping.ts";
import { LogBuffer } from "./observe/log-buffer.ts";
import { runObserver } from "./observe/run-observer.ts";
import { toExtensionRoute } from "./operator-route.ts";
import { OPERATORS_HELP } from "./operators-command.ts";
import { auditRoutes } from "./routes/audit.ts";
import { logRoutes } from "./routes/logs.ts";
import { mailRoutes } from "./routes/mail.ts";
import { metricRoutes } from "./routes/metrics.ts";
import { nodeRoutes } from "./routes/nodes.ts";
import { membershipRoutes } from "./routes/operators.ts";
import { providerRoutes } from "./routes/providers.ts";
import { settingRoutes } from "./routes/settings.ts";
import { tableRoutes } from "./routes/tables.ts";
import { userRoutes } from "./routes/users.ts";
import { SETTINGS } from "./settings.ts";

const routes = [
  ...userRoutes,
  ...tableRoutes,
  ...logRoutes,
  ...metricRoutes,
  ...nodeRoutes,
  ...settingRoutes,
  ...providerRoutes,
  ...mailRoutes,
  ...auditRoutes,
].map(toExtensionRoute);
/** Between the log of the process and the worker that stores its lines. */
const lines = new LogBuffer();

export const extension = defineExtension({
  name: "operator",
  summary:
    "users, tables, logs, metrics, settings and the audit log for operators at /operator/v1, if OPERATOR_ENABLED is set",
  docs: new URL("../README.md", import.meta.url),
  settings: SETTINGS,
  sql: new URL("../sql/", import.meta.url),
  access: ACCESS,
  configure: ({ OPERATOR_ENABLED: isEnabled }) =>
    isEnabled
      ? {
          routes: [...membershipRoutes, ...routes],
          observation: { onLine: (line) => lines.add(line, new Date()), hasMetrics: true },
        }
      : {},
  workers: [
    { name: "operator housekeeping", run: runHousekeeping },
    { name: "operator observer", isOnEveryNode: true, run: (signal, context) => runObserver(signal, context, lines) },
  ],
  commands: [
    {
      name: "operators",
      summary: "add, remove and list the operators",
      help: OPERATORS_HELP,
      run: async (context) => (await import("./operators-command.ts")).runOperatorsCommand(context),
    },
  ],
});
