import type { ServerCopy } from "swarmbase/extension";
import type { Archive } from "./archive.ts";
import { segmentName, segmentStart } from "./lsn.ts";
import type { RestorePlan } from "./plan-restore.ts";

/** The server of a plan as files. */
export function readCopy(
  archive: Archive,
  plan: RestorePlan,
  until: ServerCopy["until"],
  signal: AbortSignal,
): ServerCopy {
  const { chain, description, base } = plan;
  const files = Object.entries(base.keptFiles).map(
    ([path, content]) => [path, Buffer.from(content, "base64")] as const,
  );
  return {
    createdAt: base.stoppedAt,
    postgresMajor: description.postgresMajor,
    keptFiles: Object.fromEntries(files),
    until,
    cluster: () => archive.readCluster(chain.id, base.id, base.parts, signal),
    wal: () => readSegments(archive, plan, signal),
  };
}

/** The WAL in files of the size of the server; the rest of the last one is zeros, as in a file that is being written. */
async function* readSegments(
  archive: Archive,
  { wal, description }: RestorePlan,
  signal: AbortSignal,
): AsyncGenerator<{ readonly name: string; readonly content: AsyncIterable<Buffer> }> {
  const [first] = wal.pieces;
  if (first === undefined) return;
  const segmentBytes = BigInt(description.segmentBytes);
  let segment = Buffer.alloc(description.segmentBytes);
  // The first piece may begin within a file; then the plan needs none of that file.
  let position = first.start;
  const name = (lsn: bigint): string => segmentName(description.timeline, lsn, segmentBytes);
  for (const piece of wal.pieces) {
    const bytes = await archive.getWal(piece, signal);
    let rest = bytes.subarray(Number(position - piece.start));
    while (rest.length > 0) {
      const offset = Number(position % segmentBytes);
      const part = rest.subarray(0, description.segmentBytes - offset);
      part.copy(segment, offset);
      position += BigInt(part.length);
      rest = rest.subarray(part.length);
      if (position % segmentBytes !== 0n) continue;
      yield { name: name(position - 1n), content: once(segment) };
      segment = Buffer.alloc(description.segmentBytes);
    }
  }
  if (position % segmentBytes !== 0n)
    yield { name: name(segmentStart(position, segmentBytes)), content: once(segment) };
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
