import { defineExtension, lazy } from "swarmbase/extension";
import { ACCESS } from "./sql/access.ts";
import { SCHEDULES_TABLE } from "./schedules-table.ts";
import { SCHEDULE_KIND } from "./tool/schedule-kind.ts";

export const extension = defineExtension({
  name: "schedules",
  summary: "runs of agents at times that users set, in the table schedules",
  docs: new URL("../README.md", import.meta.url),
  sql: new URL("../sql/", import.meta.url),
  tables: [SCHEDULES_TABLE],
  access: ACCESS,
  routes: [
    {
      method: "POST",
      path: "/functions/v1/schedules",
      access: "account",
      keyScope: ["run"],
      limit: "api",
      handler: lazy(async () => (await import("./run-now.ts")).runNow),
    },
  ],
  workers: [
    {
      name: "schedules",
      run: lazy(async () => (await import("./worker/run-scheduler.ts")).runScheduler),
    },
  ],
  toolKinds: [SCHEDULE_KIND],
});
