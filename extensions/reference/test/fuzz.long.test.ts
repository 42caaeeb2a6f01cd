import { after, before, describe, it } from "node:test";
import { type RunningService, startService } from "../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { DescribedService } from "./support/described-service.ts";
import { fuzzOperations } from "./support/fuzz-operations.ts";
import { EXAMPLE_ENVIRONMENT } from "./support/record-exchanges.ts";

/** Calls of each of some 140 operations: a minute on an idle machine, as many as fit into the limit of a test on one that is ten times slower. */
const RUNS = 40;

describe("a running service, against the reference, for longer", () => {
  const closers: (() => Promise<void>)[] = [];
  let service: RunningService;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-fuzz-");
    service = await startService(cleanup, {
      dataDir,
      env: {
        ...EXAMPLE_ENVIRONMENT,
        AUTH_MAIL_INTERVAL_SECONDS: "0",
      },
    });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("answers generated requests of every operation as documented, and never with an error of the server", async () => {
    await fuzzOperations(await DescribedService.open(service.credentials), { runs: RUNS });
  });
});
