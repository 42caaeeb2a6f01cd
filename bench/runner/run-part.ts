import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { PartResult } from "../report/page.ts";
import { parseFigures } from "../report/parse-figures.ts";
import type { Table } from "../report/table.ts";
import type { Part } from "./parts.ts";

export interface RunPartOptions {
  readonly date: string;
  readonly isQuick: boolean;
  readonly limitSeconds: number;
  /** Folder for files of this run. */
  readonly folder: string;
  readonly signal: AbortSignal;
  onStage(text: string): void;
}

const BENCH = resolve(import.meta.dirname, "..");
/** The time between asking a part and its child processes to stop and killing them. */
const GRACE_MS = 30_000;
const KEPT_LINES = 20;

/** Runs one part in a separate process, which is stopped at its timeout. Its results so far are kept. */
export async function runPart(part: Part, options: RunPartOptions): Promise<PartResult> {
  const { date, isQuick, limitSeconds, folder, signal, onStage } = options;
  const { name, about } = part;
  const describe = (outcome: PartResult["outcome"], reason: string, seconds = 0): Promise<PartResult> =>
    complete({ name, about, date, outcome, reason, seconds }, jsonFile, words);
  const jsonFile = join(folder, `${name}.json`);
  let words = "";
  const startedAtMs = performance.now();
  const args = [
    "-C",
    "swarmbase-source",
    join(BENCH, name, "run.ts"),
    ...(isQuick ? ["--quick"] : []),
    "--json",
    jsonFile,
  ];
  const child = spawn(process.execPath, args, { cwd: resolve(BENCH, ".."), stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", (chunk: Buffer) => {
    words += chunk.toString();
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    const stage = /^ *\d+ s {2}(.*)$/.exec(line)?.[1];
    if (stage !== undefined) onStage(stage);
  });
  let isOutOfTime = false;
  const limit = setTimeout(() => {
    isOutOfTime = true;
    end(child);
  }, limitSeconds * 1_000);
  const onAbort = (): void => end(child);
  signal.addEventListener("abort", onAbort);
  const [code] = (await once(child, "close")) as [number | null];
  signal.removeEventListener("abort", onAbort);
  clearTimeout(limit);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  if (isOutOfTime) return describe("out of time", `ended after ${limitSeconds} s`, seconds);
  if (signal.aborted) return describe("not run", "the run was ended", seconds);
  if (code !== 0) return describe("failed", findReason(lines) ?? `ended with ${code}`, seconds);
  const absent = /^not run: (.*)/.exec(words.trim())?.[1];
  return absent === undefined ? describe("measured", "", seconds) : describe("not run", absent, seconds);
}

/** A part that writes no tables is shown by its output. */
async function complete(
  result: Omit<PartResult, "tables" | "words">,
  jsonFile: string,
  words: string,
): Promise<PartResult> {
  const text = await readFile(jsonFile, "utf8").catch(() => null);
  return text === null
    ? { ...result, tables: [], words: result.outcome === "measured" ? words.trim() : "" }
    : { ...result, tables: parseFigures(text) as Table[], words: "" };
}

function end(child: ChildProcess): void {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  child.once("close", () => clearTimeout(timer));
}

/** The line with the error message, without the stack. */
function findReason(lines: readonly string[]): string | null {
  const named = lines.findLast((line) => /^(?:\w*Error|error)\b.*: /.test(line));
  const last = lines.findLast((line) => line.trim() !== "" && !/^\s+at |^Node\.js v/.test(line));
  const reason = (named ?? last)?.replaceAll(`${resolve(BENCH, "..")}/`, "").replaceAll(tmpdir(), "…");
  return reason?.trim().slice(0, 200) ?? null;
}
