import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { readTablesFile } from "../src/tables/read-tables-file.ts";
import { EXAMPLE_ENVIRONMENT, recordExchanges } from "./support/record-exchanges.ts";

describe("a running service, against the reference", () => {
  const closers: (() => Promise<void>)[] = [];
  let dataDir: string;
  let service: ServiceHere;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    dataDir = await createTemporaryFolder(cleanup, "swarmbase-tables-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    service = await startServiceHere(cleanup, {
      dataDir,
      env: { DATABASE_URL, MASTER_KEY, ...EXAMPLE_ENVIRONMENT, AUTH_MAIL_INTERVAL_SECONDS: "0" },
    });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("answers the requests of the table reference as written there", async () => {
    const recorded = await recordExchanges(service.credentials, dataDir);
    const { exchanges } = readTablesFile();
    assert.equal(recorded.length, exchanges.length, "run: npm run generate -- reference");
    for (const [at, exchange] of recorded.entries()) assert.deepEqual(exchange, exchanges[at]);
  });
});
