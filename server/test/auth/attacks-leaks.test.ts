import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { createMailer } from "../../src/auth/mail/mailer.ts";
import { authEndpoints, createAccountMails } from "../../src/auth/index.ts";
import { authenticate } from "../../src/auth/principal/authenticate.ts";
import { createObserver } from "../../src/observe/index.ts";
import { authRoutes } from "../../src/http/index.ts";
import { startServer } from "../http/support/test-server.ts";
import { CREDENTIALS, startSmtpServer } from "./mail-smtp-server.ts";
import { createAuthContext } from "./support/auth-context.ts";
import { until } from "../support/until.ts";

const PASSWORD = "a password that no log may hold";

describe("the log of a service that sends mail", () => {
  it("contains no password, token, code or key, even at debug level and after errors", async (t) => {
    const lines: string[] = [];
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString());
        done();
      },
    });
    const observer = createObserver({ level: "trace", format: "json", destination });
    let rejections = 2;
    const smtp = await startSmtpServer(t, {
      onRcptTo: (_address, _session, done) => {
        rejections -= 1;
        done(rejections >= 0 ? Object.assign(new Error("come back later"), { responseCode: 450 }) : null);
      },
    });
    const { context, anonKey, serviceRoleKey, database } = await createAuthContext(t, {
      settings: { smtpUrl: smtp.url },
    });
    const settings = { dataDir: "", mailFrom: "Us <us@example.com>", smtpUrl: smtp.url };
    const mailer = await createMailer({ settings, observer, clock: context.clock });
    t.after(() => mailer.close());
    const served = { ...context, observer, mailer };
    const ending = new AbortController();
    const sending = createAccountMails(served, { random: () => 0.5 }).run(ending.signal);
    t.after(async () => {
      ending.abort();
      await sending;
    });
    const { request, notes } = await startServer(t, {
      routes: authRoutes(authEndpoints, served),
      guard: (admittance, credentials) => authenticate(served, admittance, credentials),
    });
    const ask = async (method: string, path: string, body: unknown, token?: string) =>
      request(`/auth/v1${path}`, {
        method,
        headers: {
          apikey: anonKey,
          "content-type": "application/json",
          ...(token && { authorization: `Bearer ${token}` }),
        },
        ...(method !== "GET" && { body: JSON.stringify(body) }),
      });
    const email = "ada@example.com";
    const secrets = new Set<string>([PASSWORD, CREDENTIALS.pass, anonKey, serviceRoleKey]);
    const readMail = async (count: number): Promise<{ code: string; hash: string }> => {
      await until(() => smtp.received.length >= count);
      const source = (smtp.received.at(-1)?.source ?? "").replace(/=\r\n/g, "").replace(/=3D/g, "=");
      const code = /code:\s*(\d{6})/.exec(source)?.[1] ?? "";
      const hash = /token=([0-9a-f]{64})/.exec(source)?.[1] ?? "";
      assert.ok(code !== "" && hash !== "", source);
      secrets.add(code).add(hash);
      return { code, hash };
    };

    assert.equal((await ask("POST", "/signup", { email, password: PASSWORD })).status, 200);
    const { hash } = await readMail(1);
    assert.equal((await ask("GET", `/verify?type=signup&token=${hash}`, null)).status, 303);
    const session = await ask("POST", "/token?grant_type=password", { email, password: PASSWORD });
    const { access_token: token, refresh_token: refresh } = session.json as Record<string, string>;
    assert.ok(token && refresh);
    secrets.add(token).add(refresh);
    await ask("POST", "/token?grant_type=refresh_token", { refresh_token: refresh });
    await ask("POST", "/token?grant_type=refresh_token", { refresh_token: `${refresh}x` });
    await ask("POST", "/recover", { email });
    await readMail(2);
    await ask("POST", "/verify", { type: "recovery", email, token: "000000" });
    await ask("POST", "/token?grant_type=password", { email, password: `${PASSWORD} wrong` });
    await ask("PUT", "/user", { password: `${PASSWORD} new` }, token);
    await ask("GET", `/user?apikey=${serviceRoleKey}&access_token=${token}`, null, token);
    // An internal error: a missing table.
    await database.owner.query("alter table auth.one_time_tokens rename to gone");
    const fault = await ask("POST", "/verify", { type: "recovery", email, token: "000000" });
    assert.equal(fault.status, 500);
    assert.deepEqual(fault.json["message"], "An internal error occurred");
    assert.doesNotMatch(fault.text, /one_time_tokens|relation|select|node_modules/);

    await until(() => notes.some(({ name }) => name === "request.failed"));
    // In the service, the HTTP server uses the same observer.
    for (const { name, fields } of notes) observer.note(name as Parameters<typeof observer.note>[0], fields);
    const log = lines.join("");
    assert.match(log, /mail\.retried/);
    assert.match(log, /request\.failed/);
    for (const secret of secrets) {
      assert.equal(log.includes(secret), false, `${secret.slice(0, 12)}… stands in the log`);
    }
  });
});
