import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RunningService, startService } from "../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { fillDataDir } from "../../../server/test/support/used-data-dir.ts";
import { readTablesFile } from "../src/tables/read-tables-file.ts";
import { EXAMPLE_ENVIRONMENT, recordExchanges } from "./support/record-exchanges.ts";

describe("a running service, against the reference", () => {
  const closers: (() => Promise<void>)[] = [];
  let dataDir: string;
  let service: RunningService;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    dataDir = await createTemporaryFolder(cleanup, "swarmbase-tables-");
    await fillDataDir(dataDir);
    service = await startService(cleanup, {
      dataDir,
      env: { ...EXAMPLE_ENVIRONMENT, AUTH_MAIL_INTERVAL_SECONDS: "0" },
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
