import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import type { ServiceHere } from "../support/service-here.ts";
import { until } from "../support/until.ts";
import { type Answer, bodyOf, callService, startTrustedService } from "./support/service-calls.ts";

const PASSWORD = "correct horse battery";
const NOT_FOUND = "404 INVITATION_NOT_FOUND";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;

before(async () => {
  database = await createTestDatabase(cleanup);
  service = await startTrustedService(cleanup, database, { NODE_ENV: "production" });
});
after(async () => {
  for (const close of closers) await close();
});

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

interface Invitation {
  readonly id: string;
  readonly swarmId: string;
}

function call(operation: string, bearer?: string | null, body?: unknown): Promise<Answer> {
  return callService(service.credentials, operation, bearer, body);
}

async function callOk(...args: Parameters<typeof call>): Promise<Answer["body"]> {
  return bodyOf(await call(...args), args[0]);
}

/** The body's members that a test compares, or status and code of an error. */
async function outcome(...args: Parameters<typeof call>): Promise<unknown> {
  const { status, body } = await call(...args);
  return status < 300 ? body : `${status} ${body.code}`;
}

let count = 0;

function newAddress(): string {
  count += 1;
  return `invited-${count}@example.com`;
}

async function signUp(email = newAddress()): Promise<Person> {
  const { access_token: token, user } = await callOk("POST /auth/v1/signup", null, { email, password: PASSWORD });
  return { id: user.id, email, token };
}

async function insert(token: string, table: string, row: object): Promise<string> {
  const { url, anon_key: apikey } = service.credentials;
  const headers = { apikey, authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/rest/v1/${table}`, {
    method: "POST",
    headers: { ...headers, prefer: "return=representation" },
    body: JSON.stringify(row),
  });
  assert.equal(response.status, 201, await response.clone().text());
  return ((await response.json()) as { id: string }[])[0]?.id ?? "";
}

const newSwarm = (owner: Person): Promise<string> => insert(owner.token, "swarms", { name: "Crew" });

async function invite(owner: Person, email: string, swarmId?: string): Promise<Invitation> {
  const swarm_id = swarmId ?? (await newSwarm(owner));
  return { id: await insert(owner.token, "swarm_members", { swarm_id, email, role: "admin" }), swarmId: swarm_id };
}

const INVITATIONS = "POST /functions/v1/invitations";

const askForLink = (token: string, { id }: Invitation): Promise<unknown> =>
  outcome(INVITATIONS, token, { action: "create_link", invitation_id: id });

async function createSecret({ token }: Person, invitation: Invitation): Promise<string> {
  const { link, secret } = (await askForLink(token, invitation)) as { link: string; secret: string };
  assert.equal(link, `${service.credentials.url}/invitations/${invitation.swarmId}#secret=${secret}`);
  return secret;
}

const present = ({ token }: Person, action: "find" | "accept" | "decline", secret: string): Promise<unknown> =>
  outcome(INVITATIONS, token, { action, secret });

/** What the person can do without a secret. */
async function tryWithout({ token }: Person, { id, swarmId }: Invitation): Promise<unknown[]> {
  const row = `/rest/v1/swarm_members?id=eq.${id}`;
  await call(`PATCH ${row}`, token, { status: "active" });
  await call(`DELETE ${row}`, token);
  const seen = ["swarm_invitations?select=id", `swarm_members?select=id&id=eq.${id}`, `swarms?id=eq.${swarmId}`];
  return Promise.all(seen.map((path) => callOk(`GET /rest/v1/${path}`, token)));
}

async function readMails(recipient: string): Promise<string[]> {
  const folder = join(dirname(dirname(service.credentials.ca_cert_file ?? "")), "mail");
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d.*\.eml$/.test(name));
  const mails = await Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")));
  return mails.filter((mail) => mail.includes(`\nTo: ${recipient}\n`));
}

async function waitForMail(to: string, pattern: RegExp): Promise<string> {
  let found = "";
  await until(async () => {
    for (const mail of await readMails(to)) found = pattern.exec(mail)?.[1] ?? found;
    return found !== "";
  });
  return found;
}

describe("an invitation by e-mail address", () => {
  test("is not open to who signs up with the address or changes to it", async () => {
    const owner = await signUp();
    const [signedUp, changed] = [await invite(owner, newAddress()), await invite(owner, newAddress())];
    const { rows } = await database.owner.query<{ id: string; invited_email: string }>(
      "select id, invited_email from public.swarm_members where id = any ($1)",
      [[signedUp.id, changed.id]],
    );
    const addressOf = ({ id }: Invitation) => rows.find((row) => row.id === id)?.invited_email ?? "";
    const squatter = await signUp(addressOf(signedUp));
    assert.deepEqual(await tryWithout(squatter, signedUp), [[], [], []]);
    const mover = await signUp();
    await callOk("PUT /auth/v1/user", mover.token, { email: addressOf(changed) });
    assert.deepEqual(await tryWithout(mover, changed), [[], [], []]);
    for (const person of [squatter, mover])
      for (const secret of [signedUp.id, changed.swarmId, "x"])
        assert.equal(await present(person, "accept", secret), NOT_FOUND);
  });

  test("is accepted once with the secret of its link, by the account of the address", async () => {
    const [owner, guest, thief] = [await signUp(), await signUp(), await signUp()];
    const invitation = await invite(owner, guest.email);
    const other = await invite(owner, thief.email);
    const secret = await createSecret(owner, invitation);
    const otherSecret = await createSecret(owner, other);
    for (const action of ["find", "accept", "decline"] as const) {
      assert.equal(await present(thief, action, secret), NOT_FOUND);
      assert.equal(await present(guest, action, otherSecret), NOT_FOUND);
    }
    const { rows } = await database.owner.query(
      "select * from private.invitation_secrets where member_id = $1 and way = 'link'",
      [invitation.id],
    );
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(secret) && !JSON.stringify(rows).includes(Buffer.from(secret).toString()));
    const { invitation: shown } = (await present(guest, "find", secret)) as { invitation: Record<string, unknown> };
    assert.deepEqual([shown["id"], shown["swarm_name"], shown["role"]], [invitation.id, "Crew", "admin"]);
    const answers = await Promise.all(Array.from({ length: 4 }, () => present(guest, "accept", secret)));
    assert.deepEqual(
      answers.filter((answer) => answer !== NOT_FOUND),
      [{ accepted: true, swarm_id: invitation.swarmId }],
    );
    const [member] = await callOk(`GET /rest/v1/swarm_members?id=eq.${invitation.id}`, guest.token);
    assert.deepEqual([member.user_id, member.invited_email, member.status], [guest.id, null, "active"]);
    // The account leaves, and somebody else gets the address: the secret is used up.
    await callOk(`DELETE /rest/v1/swarm_members?id=eq.${invitation.id}`, guest.token);
    assert.equal(await present(guest, "accept", secret), NOT_FOUND);
  });

  test("is not accepted with a secret that was replaced, withdrawn, declined or has expired", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    const invitation = await invite(owner, guest.email);
    const first = await createSecret(owner, invitation);
    const second = await createSecret(owner, invitation);
    assert.equal(await present(guest, "accept", first), NOT_FOUND);
    await database.owner.query("update public.swarm_members set expires_at = now() where id = $1", [invitation.id]);
    assert.equal(await present(guest, "accept", second), NOT_FOUND);
    assert.equal(await askForLink(owner.token, invitation), NOT_FOUND);
    const again = await invite(owner, guest.email, invitation.swarmId);
    for (const secret of [first, second]) assert.equal(await present(guest, "accept", secret), NOT_FOUND);
    const withdrawn = await createSecret(owner, again);
    await callOk(`DELETE /rest/v1/swarm_members?id=eq.${again.id}`, owner.token);
    assert.equal(await present(guest, "accept", withdrawn), NOT_FOUND);
    const last = await createSecret(owner, await invite(owner, guest.email, invitation.swarmId));
    assert.deepEqual(await present(guest, "decline", last), { declined: true, swarm_id: invitation.swarmId });
    assert.equal(await present(guest, "accept", last), NOT_FOUND);
    const member = await createSecret(owner, await invite(owner, owner.email, invitation.swarmId));
    assert.equal(await present(owner, "accept", member), NOT_FOUND, "the owner is a member already");
  });

  test("has links only for the owner and admins of its swarm and the service role, and not for API keys", async () => {
    const [owner, other, viewer] = [await signUp(), await signUp(), await signUp()];
    const invitation = await invite(owner, newAddress());
    await newSwarm(other);
    const { swarmId: swarm_id } = invitation;
    const byId = await insert(owner.token, "swarm_members", { swarm_id, user_id: viewer.id, role: "viewer" });
    assert.equal(await askForLink(owner.token, { id: byId, swarmId: swarm_id }), NOT_FOUND, "an invitation by id");
    await callOk(`PATCH /rest/v1/swarm_members?id=eq.${byId}`, viewer.token, { status: "active" });
    for (const person of [other, viewer]) assert.equal(await askForLink(person.token, invitation), NOT_FOUND);
    assert.match(String(await askForLink(service.credentials.anon_key, invitation)), /^401 /);
    const scopes = ["read", "write", "run", "approve"];
    const { key } = await callOk("POST /functions/v1/api-keys", owner.token, { action: "create", name: "k", scopes });
    assert.equal(await askForLink(key, invitation), "403 API_KEY_NOT_ALLOWED");
    const secret = await createSecret({ ...owner, token: service.credentials.service_role_key }, invitation);
    assert.equal(
      await outcome(INVITATIONS, service.credentials.service_role_key, { action: "accept", secret }),
      "403 FORBIDDEN",
    );
  });

  test("is accepted with the link of its mail, whether the address was proven or not", async () => {
    const [owner, guest] = [await signUp(), await signUp()];
    const invitation = await invite(owner, guest.email);
    const secret = await waitForMail(guest.email, new RegExp(`/invitations/${invitation.swarmId}#secret=([\\w-]+)\\s`));
    assert.equal(await present(owner, "accept", secret), NOT_FOUND);
    // The inviter's own link does not replace that of the mail.
    await createSecret(owner, invitation);
    assert.deepEqual(await present(guest, "accept", secret), { accepted: true, swarm_id: invitation.swarmId });
  });
});

describe("a service in production without a mail server", () => {
  test("says so when it starts, and writes no link or code to its log", async () => {
    assert.match(service.output(), /"level":"warn".*no mail server is set \(SMTP_URL\)/);
    const { email } = await signUp();
    await callOk("POST /auth/v1/recover", null, { email });
    const code = await waitForMail(email, /code: (\d{6})\s/);
    const token = await waitForMail(email, /verify\?token=(\w+)&/);
    await until(() => service.output().includes(`"to":"${email}"`));
    assert.ok(!service.output().includes(code) && !service.output().includes(token));
  });
});

describe("an address", () => {
  test("that a mailed code proves gives rights, and ends what was opened before without the mailbox", async () => {
    const owner = await signUp();
    const squatter = await signUp();
    const { key } = await callOk("POST /functions/v1/api-keys", squatter.token, { action: "create", name: "left" });
    const invitation = await invite(owner, squatter.email);
    await callOk("POST /auth/v1/otp", null, { email: squatter.email, create_user: false });
    const code = await waitForMail(squatter.email, /code: (\d{6})\s/);
    const session = await callOk("POST /auth/v1/verify", null, { type: "email", email: squatter.email, token: code });
    const person = { ...squatter, token: session.access_token as string };
    for (const bearer of [squatter.token, key])
      assert.equal((await call("GET /rest/v1/swarm_invitations", bearer)).status, 401);
    const credentials = { email: squatter.email, password: PASSWORD };
    assert.equal((await call("POST /auth/v1/token?grant_type=password", null, credentials)).status, 400);
    const [seen] = await callOk("GET /rest/v1/swarm_invitations", person.token);
    assert.equal(seen.id, invitation.id);
    await callOk(`PATCH /rest/v1/swarm_members?id=eq.${invitation.id}`, person.token, { status: "active" });
    assert.equal((await callOk(`GET /rest/v1/swarms?id=eq.${invitation.swarmId}`, person.token)).length, 1);
  });

  test("that the service role confirms gives rights until it changes", async () => {
    const owner = await signUp();
    const role = service.credentials.service_role_key;
    const accounts = [newAddress(), newAddress()];
    const [first = "", second = ""] = accounts;
    await callOk("POST /auth/v1/admin/users", role, { email: first, password: PASSWORD, email_confirm: true });
    const { access_token: token } = await callOk("POST /auth/v1/token?grant_type=password", null, {
      email: first,
      password: PASSWORD,
    });
    const [toFirst, toSecond] = [await invite(owner, first), await invite(owner, second)];
    const seen = async () =>
      (await callOk("GET /rest/v1/swarm_invitations?select=id", token)).map(({ id }: { id: string }) => id);
    assert.deepEqual(await seen(), [toFirst.id]);
    const { user } = await callOk("PUT /auth/v1/user", token, { email: second }).then((body) => ({ user: body }));
    assert.ok(user.email_confirmed_at, "the client sees it as confirmed");
    assert.deepEqual(await seen(), []);
    await callOk("PUT /auth/v1/user", token, { email: first });
    assert.deepEqual(await seen(), [], "an address that was given up is proven again");
    await callOk(`PUT /auth/v1/admin/users/${user.id}`, role, { email: second });
    assert.deepEqual(await seen(), []);
    await callOk(`PUT /auth/v1/admin/users/${user.id}`, role, { email_confirm: true });
    assert.deepEqual(await seen(), [toSecond.id]);
  });
});
