import { test } from "node:test";
import { assertNothingLost } from "./assert-nothing-lost.ts";

/** Only the database: what a killed service had claimed comes back after half a minute, which `npm run test:chaos` has. */
const VICTIMS = ["database", "database"] as const;

test(
  "kill -9 of the database under load: every answered write is received, with one body and one id",
  {
    skip: process.platform === "linux" ? false : "reads the process tree from /proc",
    timeout: 150_000,
  },
  (t) => assertNothingLost(t, VICTIMS),
);
