// In charge of: functions of the app in PostgreSQL as tools of the kind `rpc`, called as the person who asks.
// Not in charge of: what that person may do, which REST and the rules of the rows decide.
import { defineExtension } from "swarmbase/extension";
import { callFunction } from "./call-function.ts";
import { describeFunction } from "./describe-function.ts";
import { findConfigFaults, findFunction } from "./find-function.ts";

export const extension = defineExtension({
  name: "rpc-tools",
  summary: "functions of the database as tools",
  docs: new URL("../README.md", import.meta.url),
  toolKinds: [
    {
      name: "rpc",
      findConfigFaults,
      run: callFunction,
      describe(config, context) {
        const called = findConfigFaults(config, context).length === 0 ? findFunction(config, context) : null;
        return called === null ? null : describeFunction(called);
      },
    },
  ],
});
