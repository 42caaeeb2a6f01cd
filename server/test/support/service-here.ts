import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cleanup } from "./database.ts";
import { findFreePort } from "./free-port.ts";
import { startHere } from "./run-here.ts";
import { type Credentials, SERVICE_ENVIRONMENT, type StartServiceOptions } from "./service.ts";
import { until } from "./until.ts";

export interface ServiceHere {
  readonly credentials: Credentials;
  /** What it has printed so far, both streams. */
  output(): string;
  /** Resolves with the first line of its log with this event. */
  waitFor(event: string): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves with what would be the exit code of the program. */
  stop(): Promise<number>;
}

/**
 * The service in the process of the test, for tests of what it answers: a program of its own takes longer to load than most of
 * them run. Tests that kill it, signal it, or read what a process has only one of use `startService`.
 */
export async function startServiceHere(
  t: Cleanup,
  { dataDir, env = {} }: Omit<StartServiceOptions, "nodeOptions">,
): Promise<ServiceHere> {
  const PORT = env["PORT"] ?? String(await findFreePort());
  let output = "";
  const onOutput = (text: string): void => void (output += text);
  const { ended, stop } = startHere(
    ["serve"],
    { ...SERVICE_ENVIRONMENT, ...env, PORT, DATA_DIR: dataDir },
    "",
    onOutput,
  );
  t.after(async () => {
    await stop();
  });
  let hasEnded = false;
  const note = (): void => void (hasEnded = true);
  void ended.then(note, note);
  const find = (event: string): string | undefined =>
    output.split("\n").find((line) => line.includes(`"event":"${event}"`));
  const waitFor = async (event: string): Promise<Readonly<Record<string, unknown>>> => {
    await until(
      () => find(event) !== undefined || hasEnded,
      `the service logs ${event}`,
      () => output,
    );
    const line = find(event);
    if (line === undefined) throw new Error(`the service ended without ${event}:\n${output}`);
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  };
  await waitFor("service.started");
  const credentials = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as Credentials;
  return { credentials, output: () => output, waitFor, stop };
}
