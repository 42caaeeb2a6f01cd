import assert from "node:assert/strict";
import { test } from "node:test";
import { EXTENSION, startOperatorService } from "./support/operator-service.ts";

const TABLES = "/operator/v1/tables/public";
const WORDS = "CONTENT-CANARY";

for (const readsContent of [false, true])
  test(`operators read ${readsContent ? "texts of conversations, on record" : "no texts of conversations"}`, async (t) => {
    // The service ends before its database.
    const closers: (() => Promise<unknown>)[] = [];
    t.after(async () => {
      for (const close of closers) await close();
    });
    const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
    const service = await startOperatorService(cleanup, {
      OPERATOR_READS_CONTENT: String(readsContent),
      EXTENSIONS: `${EXTENSION},schedules`,
    });
    const { token } = await service.createOperator("ada");
    const bob = await service.signUp("bob");
    await service.database.owner.query(`
      with swarm as (insert into public.swarms (owner_id, name) values ('${bob.id}', '${WORDS}') returning id),
      planned as (insert into public.schedules (user_id, name, swarm_id, message, cron)
        select '${bob.id}', '${WORDS}', id, '${WORDS}', '0 0 1 1 *' from swarm),
      asked as (insert into public.messages (swarm_id, sender_type, sender_user_id, content)
        select id, 'user', '${bob.id}', '${WORDS}' from swarm)
      insert into public.runs (swarm_id, user_id, strategy, request)
      select id, '${bob.id}', 'round_robin', '{"instructions": "${WORDS}"}' from swarm`);
    for (const [table, column] of [
      ["messages", "content"],
      ["swarms", "name"],
      ["schedules", "name"],
      ["runs", "request"],
    ]) {
      for (const form of ["rows", "csv"]) {
        const { status, text } = await service.call(token, "GET", `${TABLES}/${table}/${form}`);
        assert.equal(status, 200, text);
        assert.equal(text.includes(WORDS), readsContent, `${table} as ${form}`);
      }
      const described = await service.call(token, "GET", `${TABLES}/${table}`);
      assert.equal(described.body.withheld.includes(column), !readsContent);
    }
    const sorted = await service.call(token, "GET", `${TABLES}/messages/rows?order=content`);
    assert.equal(sorted.status, readsContent ? 200 : 400, "an order tells what a column has");
    const { body } = await service.call(token, "GET", "/operator/v1/audit?action=tables.read");
    const noted = body.entries.filter(({ details }: { details: object }) => "content" in details);
    assert.equal(noted.length > 0, readsContent, JSON.stringify(body));
  });
