import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { extension } from "../src/index.ts";
import { until } from "../../../server/test/support/until.ts";
import { type OperatorService, type Person, startOperatorService } from "./support/operator-service.ts";

const USERS = "/operator/v1/users";
const closers: (() => Promise<void>)[] = [];
let service: OperatorService;
let ada: Person;
let bob: Person;

before(async () => {
  service = await startOperatorService({ after: (close) => void closers.unshift(close) });
  bob = await service.signUp("bob");
  ada = await service.createOperator("ada");
});

after(async () => {
  for (const close of closers) await close();
});

test("the first account is not an operator; the command line adds, lists and removes them", async () => {
  const me = await service.call(bob.token, "GET", "/operator/v1/me");
  assert.deepEqual([me.status, me.body], [200, { is_operator: false, lacks: "operator" }]);
  const denied = await service.call(bob.token, "GET", USERS);
  assert.deepEqual([denied.status, denied.body.details], [403, { lacks: "operator" }]);

  const cy = await service.signUp("cy");
  const refused = await service.runOperators("add", "CY@example.com");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`^The address cy@example.com is not proven. If the account ${cy.id} is`));
  assert.equal((await service.call(cy.token, "GET", "/operator/v1/me")).body.is_operator, false);
  await service.call(service.serviceKey, "PUT", `/auth/v1/admin/users/${cy.id}`, { email_confirm: true });
  assert.match((await service.runOperators("add", "CY@example.com")).stdout, /^cy@example.com is an operator/);
  assert.equal(
    (await service.runOperators("list")).stdout,
    "ada@example.com\ncy@example.com (has no second factor yet)\n",
  );
  const lacking = await service.call(cy.token, "GET", USERS);
  assert.deepEqual([lacking.status, lacking.body.details], [403, { lacks: "second_factor" }]);
  assert.equal((await service.runOperators("remove", cy.id)).code, 0);
  assert.deepEqual((await service.call(cy.token, "GET", "/operator/v1/me")).body.is_operator, false);

  const unknown = await service.runOperators("add", "nobody@example.com");
  assert.deepEqual([unknown.code, unknown.stderr], [1, "No account is nobody@example.com.\n"]);
  assert.equal((await service.runOperators("promote", "ada@example.com")).code, 2);
});

test("the service role adds and removes operators, and users cannot", async () => {
  const { id, email, token } = await service.signUp("dora");
  for (const bearer of [token, ada.token])
    assert.equal((await service.call(bearer, "POST", "/operator/v1/operators", { email })).status, 403);
  const refused = await service.call(service.serviceKey, "POST", "/operator/v1/operators", { email });
  assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ["email"]]);
  const added = await service.call(service.serviceKey, "POST", "/operator/v1/operators", { user_id: id });
  assert.deepEqual([added.status, added.body], [201, { user_id: id, email }]);
  const both = await service.call(service.serviceKey, "POST", "/operator/v1/operators", { user_id: id, email });
  assert.deepEqual([both.status, both.body.details], [400, { user_id: "cannot be sent with email" }]);
  const { body } = await service.call(service.serviceKey, "GET", "/operator/v1/operators");
  assert.ok(body.operators.some((row: { user_id: string }) => row.user_id === id));
  assert.equal((await service.call(service.serviceKey, "DELETE", `/operator/v1/operators/${id}`)).status, 200);
  assert.equal((await service.call(service.serviceKey, "DELETE", `/operator/v1/operators/${id}`)).status, 404);
  assert.equal((await service.call(service.serviceKey, "GET", USERS)).status, 401);
  const { rows } = await service.database.owner.query(
    "select actor, action from ext_operator.audit where target = $1 order by id",
    [`users/${id}`],
  );
  assert.deepEqual(rows, [
    { actor: "service", action: "operators.add" },
    { actor: "service", action: "operators.remove" },
  ]);
});

test("a path that no text of the database can have is rejected like any other", async () => {
  const paths = [
    "%00",
    `${"a".repeat(484)}${encodeURIComponent("😀")}`,
    `${"a".repeat(485)}${encodeURIComponent("😀")}`,
  ];
  for (const name of paths) {
    const path = `/operator/v1/tables/public/${name}`;
    assert.equal((await service.call(bob.token, "GET", path)).status, 403, name);
    assert.equal((await service.call(ada.token, "GET", path)).status, 404, name);
  }
  assert.equal((await service.call(ada.token, "GET", `${USERS}/%00`)).status, 400);
});

test("an API key of an operator reaches no route", async () => {
  const made = await service.call(ada.token, "POST", "/functions/v1/api-keys", {
    action: "create",
    name: "all",
    scopes: ["read", "write", "run"],
  });
  assert.equal(made.status, 201, made.text);
  for (const path of [USERS, "/operator/v1/me", "/operator/v1/audit"]) {
    const { status, body } = await service.call(made.body.key, "GET", path);
    assert.deepEqual([status, body.code], [403, "API_KEY_NOT_ALLOWED"]);
  }
});

test("an old sign-in, a lost factor and a removed operator are rejected from the next call on", async () => {
  const eve = await service.createOperator("eve");
  const read = async () => (await service.call(eve.token, "GET", USERS)).body.details?.lacks ?? null;
  const { owner } = service.database;
  assert.equal(await read(), null);

  // The code is recent and the password is not.
  const shift = (method: string, seconds: number) =>
    owner.query(
      `update auth.sessions set amr = (select jsonb_agg(case when e ->> 'method' = $2
         then jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint + $3)) else e end)
         from jsonb_array_elements(amr) e) where user_id = $1`,
      [eve.id, method, seconds],
    );
  await shift("password", -1801);
  assert.equal(await read(), "recent_sign_in");
  await shift("password", 1801);
  assert.equal(await read(), null);

  // The token still says aal2.
  await owner.query("delete from auth.mfa_factors where user_id = $1", [eve.id]);
  await owner.query("update auth.sessions set aal = 'aal1' where user_id = $1", [eve.id]);
  assert.equal(await read(), "second_factor");
  await service.runOperators("remove", eve.email);
  assert.equal(await read(), "operator");
});

test("the ordinary token of an operator sees only its own rows", async () => {
  const written = await service.call(bob.token, "POST", "/rest/v1/agents", { name: "of bob" });
  assert.equal(written.status, 201, written.text);
  for (const table of ["agents", "profiles", "user_settings", "messages", "runs"]) {
    const { status, body } = await service.call(ada.token, "GET", `/rest/v1/${table}?select=*`);
    assert.equal(status, 200);
    assert.ok(!JSON.stringify(body).includes(bob.id), table);
  }
  const changed = await service.call(ada.token, "PATCH", `/rest/v1/user_settings?user_id=eq.${bob.id}`, { theme: "x" });
  const { rows } = await service.database.owner.query("select theme from user_settings where user_id = $1", [bob.id]);
  assert.deepEqual([changed.status, rows], [204, [{ theme: null }]]);
  const hidden = await service.call(ada.token, "GET", "/rest/v1/audit", undefined, {
    "accept-profile": "ext_operator",
  });
  assert.equal(hidden.status, 406);
  assert.equal((await service.call(ada.token, "GET", "/auth/v1/admin/users")).status, 403);
});

test("each call has an entry in the audit log, which says how it ended", async () => {
  const done = await service.call(ada.token, "GET", `${USERS}/${bob.id}`);
  const rejected = await service.call(ada.token, "GET", `${USERS}/${"0".repeat(8)}-0000-4000-8000-000000000000`);
  assert.deepEqual([done.status, rejected.status], [200, 404]);
  const { body } = await service.call(
    ada.token,
    "GET",
    `/operator/v1/audit?actor=${ada.id}&action=users.read&reads=true`,
  );
  const [newest, before] = body.entries;
  assert.deepEqual([newest.outcome, newest.status, newest.email], ["rejected", 404, ada.email]);
  assert.deepEqual([before.outcome, before.target, before.actor], ["done", `users/${bob.id}`, "operator"]);
  const requestId = done.headers.get("x-request-id");
  const found = await service.call(ada.token, "GET", `/operator/v1/audit?request_id=${requestId}&reads=true`);
  assert.deepEqual(
    found.body.entries.map(({ id }: { id: string }) => id),
    [before.id],
  );
  const older = await service.call(ada.token, "GET", `/operator/v1/audit?before=${before.id}`);
  assert.ok(older.body.entries.every(({ id }: { id: string }) => Number(id) < Number(before.id)));
  const find = async (query: string) =>
    (await service.call(ada.token, "GET", `/operator/v1/audit?${query}`)).body.entries as Record<string, unknown>[];
  assert.ok((await find("")).every(({ is_read: isRead }) => isRead === false));
  assert.deepEqual(await find(`request_id=${requestId}`), []);
  await service.call(ada.token, "POST", `${USERS}/${bob.id}/sign-out`);
  const at = new Date().toISOString();
  await until(async () => new Date().toISOString() > at);
  await service.call(ada.token, "POST", `${USERS}/${bob.id}/enable`);
  const ofBob = (entries: Record<string, unknown>[]) => entries.map(({ action }) => action);
  assert.deepEqual(ofBob(await find(`subject_id=${bob.id}&since=${at}`)), ["users.enable"]);
  assert.equal(ofBob(await find(`search=BOB%40example&until=${at}`))[0], "users.sign_out");
  assert.deepEqual(await find(`search=${encodeURIComponent("%' or true --")}`), []);
  assert.ok((await find("actor=command")).every(({ action }) => String(action).startsWith("operators.")));
  const times = ["since=yesterday", "until=9999999-01-01", "since=0000-01-01T00:00:00Z", "until=2026-13-01T00:00:00Z"];
  for (const query of ["before=x", "actor=1", "target=%00", "reads=1", "subject_id=x", ...times])
    assert.equal((await service.call(ada.token, "GET", `/operator/v1/audit?${query}`)).status, 400, query);
});

test("old entries of the audit log are deleted, and nobody else can change one", async () => {
  const { owner } = service.database;
  await owner.query(
    "insert into ext_operator.audit (actor, action, created_at) values ('command', 'old', now() - interval '401 days')",
  );
  await owner.query("select ext_operator.delete_old_audit(400)");
  const { rows } = await owner.query("select count(*)::int from ext_operator.audit where action = 'old'");
  assert.deepEqual(rows, [{ count: 0 }]);
});

test("without OPERATOR_ENABLED there are no routes", async () => {
  const bounds = {
    OPERATOR_SIGN_IN_TTL_SECONDS: 1800,
    OPERATOR_AUDIT_RETENTION_DAYS: 400,
    OPERATOR_LOG_LINES_KEPT: 1000,
  };
  const settings = { ...bounds, OPERATOR_ENABLED: false, OPERATOR_READS_CONTENT: false };
  assert.deepEqual([extension.routes ?? [], await extension.configure?.(settings)], [[], {}]);
  assert.ok(((await extension.configure?.({ ...settings, OPERATOR_ENABLED: true }))?.routes?.length ?? 0) > 10);
});
