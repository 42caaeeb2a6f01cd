import { isRecord } from "swarmbase/extension";
import { pack, packWhole, unpack, unpackWhole } from "../sealed/pack.ts";
import type { ObjectStore, PutOptions } from "../store/object-store.ts";
import {
  baseName,
  CHAINS,
  chainName,
  figuresName,
  groupNames,
  HEAD,
  LAST_VERIFICATION,
  LAST_VERIFIED,
  type ListedChain,
  type ListedWal,
  partName,
  statusName,
  type WalRange,
  walName,
} from "./names.ts";

/** The server whose WAL a chain has. */
export interface ChainDescription {
  readonly systemId: string;
  readonly timeline: number;
  readonly segmentBytes: number;
  readonly postgresMajor: number;
  /** Where its WAL begins: the start of a file of `pg_wal`. */
  readonly startLsn: string;
  readonly createdAt: string;
}

interface ChainStatus {
  /** The WAL is stored up to this position, and includes every commit that was confirmed until this time of the server. */
  readonly lsn: string;
  readonly at: string;
}

/** What was the newest in the archive at a time of the server. */
interface Head {
  readonly chain: string;
  /** The newest complete base backup of the chain; null means that it has none yet. */
  readonly base: string | null;
  /** Where the WAL of the chain ends. */
  readonly lsn: string;
  readonly at: string;
}

export interface BaseDescription {
  /** The WAL from the first position to the second makes the copy consistent. */
  readonly startLsn: string;
  readonly stopLsn: string;
  readonly startedAt: string;
  /** By the clock of the server, as `startedAt`: from then on the copy can be recovered to any time. */
  readonly stoppedAt: string;
  readonly parts: number;
  readonly clusterBytes: number;
  readonly isEmbedded: boolean;
  /** The database of the service. */
  readonly database: string;
  readonly version: string;
  /** Base64 by path. */
  readonly keptFiles: Readonly<Record<string, string>>;
}

/** What the tables had at a position. */
export interface Figures {
  readonly lsn: string;
  readonly takenAt: string;
  readonly database: string;
  /** By schema and name. */
  readonly tables: Readonly<Record<string, TableFigures>>;
}

export interface TableFigures {
  readonly rows: string;
  /** A sum over the rows, which does not depend on their order. */
  readonly checksum: string;
}

/** The outcome of recovering a copy and comparing it. */
export interface Verification {
  /** When it began, by the clock of the process that verified. */
  readonly at: string;
  readonly seconds: number;
  /** Null means that no base backup could be chosen, and so on. */
  readonly chain: string | null;
  readonly base: string | null;
  /** The copy was recovered to this position. */
  readonly lsn: string | null;
  /** Null means that nothing was damaged, missing or different. */
  readonly fault: string | null;
}

export interface Verifications {
  readonly last: Verification | null;
  readonly lastVerified: Verification | null;
}

/** The typed objects of a store, encrypted with one key. */
export interface Archive {
  readonly location: string;
  list(signal: AbortSignal): Promise<readonly ListedChain[]>;
  putChain(chain: string, description: ChainDescription, signal: AbortSignal): Promise<void>;
  getChain(chain: string, signal: AbortSignal): Promise<ChainDescription>;
  putStatus(chain: string, status: ChainStatus, signal: AbortSignal): Promise<void>;
  findStatus(chain: string, signal: AbortSignal): Promise<ChainStatus | null>;
  /** Sealed like every object: nobody without the key can write one that fits an archive without its newest objects. */
  putHead(head: Head, signal: AbortSignal): Promise<void>;
  findHead(signal: AbortSignal): Promise<Head | null>;
  putWal(chain: string, range: WalRange, content: Buffer, signal: AbortSignal): Promise<void>;
  getWal(wal: ListedWal, signal: AbortSignal): Promise<Buffer>;
  /** Compresses and encrypts a cluster, for `putPart`. */
  packCluster(chain: string, base: string, cluster: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
  /** A part of the packed cluster, as it is. */
  putPart(chain: string, base: string, number: number, content: Buffer, signal: AbortSignal): Promise<void>;
  readCluster(chain: string, base: string, parts: number, signal: AbortSignal): AsyncIterable<Buffer>;
  putBase(chain: string, base: string, description: BaseDescription, signal: AbortSignal): Promise<void>;
  getBase(chain: string, base: string, signal: AbortSignal): Promise<BaseDescription>;
  putFigures(chain: string, lsn: bigint, figures: Figures, signal: AbortSignal): Promise<void>;
  getFigures(name: string, signal: AbortSignal): Promise<Figures>;
  /** Two objects, each replaced as a whole: processes that verify at the same time do not lose a success of each other. */
  putVerification(verification: Verification, signal: AbortSignal): Promise<void>;
  findVerifications(signal: AbortSignal): Promise<Verifications>;
  remove(name: string, signal: AbortSignal): Promise<void>;
}

/** The object is missing although its name or another object says that it exists. */
class MissingError extends Error {
  override readonly name = "MissingError";
}

/** The name under which the parts of a base backup are sealed as one stream. */
function clusterStream(chain: string, base: string): string {
  return `${CHAINS}${chain}/base/${base}/cluster`;
}

export function openArchive(store: ObjectStore, key: Buffer): Archive {
  const put = async (name: string, content: Buffer, options: PutOptions): Promise<void> =>
    store.put(name, await packWhole(key, name, content), options);
  const getRaw = async (name: string, signal: AbortSignal): Promise<Buffer> => {
    const content = await store.get(name, signal);
    if (content === null) throw new MissingError(`${store.location}: ${name} is missing`);
    return content;
  };
  const get = async (name: string, signal: AbortSignal): Promise<Buffer> =>
    unpackWhole(key, name, await getRaw(name, signal));
  const putJson = (name: string, value: object, options: PutOptions): Promise<void> =>
    put(name, Buffer.from(JSON.stringify(value)), options);
  // Sealed with the key of the operator, so the members are those that this program wrote.
  const getJson = async <T>(name: string, signal: AbortSignal): Promise<T> => {
    const value: unknown = JSON.parse((await get(name, signal)).toString());
    if (!isRecord(value)) throw new Error(`${store.location}: ${name} is not a description`);
    return value as T;
  };
  const findJson = async <T>(name: string, signal: AbortSignal): Promise<T | null> =>
    getJson<T>(name, signal).catch((error: unknown) => {
      if (error instanceof MissingError) return null;
      throw error;
    });
  return {
    location: store.location,
    list: async (signal) => groupNames(await store.list(CHAINS, signal)),
    putChain: (chain, description, signal) => putJson(chainName(chain), description, { signal }),
    getChain: (chain, signal) => getJson(chainName(chain), signal),
    putStatus: (chain, status, signal) => putJson(statusName(chain), status, { signal, mayReplace: true }),
    findStatus: (chain, signal) => findJson(statusName(chain), signal),
    putHead: (head, signal) => putJson(HEAD, head, { signal, mayReplace: true }),
    findHead: (signal) => findJson(HEAD, signal),
    putWal: (chain, range, content, signal) => put(walName(chain, range), content, { signal }),
    async getWal({ name, start, end }, signal) {
      const content = await get(name, signal);
      if (BigInt(content.length) !== end - start) throw new Error(`${name} does not have the WAL that its name says`);
      return content;
    },
    packCluster: (chain, base, cluster) => pack(key, clusterStream(chain, base), cluster),
    // Only one process writes a base backup, so a repeated request replaces its own object.
    putPart: (chain, base, number, content, signal) =>
      store.put(partName(chain, base, number), content, { signal, mayReplace: true }),
    readCluster(chain, base, parts, signal) {
      const read = async function* (): AsyncGenerator<Buffer> {
        for (let number = 0; number < parts; number += 1) yield await getRaw(partName(chain, base, number), signal);
      };
      return unpack(key, clusterStream(chain, base), read());
    },
    putBase: (chain, base, description, signal) => putJson(baseName(chain, base), description, { signal }),
    getBase: (chain, base, signal) => getJson(baseName(chain, base), signal),
    putFigures: (chain, lsn, figures, signal) =>
      putJson(figuresName(chain, lsn), figures, { signal, mayReplace: true }),
    getFigures: (name, signal) => getJson(name, signal),
    async putVerification(verification, signal) {
      const names = verification.fault === null ? [LAST_VERIFIED, LAST_VERIFICATION] : [LAST_VERIFICATION];
      for (const name of names) await putJson(name, verification, { signal, mayReplace: true });
    },
    findVerifications: async (signal) => ({
      last: await findJson(LAST_VERIFICATION, signal),
      lastVerified: await findJson(LAST_VERIFIED, signal),
    }),
    remove: (name, signal) => store.remove(name, signal),
  };
}
