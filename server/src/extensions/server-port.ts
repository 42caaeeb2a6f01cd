import type { Client } from "pg";
import type { RecoveryTarget } from "../db/index.ts";

/** The database server as a whole, for packages that copy it. */
export interface ExtensionServer {
  /** Logs in with the attribute REPLICATION, which sees every row of every table, and not through a pooler. */
  readonly replicationUrl: string;
  /** Logs in as the administrator of the schema, who may read every row. */
  readonly adminUrl: string;
  /** False means that the server is that of `DATABASE_URL`. */
  readonly isEmbedded: boolean;
  /**
   * The same with connection strings that name one server: the one that accepts writes now, if `DATABASE_URL` names several. For the
   * parts of work that have to be at one server, and for drivers that know no lists.
   */
  locate(): Promise<ExtensionServer>;
  /**
   * The whole cluster as one tar archive without WAL, while it is in use. `onPosition` gets the position of the WAL at which the
   * copy begins, and at the end the one at which it is consistent.
   */
  readBaseBackup(options: { readonly signal: AbortSignal; onPosition(lsn: string): void }): AsyncIterable<Buffer>;
  /** The files of the data directory that belong to a backup and are not the master key, by path. */
  readKeptFiles(): Promise<Readonly<Record<string, Buffer>>>;
  /** Removes what `tryOut` in this folder, null for the default, has left behind in processes that were killed. */
  removeAbandonedCopies(folder: string | null): Promise<void>;
  /** 32 bytes that depend on the master key, the extension and the purpose, and reveal nothing about other keys. */
  deriveKey(purpose: string): Buffer;
}

/** A copy of the database server, as files. */
export interface ServerCopy {
  /** The time of the copy, for the operator. */
  readonly createdAt: string;
  readonly postgresMajor: number;
  /** The tar archive that BASE_BACKUP sends without WAL. */
  cluster(): AsyncIterable<Buffer>;
  /** The files of `pg_wal` that the recovery replays. */
  wal(): AsyncIterable<{ readonly name: string; readonly content: AsyncIterable<Buffer> }>;
  /** As `readKeptFiles` returned them. */
  readonly keptFiles: Readonly<Record<string, Buffer>>;
  /** Null means everything in the WAL. */
  readonly until: RecoveryTarget | null;
}

/** What commands do with copies of the server. */
export interface ServerCopies {
  /** The same as `deriveKey` of the server, also without one: the key of `MASTER_KEY` or of the data directory. */
  deriveKey(purpose: string): Promise<Buffer>;
  /** The server of the settings. Throws when there is none yet; starts none. */
  findServer(): Promise<ExtensionServer>;
  /**
   * Makes a data directory with an embedded database of the copy: recovers it, checks it as a start does, marks it as held and
   * moves it into place. Prints what was restored, and where. A null target is the data directory of the settings.
   */
  install(
    copy: ServerCopy,
    options: { readonly title: string; readonly target: string | null; readonly replaces: boolean },
  ): Promise<void>;
  /**
   * Recovers the copy in a temporary folder, checks it as a start does, and removes it after the work. A superuser connects to
   * the named database.
   */
  tryOut<T>(
    copy: ServerCopy,
    options: { readonly folder: string | null; readonly database: string },
    work: (client: Client) => Promise<T>,
  ): Promise<T>;
  /** Writes the files for a PostgreSQL of the operator, which recovers them at its first start. The folder must be new or empty. */
  writeFiles(copy: ServerCopy, folder: string): Promise<void>;
}
