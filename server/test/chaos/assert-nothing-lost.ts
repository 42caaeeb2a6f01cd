import type { TestContext } from "node:test";
import { runKillRounds, type Victim } from "./kill-rounds.ts";
import { reconcile } from "./reconcile.ts";

export async function assertNothingLost(t: TestContext, victims: readonly Victim[]): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  // In reverse order, so that a data folder is deleted after its service has stopped.
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const result = await runKillRounds({ after: (close) => void closers.push(close) }, victims);
  const { events, deliveries, requests } = await reconcile(result);
  t.diagnostic(`${victims.length} kills, ${result.answered.size} answered writes, ${events} events`);
  t.diagnostic(`${deliveries} deliveries in ${requests} requests, ${requests - deliveries} of them repeated`);
}
