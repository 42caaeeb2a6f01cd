import { test } from "node:test";
import { assertNothingLost } from "./assert-nothing-lost.ts";

/** The database only: claims of a killed service expire after half a minute, which `npm run test:system -- chaos` allows for. */
const VICTIMS = ["database", "database"] as const;

test(
  "after kill -9 of the database under load every answered write is received with one body and one id",
  {
    skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  },
  (t) => assertNothingLost(t, VICTIMS),
);
