export interface MemorySample {
  readonly atMs: number;
  readonly rssMb: number;
  /** With what lies there uncollected. Null while the figures of the process cannot be had. */
  readonly heapMb: number | null;
}

export const SNAPSHOT_NAMES = ["before", "warm", "later", "end", "after"] as const;

/** What is in use after a full collection, and the process's size with it. */
export interface MemorySnapshot {
  readonly name: (typeof SNAPSHOT_NAMES)[number];
  readonly atMs: number;
  readonly rssMb: number;
  readonly liveMb: number;
  readonly bufferMb: number;
}

export interface MemoryOverTime {
  readonly samples: readonly MemorySample[];
  readonly snapshots: readonly MemorySnapshot[];
}

/** What the service gets to live in, as an option of Node.js: with a machine's whole memory it would collect only when it pleases. */
export const HEAP_LIMIT_MB = 256;
/** That heap, the young generation, the program itself, and what a thousand connections take outside of the heap. */
export const MOST_RSS_MB = 640;

interface Margin {
  readonly share: number;
  readonly mb: number;
}

/** Connections are still being opened when the load is warm; a kilobyte kept of every answer is several times as much. */
const LIVE_MARGIN: Margin = { share: 0.1, mb: 8 };
const RSS_MARGIN: Margin = { share: 0.1, mb: 48 };
/** Clients keep their connections when the load is over, and caches are filled. */
const AFTER_MARGIN: Margin = { share: 0.1, mb: 12 };

const MARGINS = [
  { from: "warm", to: "later", what: "liveMb", words: "what is in use", margin: LIVE_MARGIN },
  { from: "warm", to: "end", what: "liveMb", words: "what is in use", margin: LIVE_MARGIN },
  { from: "before", to: "after", what: "liveMb", words: "what is in use", margin: AFTER_MARGIN },
  { from: "warm", to: "end", what: "bufferMb", words: "what buffers hold", margin: LIVE_MARGIN },
  { from: "before", to: "after", what: "bufferMb", words: "what buffers hold", margin: AFTER_MARGIN },
  { from: "warm", to: "end", what: "rssMb", words: "the process", margin: RSS_MARGIN },
] as const satisfies readonly {
  readonly from: MemorySnapshot["name"];
  readonly to: MemorySnapshot["name"];
  readonly what: "liveMb" | "bufferMb" | "rssMb";
  readonly words: string;
  readonly margin: Margin;
}[];

/** Where memory was not flat, in words. */
export function findMemoryGrowth({ samples, snapshots }: MemoryOverTime): string[] {
  const faults: string[] = [];
  const byName = new Map(snapshots.map((snapshot) => [snapshot.name, snapshot]));
  const missing = SNAPSHOT_NAMES.filter((name) => !byName.has(name));
  if (missing.length > 0 || samples.length === 0) {
    faults.push(`memory was not measured: ${missing.join(", ") || "between the snapshots"}`);
  }
  for (const { from, to, what, words, margin } of MARGINS) {
    const [fromMb, toMb] = [byName.get(from)?.[what] ?? 0, byName.get(to)?.[what] ?? 0];
    if (toMb > fromMb * (1 + margin.share) + margin.mb) {
      faults.push(`${words} grew from ${fromMb.toFixed(0)} MB (${from}) to ${toMb.toFixed(0)} MB (${to})`);
    }
  }
  const largestMb = Math.max(0, ...[...samples, ...snapshots].map(({ rssMb }) => rssMb));
  if (largestMb > MOST_RSS_MB) faults.push(`the process had ${largestMb.toFixed(0)} MB, above ${MOST_RSS_MB} MB`);
  return faults;
}
