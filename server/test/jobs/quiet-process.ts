import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { runInNewContext } from "node:vm";
import { createGarbageCollection } from "../../src/jobs/index.ts";

// A process that makes garbage, becomes quiet, and ends when it has returned the memory.

const ROWS = 300_000;
const QUIET_MS = 2_000;
/** Seldom: a process that looks all the time is not quiet. */
const LOOK_MS = 500;

const stopping = new AbortController();
const running = createGarbageCollection(QUIET_MS).run(stopping.signal);
let rows: object[] = Array.from({ length: ROWS }, (_, at) => ({ at, name: `row ${at}` }));
const used = getHeapStatistics().total_physical_size;
assert.equal(rows.length, ROWS);
rows = [];
while (getHeapStatistics().total_physical_size > used / 2) await sleep(LOOK_MS);
stopping.abort();
await running;
assert.equal(runInNewContext("typeof gc"), "undefined");
