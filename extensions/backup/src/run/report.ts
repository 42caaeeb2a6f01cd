import type { Verifications } from "../archive/archive.ts";

export interface CompletedBases {
  readonly oldest: Date;
  readonly newest: Date;
}

/** What an archiver tells about its work. */
export interface Report {
  /** Something that an operator may want to know. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something that needs attention if it lasts. */
  fail(message: string, error: unknown): void;
  /** The archive includes every commit until this time of the server. */
  archived(until: Date): void;
  /** When the base backups of the chain that is written were completed. Without a gap, it can be restored to any time from the oldest on. */
  based(completed: CompletedBases): void;
  /** The bytes of WAL that the server keeps for the archive. */
  kept(bytes: number): void;
  /** The verifications that the archive records. */
  verified(verifications: Verifications): void;
}
