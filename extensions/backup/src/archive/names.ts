/*
 * The objects of an archive:
 *
 *   chains/<chain>/chain.json                        the server and the timeline, written first
 *   chains/<chain>/status.json                       until when the WAL is complete, replaced from time to time
 *   chains/<chain>/wal/<start>-<end>-<time>          the bytes of the WAL from one position to another
 *   chains/<chain>/base/<base>/part-<number>         the cluster, split into objects of bounded size
 *   chains/<chain>/base/<base>/base.json             written last: without it the base backup is incomplete
 *   chains/<chain>/figures/<position>.json           what the tables had at a position
 *   head.json                                        what is the newest, replaced after each new object of WAL
 *   verification.json                                the last verification, whatever its result
 *   verified.json                                    the last one that succeeded
 *
 * A chain is the WAL of one server without a gap. Positions have 16 hexadecimal digits, so that names sort as they do.
 */
const POSITION_DIGITS = 16;
const PART_DIGITS = 6;
export const CHAINS = "chains/";
export const HEAD = "head.json";
export const LAST_VERIFICATION = "verification.json";
export const LAST_VERIFIED = "verified.json";

export interface WalRange {
  readonly start: bigint;
  readonly end: bigint;
  /** A time of the server: together with the WAL before, every commit that was confirmed until then is included. */
  readonly completeAt: Date;
}

export interface ListedWal extends WalRange {
  readonly name: string;
}

/** The objects of one chain, from their names. */
export interface ListedChain {
  readonly id: string;
  readonly hasDescription: boolean;
  /** Sorted by start. */
  readonly wal: readonly ListedWal[];
  /** By id, oldest first. */
  readonly bases: readonly ListedBase[];
  /** Sorted. */
  readonly figures: readonly { readonly name: string; readonly lsn: bigint }[];
  readonly names: readonly string[];
}

interface ListedBase {
  readonly id: string;
  readonly isComplete: boolean;
  /** Its objects; the description, which makes it complete, first. */
  readonly names: readonly string[];
}

/** Sorts by time, and two processes never choose the same one. */
export function newId(now: Date, random: string): string {
  return `${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}-${random}`;
}

export function chainName(chain: string): string {
  return `${CHAINS}${chain}/chain.json`;
}

export function statusName(chain: string): string {
  return `${CHAINS}${chain}/status.json`;
}

export function walName(chain: string, { start, end, completeAt }: WalRange): string {
  return `${CHAINS}${chain}/wal/${renderPosition(start)}-${renderPosition(end)}-${completeAt.getTime()}`;
}

export function partName(chain: string, base: string, number: number): string {
  return `${CHAINS}${chain}/base/${base}/part-${String(number).padStart(PART_DIGITS, "0")}`;
}

export function baseName(chain: string, base: string): string {
  return `${CHAINS}${chain}/base/${base}/base.json`;
}

export function figuresName(chain: string, lsn: bigint): string {
  return `${CHAINS}${chain}/figures/${renderPosition(lsn)}.json`;
}

/** Groups the names of an archive by chain, oldest first. Names of other objects are ignored. */
export function groupNames(names: readonly string[]): readonly ListedChain[] {
  const chains = Map.groupBy(
    names.filter((name) => CHAIN.test(name)),
    (name) => CHAIN.exec(name)?.[1] ?? "",
  );
  return [...chains]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, own]) => ({
      id,
      hasDescription: own.includes(chainName(id)),
      wal: own.flatMap((name) => parseWalName(name) ?? []).sort((a, b) => (a.start < b.start ? -1 : 1)),
      bases: groupBases(own),
      figures: own
        .flatMap((name) => {
          const position = FIGURES.exec(name)?.[1];
          return position === undefined ? [] : [{ name, lsn: BigInt(`0x${position}`) }];
        })
        .sort((a, b) => (a.lsn < b.lsn ? -1 : 1)),
      names: own,
    }));
}

/** Whole names: others may write to a bucket, and a name with `..` would address an object outside of the archive. */
const CHAIN =
  /^chains\/(\d{8}T\d{6}Z-[0-9a-f]+)\/(?:chain\.json|status\.json|wal\/[\da-f-]+|base\/[^/.]+\/(?:base\.json|part-\d+)|figures\/[\da-f]+\.json)$/;
const WAL = /\/wal\/([0-9a-f]{16})-([0-9a-f]{16})-(\d{1,15})$/;
const BASE = /\/base\/(\d{8}T\d{6}Z-[0-9a-f]+)\/(base\.json|part-\d+)$/;
const FIGURES = /\/figures\/([0-9a-f]{16})\.json$/;

function parseWalName(name: string): ListedWal | null {
  const [, start = "", end = "", time = ""] = WAL.exec(name) ?? [];
  if (start === "") return null;
  return { name, start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), completeAt: new Date(Number(time)) };
}

function groupBases(names: readonly string[]): readonly ListedBase[] {
  const bases = Map.groupBy(
    names.filter((name) => BASE.test(name)),
    (name) => BASE.exec(name)?.[1] ?? "",
  );
  return [...bases]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, own]) => {
      const isComplete = own.some((name) => name.endsWith("/base.json"));
      return { id, isComplete, names: own.sort((one, other) => (one < other ? -1 : 1)) };
    });
}

function renderPosition(lsn: bigint): string {
  return lsn.toString(16).padStart(POSITION_DIGITS, "0");
}
