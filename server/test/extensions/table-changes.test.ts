import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { RawClient } from "../realtime/support/raw-client.ts";
import { type ExtendedService, type Parsed, startExtendedService, type User } from "../support/extended-service.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
before(async () => {
  service = await startExtendedService(cleanup, { EXTENSIONS: "schedules", PROVIDER_A_KIND: "simulated" });
});
after(async () => {
  for (const close of closers) await close();
});

/** A socket with all changes of the table that reach the user. */
async function follow(user: User): Promise<RawClient> {
  const { anon_key: apikey, ca_cert_file: authority } = service.service.credentials;
  const client = await RawClient.open(cleanup, service.url, { apikey, ca: readFileSync(authority ?? "", "utf8") });
  const since = client.frames.length;
  const postgres_changes = [{ event: "*", schema: "public", table: "schedules" }];
  assert.equal((await client.join("realtime:schedules", { postgres_changes }, user.token))["status"], "ok");
  await client.nextEvent("system", since);
  return client;
}

const changesOf = ({ frames }: RawClient): readonly Parsed[] =>
  frames.flatMap(([, , , event, payload]) => (event === "postgres_changes" ? [payload["data"]] : []));

test("realtime shows the times and the outcomes of a schedule to its owner only", async () => {
  const [ada, bob] = [await service.signUp("ada"), await service.signUp("bob")];
  const schedule = async (user: User): Promise<string> => {
    const { id: agent_id } = await user.insert("agents", { name: "Ann" });
    const row = { name: "Yearly", agent_id, message: "Hello.", cron: "0 0 1 1 *" };
    return (await user.insert("schedules", row)).id;
  };
  const [adas, bobs] = [await follow(ada), await follow(bob)];
  const id = await schedule(ada);
  await adas.until(() => changesOf(adas).some(({ record }) => record?.id === id && record.next_run_at !== null));
  await ada.send("POST", "/functions/v1/schedules", { action: "run_now", schedule_id: id });
  const outcomeOf = ({ record }: Parsed): unknown => record?.last_outcomes?.[0]?.outcome;
  await adas.until(() => changesOf(adas).some((change) => outcomeOf(change) === "completed"));
  await ada.send("DELETE", `/rest/v1/schedules?id=eq.${id}`);
  await adas.until(() => changesOf(adas).some(({ type, old_record }) => type === "DELETE" && old_record.id === id));
  // The feed keeps the order of the commits, so what came before this row has arrived.
  const later = await schedule(bob);
  await bobs.until(() => changesOf(bobs).some(({ record }) => record?.id === later && record.next_run_at !== null));
  const seen = changesOf(bobs).map(({ record, old_record }) => record?.id ?? old_record?.id);
  assert.deepEqual([...new Set(seen)], [later]);
  const adasOfBob = changesOf(adas).filter(({ record }) => record?.id === later);
  assert.deepEqual(adasOfBob, []);
});
