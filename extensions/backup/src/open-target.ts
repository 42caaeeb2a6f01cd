import { resolve } from "node:path";
import { UsageError } from "swarmbase/extension";
import { type Archive, openArchive } from "./archive/archive.ts";
import type { BackupSettings } from "./settings.ts";
import { openFolderStore } from "./store/folder-store.ts";
import type { ObjectStore } from "./store/object-store.ts";
import { openS3Store } from "./store/s3-store.ts";

/** The purpose of the key that encrypts archives. */
export const KEY_PURPOSE = "archive";

interface StoreOptions {
  readonly settings: BackupSettings;
  readonly fetch: typeof globalThis.fetch;
  now(): Date;
}

/** The store of the settings; null when there is none. */
export function findStore({ settings, fetch, now }: StoreOptions): ObjectStore | null {
  const {
    BACKUP_DIR: folder,
    BACKUP_S3_URL: url,
    BACKUP_S3_REGION: region,
    BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  if (folder !== null) return openFolderStore(folder);
  if (url === null || accessKeyId === null || secretAccessKey === null) return null;
  return openS3Store({ url, credentials: { region, accessKeyId, secretAccessKey }, fetch, now });
}

interface CommandTarget {
  readonly settings: BackupSettings;
  readonly copies: { deriveKey(purpose: string): Promise<Buffer> };
  openFetch(options: { readonly url: string; readonly ca: readonly string[] }): {
    readonly fetch: typeof globalThis.fetch;
    close(): Promise<void>;
  };
  now(): Date;
}

/** Runs the work of a command with the archive in the named folder, or in the target of the settings. */
export async function withArchive<T>(
  { settings, copies, openFetch, now }: CommandTarget,
  folder: string | undefined,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const open = async (store: ObjectStore): Promise<T> => work(openArchive(store, await copies.deriveKey(KEY_PURPOSE)));
  if (folder !== undefined) return open(openFolderStore(resolve(folder)));
  const guarded = openFetch({ url: settings.BACKUP_S3_URL ?? "http://localhost", ca: [] });
  try {
    const store = findStore({ settings, fetch: guarded.fetch, now });
    if (store === null) throw new UsageError("Name the folder of the archive, or set BACKUP_DIR or BACKUP_S3_URL.");
    return await open(store);
  } finally {
    await guarded.close();
  }
}
