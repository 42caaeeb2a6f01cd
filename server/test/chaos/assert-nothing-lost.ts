import type { TestContext } from "node:test";
import { runKillRounds, type Victim } from "./kill-rounds.ts";
import { reconcile } from "./reconcile.ts";

export async function assertNothingLost(t: TestContext, victims: readonly Victim[]): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  // The last one first: what a service keeps in a folder can go when the service is gone.
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const result = await runKillRounds({ after: (close) => void closers.push(close) }, victims);
  const { events, deliveries, requests } = await reconcile(result);
  t.diagnostic(`${victims.length} kills, ${result.answered.size} answered writes, ${events} events`);
  t.diagnostic(`${deliveries} deliveries in ${requests} requests, ${requests - deliveries} of them repeated`);
}
