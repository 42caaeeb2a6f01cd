import { type OpenApiDocument, renderOpenApi } from "@swarmbase/reference";
import { openDatabase } from "../../server/src/db/index.ts";
import { describeInterface } from "../../server/src/extensions/index.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { readDatabase } from "./read-database.ts";
import { renderDatabaseTypes } from "./render-database-types.ts";
import { renderEventTypes } from "./render-event-types.ts";
import { renderFunctionTypes } from "./render-function-types.ts";
import { renderServiceNames } from "./render-service-names.ts";

export interface MigratedDatabase {
  readonly url: string;
  readonly masterKey: string;
}

/** Folders that contain only generated files. */
export const GENERATED_FOLDERS: readonly string[] = [
  "clients/sdk/src/database",
  "clients/sdk/src/event-types",
  "clients/sdk/src/function-types",
  "extensions/database-tools/src/types/service",
];

/** All generated files of the sdk, by path relative to the root of the repository. */
export async function renderSdkFiles({ url, masterKey }: MigratedDatabase): Promise<Map<string, string>> {
  const database = openDatabase({ url, masterKey, poolSize: 1, observer: silentObserver });
  try {
    const description = await readDatabase(database.service);
    return new Map([
      ...renderDatabaseTypes(description),
      ...renderServiceNames(description),
      ...renderEventTypes(),
      ...renderFunctionTypes(await describeFunctions()),
    ]);
  } finally {
    await database.close();
  }
}

/** The OpenAPI document: the bodies are those that the service checks, and a test compares its responses with it. */
async function describeFunctions(): Promise<OpenApiDocument> {
  return JSON.parse(renderOpenApi(await describeInterface())) as OpenApiDocument;
}
