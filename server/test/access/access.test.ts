import { migrate } from "../../src/db/index.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { checkAccess } from "./check-access.ts";
import { EXTENSION_SCHEMAS } from "./extension-access.ts";

checkAccess("access on a server of our own", { open: openWithExtensions });

async function openWithExtensions(cleanup: Cleanup): Promise<TestDatabase> {
  const database = await createTestDatabase(cleanup);
  const { adminUrl, masterKey } = database;
  const settings = { agentLimitPerUser: 100 };
  await migrate({ adminUrl, masterKey, settings, observer: silentObserver, extensions: EXTENSION_SCHEMAS });
  return database;
}
