import type { CommandContext } from "./command.ts";

export interface ProgressLine {
  /** Starts a line for the next step; the previous line stays. */
  step(title: string): void;
  add(bytes: number): void;
  expect(totalBytes: number): void;
  end(): void;
}

const SHOWN_EVERY_MS = 200;
const LOGGED_EVERY_MS = 10_000;

/** On a terminal, one line that counts up; otherwise a line from time to time. */
function createProgressLine(stderr: CommandContext["stderr"]): ProgressLine {
  const isLive = stderr.isTTY === true;
  let title: string | null = null;
  let doneBytes = 0;
  let totalBytes: number | null = null;
  let shownAtMs = 0;
  const render = (): string => {
    const share =
      totalBytes === null || totalBytes === 0
        ? ""
        : ` of about ${formatBytes(totalBytes)}, ${Math.min(99, Math.floor((100 * doneBytes) / totalBytes))} %`;
    return `${title ?? ""}${doneBytes === 0 ? "" : ` ${formatBytes(doneBytes)}${share}`}`;
  };
  const end = (): void => {
    if (title === null) return;
    const text = doneBytes === 0 ? title : `${title} ${formatBytes(doneBytes)}`;
    if (isLive) stderr.write(`\r\u001b[K${text}\n`);
    else if (doneBytes > 0) stderr.write(`${text}\n`);
    title = null;
  };
  return {
    step(next) {
      end();
      [title, doneBytes, totalBytes, shownAtMs] = [next, 0, null, performance.now()];
      stderr.write(isLive ? next : `${next}\n`);
    },
    add(bytes) {
      doneBytes += bytes;
      const nowMs = performance.now();
      if (nowMs - shownAtMs < (isLive ? SHOWN_EVERY_MS : LOGGED_EVERY_MS)) return;
      shownAtMs = nowMs;
      stderr.write(isLive ? `\r\u001b[K${render()}` : `${render()}\n`);
    },
    expect(bytes) {
      totalBytes = (totalBytes ?? 0) + bytes;
    },
    end,
  };
}

/** Shows the progress of the work, and ends the line after it. */
export async function withProgress<T>(
  { stderr }: CommandContext,
  work: (progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const progress = createProgressLine(stderr);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? "B"}`;
}
