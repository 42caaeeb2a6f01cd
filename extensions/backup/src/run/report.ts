import type { Verifications } from "../archive/archive.ts";

/** What an archiver tells about its work. */
export interface Report {
  /** Something that an operator may want to know. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something that needs attention if it lasts. */
  fail(message: string, error: unknown): void;
  /** The archive includes every commit until this time of the server. */
  archived(until: Date): void;
  /** A base backup was completed at this time. */
  based(at: Date): void;
  /** The bytes of WAL that the server keeps for the archive. */
  kept(bytes: number): void;
  /** The verifications that the archive records. */
  verified(verifications: Verifications): void;
}
