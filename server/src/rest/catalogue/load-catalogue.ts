import pg from "pg";
import { translateUnavailable } from "../../db/index.ts";
import { buildCatalogue } from "./build-catalogue.ts";
import type { Catalogue } from "./catalogue.ts";
import {
  type CatalogueRows,
  type LockableDetails,
  selectCatalogue,
  selectLockableDetails,
} from "./sql/select-catalogue.ts";
import { selectFingerprint } from "./sql/select-fingerprint.ts";

const LOCK_NOT_AVAILABLE = "55P03";

// Without a search path names are qualified. JIT compilation costs more than these statements.
const BEGIN = `begin isolation level repeatable read read only;
set local search_path = '';
set local jit = off;
set local statement_timeout = '60s'`;
const BEGIN_DETAILS = `${BEGIN};
set local lock_timeout = '200ms'`;

/** Reads everything in one snapshot. A multi-statement query cannot have parameters, so names are quoted. */
export async function loadCatalogue(pool: pg.Pool, schemas: readonly string[]): Promise<Catalogue> {
  const exposed = `array[${schemas.map((name) => pg.escapeLiteral(name)).join(", ")}]::text[]`;
  const statements = selectCatalogue(exposed);
  return withClient(pool, async (client) => {
    const found = await readTogether(client, BEGIN, Object.values(statements));
    const rows = Object.fromEntries(Object.keys(statements).map((name, place) => [name, found[place]]));
    const details = await readDetails(client, exposed);
    return buildCatalogue({ ...(rows as unknown as Omit<CatalogueRows, "details">), details }, schemas);
  });
}

/** The version of the current catalogue; far cheaper than reading it. */
export async function loadFingerprint(pool: pg.Pool): Promise<string> {
  return withClient(pool, async (client) => {
    const [found] = await readTogether(client, BEGIN, [selectFingerprint()]);
    return String(found);
  });
}

async function readDetails(client: pg.PoolClient, exposed: string): Promise<LockableDetails | null> {
  try {
    const [found] = await readTogether(client, BEGIN_DETAILS, [selectLockableDetails(exposed)]);
    return found as LockableDetails;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query("rollback");
    return null;
  }
}

/** Each statement gives one row with one column, `found`. */
async function readTogether(client: pg.PoolClient, begin: string, statements: readonly string[]): Promise<unknown[]> {
  const answer: unknown = await client.query([begin, ...statements, "commit"].join(";\n"));
  const results = answer as readonly pg.QueryResult<{ readonly found: unknown }>[];
  return results.filter(({ command }) => command === "SELECT").map(({ rows }) => rows[0]?.found);
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateUnavailable(error);
  });
  let isBroken = true;
  try {
    const result = await work(client);
    isBroken = false;
    return result;
  } catch (error) {
    throw translateUnavailable(error);
  } finally {
    // After an error the state of the transaction is unknown; such errors are rare.
    client.release(isBroken);
  }
}
