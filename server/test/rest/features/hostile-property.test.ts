import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Principal } from "../../../src/db/index.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { type HostileRequest, wildRequest } from "./hostile-requests.ts";
import { openHostileStage } from "./hostile-stage.ts";
import { nearRequest } from "./near-requests.ts";
import { ANON, SERVICE } from "./rest-stage.ts";

/** Concurrent requests over fewer connections, so that callers share connections. */
const AT_ONCE = 16;
const RUNS = propertyRuns(20);

describe("hostile requests", () => {
  const world = openHostileStage();

  const isRead = ({ line }: HostileRequest) => /^(?:GET|HEAD|OPTIONS) /.test(line);

  /** Returns the share of requests that reached the database. */
  const throwAll = async (requests: fc.Arbitrary<HostileRequest>): Promise<number> => {
    let [reached, all] = [0, 0];
    const throwOne = async (sent: HostileRequest, as: Principal) => {
      const answer = await world.ask(sent.line, { ...sent, as });
      world.assertHarmless(answer, { seesAll: as === SERVICE });
      all += 1;
      if (!/"code":"PGRST/.test(answer.text)) reached += 1;
    };
    const checkBob = async () => {
      const { text } = await world.ask("GET /agents?select=user_id", { as: world.bob });
      assert.equal(text, `[{"user_id":"${world.bob.userId}"}]`);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (many) => {
        // The service role may change anything, so it only reads.
        const callers = (sent: HostileRequest, at: number): Principal =>
          at % 5 === 4 ? ANON : at % 5 === 3 && isRead(sent) ? SERVICE : world.ada;
        await Promise.all([...many.map((sent, at) => throwOne(sent, callers(sent, at))), checkBob()]);
      }),
      { numRuns: RUNS },
    );
    await world.assertUntouched();
    return reached / all;
  };

  it("of any form get a response in time, without a server error or data of other users", async () => {
    await throwAll(wildRequest);
  });

  it("that are well-formed with hostile values get a response in time", async () => {
    const share = await throwAll(nearRequest);
    assert.ok(share > 0.5, `only ${share} of them got to the database`);
  });
});
