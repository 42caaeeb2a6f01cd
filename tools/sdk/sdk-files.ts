import { openDatabase } from "../../server/src/db/index.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { readDatabase } from "./read-database.ts";
import { renderDatabaseTypes } from "./render-database-types.ts";
import { renderEventTypes } from "./render-event-types.ts";

export interface MigratedDatabase {
  readonly url: string;
  readonly masterKey: string;
}

/** Folders that contain only generated files. */
export const GENERATED_FOLDERS: readonly string[] = ["sdk/src/database", "sdk/src/event-types"];

/** All generated files of the sdk, by path relative to the root of the repository. */
export async function renderSdkFiles({ url, masterKey }: MigratedDatabase): Promise<Map<string, string>> {
  const database = openDatabase({ url, masterKey, poolSize: 1, observer: silentObserver });
  try {
    return new Map([...renderDatabaseTypes(await readDatabase(database.service)), ...renderEventTypes()]);
  } finally {
    await database.close();
  }
}
