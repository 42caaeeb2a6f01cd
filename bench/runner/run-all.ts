import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine, listVersions } from "../report/machine.ts";
import { describeSeconds, type PartResult } from "../report/page.ts";
import { isMet, renderGrid, renderTable } from "../report/table.ts";
import { installPeers } from "./install-peers.ts";
import { type Part, PARTS } from "./parts.ts";
import { createRunProgress } from "./progress.ts";
import { runPart } from "./run-part.ts";
import { writeResults } from "./write-results.ts";

/** Measures the parts that every run has, or those of `--only`, and writes the results. Returns the exit code. */
export async function runAll(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      output: { type: "string", default: resolve(import.meta.dirname, "../results") },
    },
  });
  const selected = values.only?.split(",");
  const unknown = selected?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no part ${unknown.join(", ")}; there are ${PARTS.map(({ name }) => name).join(", ")}.\n`,
    );
    return 1;
  }
  const parts = PARTS.filter(({ name }) => selected?.includes(name) ?? true);
  const length = values.quick ? "quick" : "full";
  const secondsOf = ({ seconds }: Part): number => seconds[length];

  if (parts.some(({ hasPeers }) => hasPeers)) installPeers();
  const date = new Date().toISOString().slice(0, 10);
  const machine = describeMachine();
  const versions = listVersions();
  const print = (text: string): void => void process.stdout.write(`${text}\n\n`);
  print(renderGrid(["machine", ""], Object.entries(machine)));
  print(renderGrid(["version", ""], Object.entries(versions)));
  const maxSeconds = parts.reduce((sum, { limitSeconds }) => sum + limitSeconds[length], 0);
  const about = parts.reduce((sum, part) => sum + secondsOf(part), 0);
  print(`${parts.length} parts, about ${describeSeconds(about)} min, at most ${describeSeconds(maxSeconds)} min.`);

  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-run-"));
  const results: PartResult[] = [];
  try {
    const progress = createRunProgress(process.stderr, parts, secondsOf);
    for (const part of parts) {
      if (stopping.signal.aborted) break;
      progress.begin(part);
      const result = await runPart(part, {
        date,
        isQuick: values.quick,
        limitSeconds: part.limitSeconds[length],
        folder,
        signal: stopping.signal,
        onStage: progress.stage,
      });
      progress.finish(result.reason === "" ? result.outcome : `${result.outcome}: ${result.reason}`);
      results.push(result);
      for (const table of result.tables) print(`${table.title}\n\n${renderTable(table)}`);
      if (result.words !== "") print(result.words);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (stopping.signal.aborted) return 130;

  const page = await writeResults(
    values.output,
    { date, isQuick: values.quick, machine, versions, parts: results },
    PARTS.map(({ name }) => name),
  );
  const goals = results.flatMap(({ tables }) => tables.flatMap((table) => table.goals));
  print(
    `${goals.filter(isMet).length} of ${goals.length} goals are met. All of it stands in ${relative(process.cwd(), page)}.`,
  );
  return results.some(({ outcome }) => outcome === "failed" || outcome === "out of time") ? 1 : 0;
}
