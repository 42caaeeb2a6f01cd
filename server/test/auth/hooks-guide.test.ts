import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { AuthHooks } from "../../src/auth/hooks/open-hooks.ts";
import { createHookMailer } from "../../src/auth/outbox/hook-mailer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { newPerson, Person, readClaims } from "./mfa-person.ts";
import { onNode, signIn, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { type HookStage, type Kind, KINDS, openHookStage, SECRET } from "./support/hook-stage.ts";
import { rejection } from "./support/rejection.ts";

const GUIDE = new URL("../../../docs/guides/hooks.md", import.meta.url);
const BLOCK = /^```(?:js|sql)\n(?:\/\/|--) ([\w-]+\.(?:mjs|sql))\n([\s\S]*?)^```$/gm;
/** The hooks with their functions in the guide. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  CUSTOM_ACCESS_TOKEN: "claims",
  BEFORE_USER_CREATED: "newcomers",
  PASSWORD_VERIFICATION_ATTEMPT: "passwords",
  MFA_VERIFICATION_ATTEMPT: "factors",
  SEND_EMAIL: "mails",
};

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let auth: TestAuthContext;
let stage: HookStage;
let folder = "";
let port = 0;
before(async () => {
  auth = await createAuthContext(cleanup);
  stage = await openHookStage(cleanup, auth);
  folder = await createTemporaryFolder(cleanup, "hooks-");
  for (const [, name = "", text = ""] of (await readFile(GUIDE, "utf8")).matchAll(BLOCK)) {
    if (name.endsWith(".sql")) await auth.database.owner.query(text);
    else await writeFile(join(folder, name), text);
  }
  process.env["HOOK_SECRET"] = SECRET;
  process.env["PORT"] = "0";
  const { server } = (await import(pathToFileURL(join(folder, "hooks.mjs")).href)) as { server: Server };
  if (!server.listening) await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  closers.unshift(async () => {
    delete process.env["HOOK_SECRET"];
    delete process.env["PORT"];
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
});
after(async () => {
  for (const close of closers) await close();
});

function hooksOf(kind: Kind, name: string): AuthHooks {
  const uri = kind === "sql" ? `pg-functions://postgres/hooks/${FUNCTIONS[name]}` : `http://127.0.0.1:${port}/`;
  return stage.open({ [`AUTH_HOOK_${name}_URI`]: uri, [`AUTH_HOOK_${name}_SECRET`]: SECRET });
}

let people = 0;
const newEmail = (): string => `guide-${(people += 1)}@example.com`;

for (const kind of KINDS)
  describe(`the examples of the guide over ${kind}`, () => {
    it("add a claim", async () => {
      const email = kind === "sql" ? newEmail() : "ada@example.com";
      const { user } = await signUp(auth, email);
      await auth.database.owner.query("insert into hooks.tenants values ($1, 'acme')", [user.id]);
      const { access_token: token } = await signIn(
        onNode(auth, { hooks: hooksOf(kind, "CUSTOM_ACCESS_TOKEN") }),
        email,
      );
      assert.equal(readClaims(token)["tenant"], "acme");
    });

    it("admit accounts of one domain", async () => {
      const node = onNode(auth, { hooks: hooksOf(kind, "BEFORE_USER_CREATED") });
      await signUp(node, newEmail());
      await assert.rejects(
        signUp(node, "eve@example.org"),
        rejection(400, "hook_refused", /^Use your company address$/),
      );
    });

    it("reject passwords after three wrong ones", async () => {
      const email = newEmail();
      await signUp(auth, email);
      const node = onNode(auth, { hooks: hooksOf(kind, "PASSWORD_VERIFICATION_ATTEMPT") });
      await signIn(node, email);
      const wrong = rejection(400, "invalid_credentials", /^Invalid login credentials$/);
      for (let attempt = 0; attempt < 3; attempt += 1) await assert.rejects(signIn(node, email, "wrong"), wrong);
      await assert.rejects(signIn(node, email), rejection(400, "invalid_credentials", /^T(?:ry again|oo many)/));
    });

    it("reject codes after three wrong ones", async () => {
      const person = await newPerson(auth);
      person.enterNextStep();
      const factor = await person.enrolVerified();
      person.enterNextStep();
      const node = onNode(auth, { hooks: hooksOf(kind, "MFA_VERIFICATION_ATTEMPT") });
      const tokens = { access_token: person.token, refresh_token: person.refreshToken, user: { id: person.id } };
      const hooked = new Person({ ...auth, ...node }, person.email, tokens);
      const challenge = await person.challenge(factor.id);
      const verify = (code: string) => hooked.verify(factor.id, challenge, code);
      for (let attempt = 0; attempt < 2; attempt += 1)
        await assert.rejects(verify(person.wrongCode(factor)), rejection(422, "mfa_verification_failed"));
      await assert.rejects(verify(person.wrongCode(factor)), rejection(403, "mfa_verification_rejected"));
    });

    it("send a mail", async () => {
      const email = newEmail();
      await signUp(auth, email);
      const hook = hooksOf(kind, "SEND_EMAIL").send_email ?? assert.fail();
      const { pool, baseUrl, mailer: fallback } = auth.context;
      const mailer = createHookMailer({ hook, pool, baseUrl: () => baseUrl, fallback });
      await auth.call("POST", "/recover", { body: { email }, node: { mailer } });
      const html = kind === "sql" ? await readQueued(email) : await readOutbox(email);
      const [link = ""] = /https:\/\/[^"]+/.exec(html) ?? [];
      const query = Object.fromEntries(new URL(link.replaceAll("&amp;", "&")).searchParams);
      const { headers } = await auth.call("GET", "/verify", { query });
      assert.match(headers?.["location"] ?? "", /access_token=/);
    });
  });

async function readQueued(email: string): Promise<string> {
  const { rows } = await auth.database.owner.query<{ html: string }>(
    "select html from hooks.mails where recipient = $1",
    [email],
  );
  return rows[0]?.html ?? assert.fail("no mail");
}

async function readOutbox(email: string): Promise<string> {
  const { outbox } = (await import(pathToFileURL(join(folder, "send-email.mjs")).href)) as {
    outbox: { to: string; html: string }[];
  };
  return outbox.find(({ to }) => to === email)?.html ?? assert.fail("no mail");
}

describe("the server of the guide", () => {
  it("answers 401 to a call that is not signed", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
    assert.equal(response.status, 401);
  });
});
