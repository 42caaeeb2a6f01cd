import { after, before } from "node:test";
import pg from "pg";
import type { Catalogue } from "../../src/rest/catalogue/catalogue.ts";
import { loadCatalogue } from "../../src/rest/catalogue/load-catalogue.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** A migrated database with further objects in it, and a pool as the service's own login. */
export class CatalogueStage {
  readonly database: TestDatabase;
  readonly pool: pg.Pool;

  constructor(database: TestDatabase) {
    this.database = database;
    this.pool = new pg.Pool({ connectionString: database.url("sb_service"), max: 4 });
    this.pool.on("error", () => {});
  }

  run(statements: string): Promise<unknown> {
    return this.database.owner.query(statements);
  }

  load(...schemas: string[]): Promise<Catalogue> {
    return loadCatalogue(this.pool, schemas);
  }
}

/** Opened before the tests of the file, with the given objects, and gone after them. */
export function openCatalogueStage(statements = ""): { readonly stage: CatalogueStage } {
  const closers: (() => Promise<void>)[] = [];
  let stage: CatalogueStage | null = null;
  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    stage = new CatalogueStage(database);
    const { pool } = stage;
    closers.unshift(() => pool.end());
    if (statements !== "") await stage.run(statements);
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return {
    get stage(): CatalogueStage {
      if (stage === null) throw new Error("the stage is not open yet");
      return stage;
    },
  };
}
