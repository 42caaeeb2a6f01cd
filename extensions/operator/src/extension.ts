// In charge of: the calls of operators: who may make them, their audit log, and what they see and change.
// Not in charge of: what the tables and accounts accept, which the core decides.
import { defineExtension, lazy } from "swarmbase/extension";
import { ACCESS } from "./sql/access.ts";
import { LogBuffer } from "./observe/log-buffer.ts";
import { RequestCounts } from "./observe/request-counts.ts";
import { OPERATORS_HELP } from "./operators-command.ts";
import { SETTINGS } from "./settings.ts";

/** Between the log of the process and the worker that stores its lines. */
const lines = new LogBuffer();
/** The same for the requests of users. */
const requests = new RequestCounts();

export const extension = defineExtension({
  name: "operator",
  summary:
    "users, tables, logs, metrics, settings and the audit log for operators at /operator/v1, if OPERATOR_ENABLED is set",
  docs: new URL("../README.md", import.meta.url),
  settings: SETTINGS,
  sql: new URL("../sql/", import.meta.url),
  access: ACCESS,
  configure: async ({ OPERATOR_ENABLED: isEnabled }) =>
    isEnabled
      ? {
          routes: (await import("./operator-routes.ts")).OPERATOR_ROUTES,
          observation: {
            onLine: (line) => lines.add(line, new Date()),
            onRequest: (userId) => requests.add(userId),
            hasMetrics: true,
          },
        }
      : {},
  workers: [
    {
      name: "operator housekeeping",
      run: lazy(async () => (await import("./run-housekeeping.ts")).runHousekeeping),
    },
    {
      name: "operator observer",
      isOnEveryNode: true,
      run: async (signal, context) =>
        (await import("./observe/run-observer.ts")).runObserver(signal, context, { lines, requests }),
    },
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
