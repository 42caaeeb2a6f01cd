import { openDatabase } from "../../server/src/db/index.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { readDatabase } from "./read-database.ts";
import { renderDatabaseTypes } from "./render-database-types.ts";
import { renderEventTypes } from "./render-event-types.ts";

export interface MigratedDatabase {
  readonly url: string;
  readonly masterKey: string;
}

/** Folders that hold nothing but what is written here. */
export const GENERATED_FOLDERS: readonly string[] = ["sdk/src/database", "sdk/src/event-types"];

/** Every file of the sdk that a program writes, by path from the root of the repository. */
export async function renderSdkFiles({ url, masterKey }: MigratedDatabase): Promise<Map<string, string>> {
  const database = openDatabase({ url, masterKey, poolSize: 1, observer: silentObserver });
  try {
    return new Map([...renderDatabaseTypes(await readDatabase(database.service)), ...renderEventTypes()]);
  } finally {
    await database.close();
  }
}
