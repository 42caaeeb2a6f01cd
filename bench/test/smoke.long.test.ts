import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { PARTS, SINGLE_PARTS } from "../runner/parts.ts";

const RUN = resolve(import.meta.dirname, "../run.ts");

describe("every part of the bench", () => {
  for (const name of [...PARTS.map((part) => part.name), ...SINGLE_PARTS])
    it(`${name} measures one round and prints its tables`, async (t) => {
      const child = spawn(process.execPath, ["-C", "swarmbase-source", RUN, name, "--smoke"], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      assert.equal(child.exitCode, 0, stderr);
      const reason = /^not run: (.*)/.exec(stdout)?.[1];
      if (reason !== undefined) return t.skip(reason);
      assert.match(stdout, /^\|(?:---:?\|)+\n\|.*\|$/m, "there is no table");
    });
});
