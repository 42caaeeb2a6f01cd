import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HandshakeTurns } from "../../src/http/server/handshake-turns.ts";

test("one handshake starts in each turn of the event loop, the addresses in turn", async () => {
  const turns = new HandshakeTurns();
  const started: string[] = [];
  for (const name of ["a1", "a2", "a3", "b1", "c1"]) turns.add(name.slice(0, 1), () => void started.push(name));
  const seen = [started.length];
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn();
    seen.push(started.length);
  }
  assert.deepEqual(started, ["a1", "a2", "b1", "c1", "a3"]);
  assert.ok(
    seen.every((count, turn) => count <= turn + 1),
    `started by turn: ${seen.join(", ")}`,
  );
});
