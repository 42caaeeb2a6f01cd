import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { makeAuthority, makeLeaf } from "../../server/src/http/server/tls/certificate.ts";
import { readCpuMs } from "../agents/descendants.ts";
import type { Closers } from "../load/closers.ts";
import { readPeakBytes, readResidentBytes } from "../rest/process-usage.ts";
import { startVersion } from "../versions/start-version.ts";

/** Memory of a service and the CPU of its deliveries. */
export interface HeldMemory {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly idleBytes: number;
  readonly peakBytes: number;
  /** After connections have timed out. */
  readonly heldBytes: number;
  readonly cpuMicroseconds: number;
}

export interface HeldOptions {
  readonly root: string;
  readonly dataDir: string;
  readonly events: number;
}

const DAY_MS = 86_400_000;
const ENDPOINTS = 100;
const QUIET_MS = 130_000;
const POLL_MS = 100;
const IS_BUSY = `select exists (select from private.events) or exists (select from private.webhook_queue) as is_busy`;

/** A whole service that delivers each event to many endpoints over TLS, each on a host of its own. */
export async function measureHeld(closers: Closers, { root, dataDir, events }: HeldOptions): Promise<HeldMemory> {
  const caFile = join(dataDir, "receivers.crt");
  const urls = await startReceivers(closers, caFile);
  const settings = { WEBHOOK_CA_FILE: caFile, WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" };
  const service = await startVersion({ name: "the service", folder: root, settings, dataDir: join(dataDir, "data") });
  closers.add(() => service.stop());
  const sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  closers.add(() => sql.end());
  await sleep(QUIET_MS);
  const pids = [service.pid];
  const idleBytes = readResidentBytes(pids);
  const user = await service.signUp();
  const webhooks = urls.map((url) => ({ name: "bench", url, events: ["agent.created"] }));
  await service.insert(user, "webhooks", webhooks);
  const usedMs = readCpuMs(pids);
  const agents = Array.from({ length: events }, (_, at) => ({ name: `Agent ${at}`, framework: "provider_a" }));
  await service.insert(user, "agents", agents);
  while ((await sql.query<{ is_busy: boolean }>(IS_BUSY)).rows[0]?.is_busy === true) await sleep(POLL_MS);
  const deliveries = events * urls.length;
  const cpuMicroseconds = (1_000 * (readCpuMs(pids) - usedMs)) / deliveries;
  const peakBytes = readPeakBytes(pids);
  await sleep(QUIET_MS);
  const heldBytes = readResidentBytes(pids);
  return { deliveries, endpoints: urls.length, idleBytes, peakBytes, heldBytes, cpuMicroseconds };
}

async function startReceivers(closers: Closers, caFile: string): Promise<string[]> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const authority = makeAuthority(validity);
  await writeFile(caFile, authority.cert);
  const leaf = makeLeaf(authority, validity);
  const urls: string[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) {
    const server = createServer(leaf, (request, response) => {
      request.resume().on("end", () => response.writeHead(204).end());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.add(async () => {
      server.closeAllConnections();
      server.close();
    });
    urls.push(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }
  return urls;
}
