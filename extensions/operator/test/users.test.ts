import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { selectUsers, type UserFilter } from "../src/sql/users.ts";
import { until } from "../../../server/test/support/until.ts";
import { type OperatorService, PASSWORD, type Person, startOperatorService } from "./support/operator-service.ts";

const USERS = "/operator/v1/users";
const closers: (() => Promise<void>)[] = [];
let service: OperatorService;
let ada: Person;

const asAda = (method: string, path: string, body?: unknown) => service.call(ada.token, method, path, body);

before(async () => {
  service = await startOperatorService({ after: (close) => void closers.unshift(close) });
  ada = await service.createOperator("ada");
});

after(async () => {
  for (const close of closers) await close();
});

test("lists users page by page, and finds one by a part of the address or by id", async () => {
  await service.database.owner.query(
    `insert into auth.users (email, created_at)
     select 'many' || n || '@example.org', '2020-01-01 00:00:00.123456'::timestamptz from generate_series(1, 120) n`,
  );
  const seen: string[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page = await asAda("GET", `${USERS}?search=MANY&after=${next}`);
    assert.equal(page.status, 200, page.text);
    seen.push(...page.body.users.map(({ id }: { id: string }) => id));
    next = page.body.next;
  }
  assert.deepEqual([seen.length, new Set(seen).size], [120, 120]);
  const byId = await asAda("GET", `${USERS}?search=${ada.id.toUpperCase()}`);
  assert.deepEqual([byId.body.users[0].email, byId.body.users[0].is_operator], [ada.email, true]);
  assert.equal((await asAda("GET", `${USERS}?state=operators`)).body.users.length, 1);
  const hostile = await asAda("GET", `${USERS}?search=${encodeURIComponent("'; drop table auth.users; --%_\\")}`);
  assert.deepEqual([hostile.status, hostile.body.users], [200, []]);
  const forged = [
    ["0", "0\u0000", ada.id],
    ["0", "9999-99-99 99:99:99+99", ada.id],
    ["0", "9".repeat(18), ada.id],
    ["0", "0", "x"],
    ["1); drop table auth.users", "0", ada.id],
    ["NaN", "0", ada.id],
    ["0", ada.id],
  ].map((cursor) => `after=${Buffer.from(JSON.stringify(cursor)).toString("base64url")}`);
  for (const query of ["state=x", "order=cost", "order=u.email", ...forged, "after=e30", `search=${"x".repeat(501)}`])
    assert.equal((await asAda("GET", `${USERS}?${query}`)).status, 400, query);
});

test("creates and invites users", async () => {
  const created = await asAda("POST", USERS, { email: "New@example.com", password: PASSWORD });
  assert.deepEqual([created.status, created.body.user.email], [201, "new@example.com"], created.text);
  const body = { email: "new@example.com", password: PASSWORD };
  assert.equal((await service.call("", "POST", "/auth/v1/token?grant_type=password", body)).status, 200);
  const invited = await asAda("POST", `${USERS}/invite`, { email: "guest@example.com" });
  assert.equal(invited.status, 201, invited.text);
  assert.notEqual(invited.body.user.invited_at, null);
  assert.equal((await asAda("POST", USERS, body)).status, 422);
  assert.equal((await asAda("POST", USERS, { ...body, role: "service_role" })).status, 400);
  assert.equal((await asAda("POST", USERS, { email: 1 })).status, 400);
  // The audit log names the account, and neither its address nor its password.
  const { rows } = await service.database.owner.query(
    "select details from ext_operator.audit where action = 'users.create' and outcome = 'done'",
  );
  assert.deepEqual(rows, [{ details: { user_id: created.body.user.id } }]);
});

const findEntry = async (action: string, id: string) =>
  (await asAda("GET", `/operator/v1/audit?action=${action}&subject_id=${id}`)).body.entries[0];

test("lists users in the order of what they have used, by day and month", async () => {
  const { owner } = service.database;
  const people = [await service.signUp("ida"), await service.signUp("jan"), await service.signUp("kim")];
  const [ida, jan, kim] = people.map(({ id }) => id);
  await owner.query("update public.profiles set full_name = 'Ida Used' where id = $1", [ida]);
  const isFirst = new Date().getUTCDate() === 1;
  await owner.query(
    `insert into public.usage_records (payer_id, run_id, framework, model, input_tokens, output_tokens, cost_usd, created_at)
     select payer::uuid, run::uuid, 'provider_a', 'm', tokens, 1, cost, at from (values
       ($1, gen_random_uuid(), 9, 0.5, now()), ($1, null, 9, 0.25, now()),
       ($2, gen_random_uuid(), 99, 7, date_trunc('month', now(), 'UTC')),
       ($3, gen_random_uuid(), 9999, 9999, date_trunc('month', now(), 'UTC') - interval '1 second')) v (payer, run, tokens, cost, at)`,
    [ida, jan, kim],
  );
  const list = async (order: string, more = "") => {
    const { status, body, text } = await asAda("GET", `${USERS}?order=${order}${more}`);
    assert.equal(status, 200, text);
    return body.users;
  };
  const [first, second] = await list("cost_month");
  assert.deepEqual([first.id, first.cost_month_usd, first.tokens_month, first.runs_month], [jan, "7", "100", "1"]);
  assert.deepEqual([second.id, second.cost_month_usd, second.name], [ida, "0.75", "Ida Used"]);
  const named = await list("tokens_today", "&search=IDA+used");
  assert.deepEqual([named.length, named[0].tokens_today, named[0].runs_today], [1, "20", "1"]);
  if (!isFirst) assert.equal((await list("cost_today"))[0].id, ida);
  const ofKim = (await list("created", `&search=${kim}`))[0];
  assert.deepEqual([ofKim.tokens_month, ofKim.cost_month_usd], ["0", "0"]);
  // Usage that is recorded later is in the next list.
  await owner.query(
    "insert into public.usage_records (payer_id, framework, model, input_tokens, cost_usd) values ($1, 'provider_a', 'm', 1, 8)",
    [kim],
  );
  assert.deepEqual([(await list("cost_month"))[0].id, (await list("runs_month"))[0].id !== kim], [kim, true]);

  // The requests of the operator, who has made the most.
  await until(async () => Number((await list("requests_month"))[0].requests_today) > 10);
  assert.equal((await list("requests_today"))[0].id, ada.id);
  const { limits } = (await asAda("GET", `${USERS}/${ida}`)).body;
  assert.deepEqual([limits.tokens_today, limits.tokens_month, limits.cost_month_usd], ["20", "20", "0.75"]);
  assert.ok(Number(limits.requests_month) >= 0);
});

test("usage of days that nobody has looked at is summed in a transaction for each day", async () => {
  const { owner } = service.database;
  await owner.query("begin");
  try {
    await owner.query(
      `delete from ext_operator.user_days;
       insert into public.usage_records (payer_id, framework, model, input_tokens, created_at)
       select '${ada.id}', 'provider_a', 'm', 1, d
       from generate_series(date_trunc('month', now(), 'UTC'), now(), '1 day') d`,
    );
    const sum = async (day: string | null) => {
      const { rows } = await owner.query(
        `select ext_operator.sum_usage($1)::text as next, date_trunc('month', now() at time zone 'UTC')::date::text as month,
           (now() at time zone 'UTC')::date::text as today`,
        [day],
      );
      return rows[0];
    };
    const summed: number[] = [];
    for (let day: string | null = null; ; ) {
      const { next, month, today } = await sum(day);
      const { rows } = await owner.query("select count(distinct day)::int from ext_operator.user_days");
      summed.push(rows[0].count);
      if (next === null) break;
      assert.ok(next > month && next <= today, next);
      day = next;
    }
    assert.deepEqual(
      summed,
      Array.from({ length: new Date().getUTCDate() }, (_, index) => index + 1),
    );
    // It continues with the last day that has sums, or yesterday shortly after midnight.
    const { next, today } = await sum(null);
    assert.ok(next === null || next === today, next);
  } finally {
    await owner.query("rollback");
  }
});

test("disables, enables and signs out a user", async () => {
  const bob = await service.signUp("bob");
  const reads = async (token: string) => (await service.call(token, "GET", "/rest/v1/profiles")).status;
  assert.equal(await reads(bob.token), 200);
  for (const body of [undefined, {}, { reason: "" }, { reason: "x".repeat(501) }, { reason: 1 }, { ban: "x" }])
    assert.equal((await asAda("POST", `${USERS}/${bob.id}/disable`, body)).status, 400, JSON.stringify(body));
  const disabled = await asAda("POST", `${USERS}/${bob.id}/disable`, { reason: "spam <b>" });
  assert.notEqual(disabled.body.user.banned_until, null, disabled.text);
  assert.equal(await reads(bob.token), 401);
  const entry = await findEntry("users.disable", bob.id);
  assert.deepEqual(entry.details, { reason: "spam <b>", changes: { state: ["active", "disabled"] } });
  assert.deepEqual([entry.email, entry.subject_email, entry.subject_id], [ada.email, bob.email, bob.id]);
  const grant = { email: bob.email, password: PASSWORD };
  const signIn = () => service.call("", "POST", "/auth/v1/token?grant_type=password", grant);
  assert.equal((await signIn()).status, 400);
  assert.equal((await asAda("POST", `${USERS}/${bob.id}/enable`)).body.user.banned_until, null);
  const { body } = await signIn();
  assert.equal(await reads(body.access_token), 200);
  const signedOut = await asAda("POST", `${USERS}/${bob.id}/sign-out`, { reason: "lost phone" });
  assert.equal((await findEntry("users.sign_out", bob.id)).details.reason, "lost phone");
  assert.deepEqual([signedOut.status, signedOut.body.sessions], [200, []]);
  assert.equal(await reads(body.access_token), 401);
  assert.equal((await asAda("POST", `${USERS}/not-an-id/disable`)).status, 400);
});

test("resets factors, so that a user who has lost a phone can sign in", async () => {
  const cy = await service.signUp("cy");
  await service.verifyFactor(cy);
  const described = await asAda("GET", `${USERS}/${cy.id}`);
  assert.equal(described.body.user.has_second_factor, true);
  assert.deepEqual(Object.keys(described.body.factors[0]).sort(), [
    "created_at",
    "factor_type",
    "friendly_name",
    "id",
    "status",
  ]);
  const reset = await asAda("POST", `${USERS}/${cy.id}/reset-factors`);
  assert.deepEqual([reset.status, reset.body.factors], [200, []], reset.text);
  assert.equal((await asAda("POST", `${USERS}/${cy.id}/reset-factors`)).status, 200);
});

test("an operator can be neither disabled nor reset by an operator, themselves included", async () => {
  const other = await service.createOperator("dora");
  for (const { id } of [ada, other])
    for (const action of ["disable", "reset-factors"])
      assert.equal((await asAda("POST", `${USERS}/${id}/${action}`, { reason: "x" })).status, 403, action);
  assert.equal((await service.call(other.token, "GET", USERS)).status, 200);
});

test("imposes limits that the user sees and cannot change", async () => {
  const { id, token } = await service.signUp("eve");
  const path = `${USERS}/${id}/limits`;
  const wanted = {
    imposed_daily_token_budget: "9007199254740993",
    imposed_daily_cost_budget_usd: 2.5,
    imposed_daily_runs: 0,
    reason: "not paid",
  };
  const changed = await asAda("PATCH", path, wanted);
  assert.equal(changed.status, 200, changed.text);
  const { limits } = changed.body;
  assert.deepEqual(
    [limits.imposed_daily_token_budget, limits.imposed_daily_cost_budget_usd, limits.imposed_daily_runs],
    ["9007199254740993", "2.5", "0"],
    changed.text,
  );
  await asAda("PATCH", path, { imposed_daily_cost_budget_usd: "2.50", imposed_daily_runs: 0, reason: "the same" });
  const [same, imposed] = (await asAda("GET", `/operator/v1/audit?action=users.limits&subject_id=${id}`)).body.entries;
  assert.deepEqual(same.details, { reason: "the same", changes: {} });
  const { reason, ...values } = wanted;
  const changes = Object.fromEntries(Object.entries(values).map(([name, to]) => [name, [null, String(to)]]));
  assert.deepEqual(imposed.details, { reason, changes });
  assert.deepEqual([limits.daily_token_budget, limits.tokens_today, limits.runs_today], [null, "0", "0"]);

  const own = "/rest/v1/user_settings?select=imposed_daily_runs,daily_token_budget";
  for (const body of [{ imposed_daily_runs: null }, { imposed_daily_cost_budget_usd: 100 }]) {
    const { status, body: rejected } = await service.call(
      token,
      "PATCH",
      `/rest/v1/user_settings?user_id=eq.${id}`,
      body,
    );
    assert.deepEqual([status, rejected.code], [400, "VALIDATION_ERROR"], JSON.stringify(rejected));
  }
  assert.deepEqual((await service.call(token, "GET", own)).body, [{ imposed_daily_runs: 0, daily_token_budget: null }]);
  const [agent] = (
    await service.call(token, "POST", "/rest/v1/agents", { name: "Max" }, { prefer: "return=representation" })
  ).body;
  const asked = { agent_id: agent.id, message: "hello" };
  const refused = await service.call(token, "POST", "/functions/v1/agent-respond", asked);
  assert.equal(refused.body.code, "BUDGET_EXCEEDED", refused.text);
  await asAda("PATCH", path, { imposed_daily_runs: null, reason: "paid" });
  assert.deepEqual((await findEntry("users.limits", id)).details.changes, { imposed_daily_runs: ["0", null] });
  const answered = await service.call(token, "POST", "/functions/v1/agent-respond", asked);
  assert.equal(answered.status, 200, answered.text);
  assert.equal((await asAda("GET", `${USERS}/${id}`)).body.limits.runs_today, "1");

  const invalid = [
    {},
    [],
    { imposed_daily_token_budget: -1 },
    { imposed_daily_cost_budget_usd: "1e3" },
    { user_id: id },
  ];
  for (const body of [...invalid, { daily_token_budget: 1 }, { imposed_daily_runs: 1.5 }])
    assert.equal(
      (await asAda("PATCH", path, Array.isArray(body) ? body : { ...body, reason: "x" })).status,
      400,
      JSON.stringify(body),
    );
  assert.equal((await asAda("PATCH", path, { imposed_daily_runs: 1 })).status, 400);
});

test("a test mail goes to the operator's own address", async () => {
  const { body } = await asAda("GET", "/operator/v1/mail");
  assert.equal(body.transport.via, "files");
  assert.deepEqual(Object.keys(body.outbox).sort(), ["failed", "oldest_pending_at", "pending", "retrying"]);
  assert.equal((await asAda("POST", "/operator/v1/mail/test", { to: "bob@example.com" })).status, 400);
  const sent = await asAda("POST", "/operator/v1/mail/test");
  assert.deepEqual([sent.status, sent.body.test.is_ok, sent.body.test.to], [200, true, ada.email], sent.text);
  const files = readdirSync(body.transport.folder).filter((name) => name.includes("-test-"));
  assert.equal(files.length, 1);
  assert.match(readFileSync(join(body.transport.folder, files[0] ?? ""), "utf8"), /^To: ada@example\.com$/m);
});

test("no response about a user has a credential", async () => {
  const { owner } = service.database;
  const { id } = await service.signUp("fay");
  const { rows } = await owner.query("select password_hash from auth.users where id = $1", [id]);
  const [one, list] = [await asAda("GET", `${USERS}/${id}`), await asAda("GET", USERS)];
  for (const { text } of [one, list]) {
    assert.ok(text.includes(id));
    assert.ok(!text.includes(rows[0].password_hash) && !/hash|refresh|wrapped|secret/i.test(text), text);
  }
});

test("the newest and the heaviest of 10,000 users are found without what only a page needs of the others", async () => {
  const { owner } = service.database;
  await owner.query(
    `insert into auth.users (id, email) select gen_random_uuid(), 'heavy' || n || '@example.net' from generate_series(1, 10000) n;
     insert into public.usage_records (payer_id, framework, model, input_tokens, created_at)
     select u.id, 'provider_a', 'm', 1, now() - interval '60 days' from auth.users u, generate_series(1, 2) where u.email like 'heavy%';
     insert into ext_operator.user_days (day, user_id, tokens, cost_usd)
     select d::date, u.id, 5, random() from auth.users u,
       generate_series(date_trunc('month', now() at time zone 'UTC'), now() at time zone 'UTC', '1 day') d where u.email like 'heavy%';
     analyze auth.users; analyze public.usage_records; analyze ext_operator.user_days`,
  );
  const explain = async (filter: Partial<UserFilter>): Promise<string> => {
    const plan: string[] = [];
    await selectUsers(
      async (text, values = []) => {
        const { rows } = await owner.query(`explain (analyze, costs off, timing off) ${text}`, [...values]);
        plan.push(...rows.map((row) => row["QUERY PLAN"]));
        return [];
      },
      { search: null, state: "all", order: "created", after: null, limit: 51, ...filter },
    );
    return plan.join("\n");
  };
  const after = { figure: "0", position: String(Date.now() * 1000), id: ada.id };
  const newest = [await explain({}), await explain({ after })];
  for (const text of newest) {
    assert.match(text, /using users_created_at_idx on users u/, text);
    assert.doesNotMatch(text, /Seq Scan on (?:users|user_days)/, text);
  }
  assert.match(newest[1] ?? "", /Index Cond: \(ROW\(created_at, id\) </, newest[1]);
  for (const text of [...newest, await explain({ order: "cost_month" })]) {
    assert.ok(!text.includes("usage_records"), text);
    // What a row shows beside the figure of the order is read for the page only.
    for (const [, loops] of text.matchAll(/(?:operators|mfa_factors)\S* .*loops=(\d+)/g))
      assert.ok(Number(loops) <= 51, text);
  }
  const results = await owner.query(
    `begin; select ext_operator.sum_usage(null);
     select pg_stat_get_xact_numscans('public.usage_records_created_at_idx'::regclass)::int as indexed,
       pg_stat_get_xact_tuples_returned('public.usage_records'::regclass)::int as scanned; rollback`,
  );
  const [counts] = (results as unknown as { rows: { indexed: number; scanned: number }[] }[])[2]?.rows ?? [];
  assert.ok((counts?.indexed ?? 0) > 0 && counts?.scanned === 0, JSON.stringify(counts));
  const seen = new Set<string>();
  let next: string | null = "";
  for (let page = 0; page < 3 && next !== null; page += 1) {
    const { body }: { body: { users: { id: string }[]; next: string | null } } = await asAda(
      "GET",
      `${USERS}?order=cost_month&after=${next}`,
    );
    for (const { id } of body.users) seen.add(id);
    next = body.next;
  }
  assert.equal(seen.size, 150);
});
