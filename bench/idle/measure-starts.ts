import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { findFreePort } from "../rest/child.ts";

/** Milliseconds by the parts that the service logs; some run beside each other. */
export type StartTimes = Readonly<Record<string, number>>;

const SETTINGS = { NODE_ENV: "production", WORKERS: "1", LOG_LEVEL: "info", LOG_FORMAT: "json" };

/** Starts the service until it serves, and stops it. */
export async function measureStart(root: string, dataDir: string): Promise<StartTimes> {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: root, ...SETTINGS, PORT: String(await findFreePort()), DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let parts: StartTimes | null = null;
  for await (const line of createInterface(child.stdout)) {
    ({ parts = null } = JSON.parse(line) as { readonly parts?: StartTimes });
    if (parts !== null) break;
  }
  child.kill("SIGTERM");
  await exited;
  if (parts === null) throw new Error("the service has not started");
  return parts;
}
