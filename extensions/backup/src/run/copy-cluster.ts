import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { parseLsn } from "../archive/lsn.ts";
import { newId } from "../archive/names.ts";
import type { SessionContext } from "./session-context.ts";

const PART_BYTES = 16 * 1024 * 1024;
const POLL_MS = 20;

/** Stores a copy of the running cluster. It counts only once the WAL is stored that makes it consistent. */
export async function copyCluster(context: SessionContext, signal: AbortSignal): Promise<Date> {
  const { archive, server, chain, session, slotName, progress, report, version, now } = context;
  const id = newId(now(), randomBytes(4).toString("hex"));
  const { at: startedAt } = await session.readState(slotName);
  const positions: string[] = [];
  let clusterBytes = 0;
  const cluster = server.readBaseBackup({ signal, onPosition: (lsn) => void positions.push(lsn) });
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of cluster) {
      clusterBytes += chunk.length;
      yield chunk;
    }
  };
  let parts = 0;
  for await (const part of inParts(archive.packCluster(chain, id, counted()), PART_BYTES)) {
    await archive.putPart(chain, id, parts, part, signal);
    parts += 1;
  }
  const [startLsn, stopLsn] = positions;
  if (startLsn === undefined || stopLsn === undefined) throw new Error("the database did not finish its base backup");
  const { at: stoppedAt } = await session.readState(slotName);
  while (progress.stored < parseLsn(stopLsn)) {
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
  const keptFiles = Object.entries(await server.readKeptFiles()).map(([path, content]) => [
    path,
    content.toString("base64"),
  ]);
  const description = {
    startLsn,
    stopLsn,
    startedAt: startedAt.toISOString(),
    stoppedAt: stoppedAt.toISOString(),
    parts,
    clusterBytes,
    isEmbedded: server.isEmbedded,
    database: new pg.Client({ connectionString: server.adminUrl }).database ?? "",
    version,
    keptFiles: Object.fromEntries(keptFiles) as Record<string, string>,
  };
  await archive.putBase(chain, id, description, signal);
  progress.base = id;
  const seconds = Math.round((stoppedAt.getTime() - startedAt.getTime()) / 1_000);
  report.note("completed a base backup", { base: id, clusterBytes, objects: parts, seconds });
  return stoppedAt;
}

async function* inParts(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    yield Buffer.concat(chunks);
    [chunks, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(chunks);
}
