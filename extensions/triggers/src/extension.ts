import { defineExtension, lazy } from "swarmbase/extension";
import { ACCESS } from "./sql/access.ts";
import { TRIGGER_CALLS, TRIGGERS } from "./table.ts";

export const extension = defineExtension({
  name: "triggers",
  summary: "runs of agents that other systems start with signed calls, in the table triggers",
  docs: new URL("../README.md", import.meta.url),
  sql: new URL("../sql/", import.meta.url),
  tables: [TRIGGERS, TRIGGER_CALLS],
  access: ACCESS,
  routes: [
    {
      method: "POST",
      path: "/triggers/v1/:id",
      access: "public",
      // Calls that are verified count by trigger, the others by address and trigger.
      limit: null,
      isBodyRaw: true,
      handler: lazy(async () => (await import("./receive/receive-call.ts")).receiveCall),
    },
    {
      method: "POST",
      path: "/functions/v1/triggers",
      access: "account",
      keyScope: "checked",
      limit: "api",
      handler: lazy(async () => (await import("./run-triggers-function.ts")).runTriggersFunction),
    },
  ],
  workers: [
    {
      name: "triggers",
      run: lazy(async () => (await import("./worker/run-waiting.ts")).runWaiting),
    },
  ],
});
