import { describeSeconds } from "../report/page.ts";
import type { Part } from "./parts.ts";

export interface RunProgress {
  begin(part: Part): void;
  stage(text: string): void;
  finish(outcome: string): void;
}

const REFRESH_MS = 1_000;

/** Shows the part, the elapsed and the expected time: one line that is overwritten, or one for each step in a log. */
export function createRunProgress(
  stream: NodeJS.WriteStream,
  parts: readonly Part[],
  secondsOf: (part: Part) => number,
): RunProgress {
  const all = parts.reduce((sum, part) => sum + secondsOf(part), 0);
  const startedAtMs = performance.now();
  let partAtMs = startedAtMs;
  let at = -1;
  let stage = "";
  let timer: NodeJS.Timeout | null = null;
  const since = (ms: number): string => describeSeconds((performance.now() - ms) / 1_000);
  const describe = (): string => {
    const part = parts[at];
    if (part === undefined) return "";
    const own = `${since(partAtMs)} of about ${describeSeconds(secondsOf(part))}`;
    return `[${at + 1}/${parts.length}] ${part.name} ${own}; all ${since(startedAtMs)} of about ${describeSeconds(all)}; ${stage}`;
  };
  const show = (): void => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${describe().slice(0, Math.max(20, stream.columns - 1))}`);
  };
  return {
    begin: (part) => {
      at = parts.indexOf(part);
      partAtMs = performance.now();
      stage = "starts";
      if (stream.isTTY) timer = setInterval(show, REFRESH_MS);
      else stream.write(`${describe()}\n`);
      show();
    },
    stage: (text) => {
      stage = text;
      if (stream.isTTY) show();
      else stream.write(`${describe()}\n`);
    },
    finish: (outcome) => {
      if (timer !== null) clearInterval(timer);
      stage = outcome;
      stream.write(stream.isTTY ? `\r\x1b[2K${describe()}\n` : `${describe()}\n`);
    },
  };
}
