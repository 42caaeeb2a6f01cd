import type { TestContext } from "node:test";
import type { CredentialsFile } from "../../src/auth/index.ts";
import { findFreePort } from "../support/free-port.ts";
import { type Program, readCredentials, runProgram } from "./program.ts";

export interface WorkerService {
  readonly program: Program;
  readonly credentials: CredentialsFile;
  /** The values of the metrics whose line begins so. */
  readMetric(start: string): Promise<number[]>;
}

/** How many requests to `/health` were answered. */
export const REQUESTS = 'swarmbase_http_requests_total{method="GET",route="/health"';

/** Starts a service with two worker processes. */
export async function startWorkerService(
  t: TestContext,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<WorkerService> {
  const metricsPort = String(await findFreePort());
  const program = runProgram(t, ["serve"], {
    env: { DATA_DIR: dataDir, WORKERS: "2", LOG_LEVEL: "info", METRICS_PORT: metricsPort, ...env },
  });
  // A reload that is sent too early must not end the start.
  await program.waitFor("embedded.started");
  program.child.kill("SIGHUP");
  await program.waitFor("service.started");
  return {
    program,
    credentials: await readCredentials(dataDir),
    readMetric: async (start) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return text.split("\n").flatMap((line) => (line.startsWith(start) ? [Number(line.split(" ").at(-1))] : []));
    },
  };
}
