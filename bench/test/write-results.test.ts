import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { PartResult, Results } from "../report/page.ts";
import { writeResults } from "../runner/write-results.ts";

const ORDER = ["rest", "webhooks"];

const run = (date: string, parts: readonly PartResult[], isQuick = false): Results => ({
  date,
  isQuick,
  machine: {},
  versions: { Swarmbase: "0.1.0" },
  parts,
});
const measured = (name: string, date: string, value: number): PartResult => ({
  name,
  about: `About ${name}.`,
  date,
  outcome: "measured",
  reason: "",
  seconds: 1,
  words: "",
  tables: [
    {
      id: name,
      title: name,
      head: ["", "µs"],
      rows: [["insert", String(value)]],
      notes: [],
      goals: [
        {
          about: "insert",
          bound: "at most",
          limit: 350,
          value,
          unit: " µs",
          ...(name === "rest" && { history: "insert: PostgreSQL, µs" as const }),
        },
      ],
      plot: { caption: "", bars: [] },
    },
  ],
});

describe("writeResults", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-test-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const read = (name: string): Promise<string> => readFile(join(folder, name), "utf8");

  it("keeps the results of parts that a run did not measure, and writes a line into the history", async () => {
    await writeResults(folder, run("2026-11-15", [measured("webhooks", "2026-11-15", Number.NaN)]), ORDER);
    await writeResults(folder, run("2026-11-17", [measured("rest", "2026-11-17", 264.4)]), ORDER);
    const page = await read("latest.md");
    assert.match(page, /\| rest \| 2026-11-17 \| measured \|.*\n\| webhooks \| 2026-11-15 \| measured \|/);
    assert.match(page, /missed: insert is – µs/);
    const lines = (await read("history.md")).trim().split("\n").slice(-3);
    assert.match(lines[0] ?? "", /^\|---\|/);
    assert.match(lines[1] ?? "", /^\| 2026-11-15 \| 0\.1\.0 \| 0 of 1 \| – \|/);
    assert.match(lines[2] ?? "", /^\| 2026-11-17 \| 0\.1\.0 \| 1 of 1 \| – \| – \| 264 \|/);
    assert.equal(new Set(lines.map((line) => line.split("|").length)).size, 1, "every line has all columns");
  });

  it("joins the runs of one day in one line of the history", async () => {
    await writeResults(folder, run("2026-11-17", [measured("webhooks", "2026-11-17", 7)]), ORDER);
    const lines = (await read("history.md")).trim().split("\n");
    assert.equal(lines.filter((line) => line.startsWith("| 2026-11-17 |")).length, 1);
    assert.match(lines.at(-1) ?? "", /^\| 2026-11-17 \| 0\.1\.0 \| 2 of 2 \| – \| – \| 264 \|/);
  });

  it("leaves the history and the results of full runs alone after a quick run", async () => {
    const earlier = [await read("history.md"), await read("results.json"), await read("latest.md")];
    await writeResults(folder, run("2026-11-18", [measured("rest", "2026-11-18", 1)], true), ORDER);
    assert.deepEqual([await read("history.md"), await read("results.json"), await read("latest.md")], earlier);
    assert.match(await read("quick.md"), /A quick run/);
  });
});
