import { test } from "node:test";
import { assertNothingLost } from "./assert-nothing-lost.ts";
import type { Victim } from "./kill-rounds.ts";

const ROUNDS = 50;
const IN_TURN: readonly Victim[] = ["service", "database", "everything"];
const VICTIMS = Array.from({ length: ROUNDS }, (_, round) => IN_TURN[round % IN_TURN.length] ?? "everything");
const ROUND_MS = 12_000;
const REST_MS = 150_000;

test(
  `after ${ROUNDS} times kill -9 of service, database or both under load every answered write is received`,
  {
    skip: process.platform === "linux" ? false : "reads the process tree from /proc",
    timeout: ROUNDS * ROUND_MS + REST_MS,
  },
  (t) => assertNothingLost(t, VICTIMS),
);
