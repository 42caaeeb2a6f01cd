import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Check, findProgram, runChecks } from "../check-run.ts";

const root = join(import.meta.dirname, "../..");
const PASSES: Check = { name: "good", args: ["-e", "console.log('unseen')"] };
const FAILS: Check = { name: "bad", args: ["-e", "console.log('out'); console.error('err'); process.exit(3)"] };
const DIES: Check = { name: "killed", args: ["-e", "process.kill(process.pid, 'SIGKILL')"] };

async function run(checks: readonly Check[]): Promise<{ isGood: boolean; lines: string[] }> {
  const lines: string[] = [];
  const isGood = await runChecks(checks, { root, parallel: 2, write: (line) => lines.push(line) });
  return { isGood, lines };
}

describe("runChecks", () => {
  it("prints one line for a check that passes", async () => {
    const { isGood, lines } = await run([PASSES]);
    assert.equal(isGood, true);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^✓ good \(\d+\.\d s\)$/);
  });

  it("prints the output of a failing check, and fails", async () => {
    const { isGood, lines } = await run([FAILS]);
    assert.equal(isGood, false);
    assert.match(lines.join("\n"), /^✗ bad \(\d+\.\d s\)\nout\nerr\nended with code 3$/);
  });

  it("fails when one of several fails or dies, and runs all of them", async () => {
    const { isGood, lines } = await run([FAILS, PASSES, DIES, PASSES]);
    assert.equal(isGood, false);
    assert.equal(lines.filter((line) => line.startsWith("✓")).length, 2);
    assert.match(lines.join("\n"), /✗ killed .*\nended with SIGKILL/);
  });
});

describe("findProgram", () => {
  it("finds an installed program without PATH", () => {
    assert.ok(existsSync(findProgram(root, "typescript", "tsc")));
    assert.ok(existsSync(findProgram(root, "oxlint", "oxlint")));
  });

  it("throws for a program that a package does not have", () => {
    assert.throws(() => findProgram(root, "typescript", "tcs"), /typescript has no program tcs/);
  });
});
