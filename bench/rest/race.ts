import type { HistoryColumn } from "../report/history-columns.ts";
import type { Figures } from "./measure.ts";
import type { Operation } from "./operations.ts";

/** By operation and by server. */
export type Results = ReadonlyMap<Operation, ReadonlyMap<string, Figures>>;

/** Servers that speak over the same transport. */
export interface Race {
  /** Begins the names of its tables. */
  readonly id: string;
  readonly over: string;
  readonly subject: string;
  /** The minimal server, which bounds what a server in Node.js can reach. */
  readonly bound: string;
  readonly rivals: readonly Rival[];
}

interface Rival {
  readonly name: string;
  /** How many times as fast the service should be; null: a share of what the minimal server reaches in the same run. */
  readonly goal: number | null;
  readonly history?: Partial<Record<Operation, HistoryColumn>>;
}
