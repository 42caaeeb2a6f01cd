import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { SmtpMailer } from "../../src/auth/mail/smtp-mailer.ts";
import { decideTlsRequired } from "../../src/auth/mail/smtp-policy.ts";
import type { Mail, Mailer } from "../../src/auth/mail/mail.ts";
import { AppError } from "../../src/errors/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { findFreePort } from "../support/free-port.ts";
import { WAIT_MS } from "../support/wait-limit.ts";
import { CREDENTIALS, startSmtpServer } from "./mail-smtp-server.ts";

const MAIL: Mail = {
  to: "reader@example.com",
  kind: "recovery",
  values: {
    link: "https://localhost:8443/auth/v1/verify?token=abc&type=recovery",
    code: "123456",
    siteUrl: "https://site.example",
  },
};

function openMailer(t: TestContext, url: string, timeoutMs = WAIT_MS): Mailer & { notes: string[] } {
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const mailer = new SmtpMailer({
    url,
    from: "Sender <sender@example.com>",
    observer,
    clock: systemClock,
    timeoutMs,
  });
  t.after(() => mailer.close());
  return Object.assign(mailer, { notes });
}

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, "SERVICE_UNAVAILABLE");
  assert.ok((error.extra.retryAfterSeconds ?? 0) > 0);
  assert.ok(error.cause instanceof Error);
  assert.ok(!error.message.includes(CREDENTIALS.pass) && !error.message.includes("127.0.0.1"));
  return true;
}

/** A TCP server with arbitrary behaviour. */
async function listen(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("mail over SMTP", () => {
  it("is sent as text and HTML with the credentials of SMTP_URL", async (t) => {
    const server = await startSmtpServer(t);
    const mailer = openMailer(t, server.url);
    await mailer.checkReady();
    await mailer.send(MAIL);
    const [mail] = server.received;
    assert.deepEqual(
      [mail?.from, mail?.to, mail?.user],
      ["sender@example.com", ["reader@example.com"], CREDENTIALS.user],
    );
    const source = mail?.source ?? "";
    assert.match(source, /^From: Sender <sender@example.com>\r$/m);
    assert.match(source, /^To: reader@example.com\r$/m);
    assert.match(source, /^Subject: Reset your password\r$/m);
    assert.match(source, /^Auto-Submitted: auto-generated\r$/m);
    assert.match(source, /text\/plain/);
    assert.match(source, /text\/html/);
    assert.match(source.replaceAll("=\r\n", ""), /verify\?token=3Dabc&type=3Drecovery|verify\?token=abc&type=recovery/);
    assert.match(source, /123456/);
    assert.deepEqual(mailer.notes, []);
  });

  it("uses one connection for mails one after another", async (t) => {
    const server = await startSmtpServer(t);
    const mailer = openMailer(t, server.url);
    for (let round = 0; round < 5; round += 1) await mailer.send(MAIL);
    assert.equal(server.received.length, 5);
    assert.equal(server.connections(), 1);
  });

  it("with a hostile address is sent to no other recipient", async (t) => {
    const server = await startSmtpServer(t);
    const mailer = openMailer(t, server.url);
    for (const to of [
      "a@example.com, b@example.com",
      "a@example.com\r\nRCPT TO:<b@example.com>",
      "a@example.com\r\nBcc: b@example.com",
    ]) {
      await mailer.send({ ...MAIL, to }).catch(isUnavailable);
    }
    for (const { to, source } of server.received) {
      assert.equal(to.length, 1);
      assert.ok(!to.includes("b@example.com"));
      assert.doesNotMatch(source, /^Bcc:/m);
    }
  });

  it("is retried after a temporary failure", async (t) => {
    let asked = 0;
    const server = await startSmtpServer(t, {
      onRcptTo: (_address, _session, callback) => {
        asked += 1;
        callback(asked < 3 ? Object.assign(new Error("come again"), { responseCode: 451 }) : null);
      },
    });
    const mailer = openMailer(t, server.url);
    await mailer.send(MAIL);
    assert.equal(server.received.length, 1);
    assert.deepEqual(mailer.notes, ["mail.retried", "mail.retried"]);
  });

  it("fails after three attempts", async (t) => {
    let asked = 0;
    const server = await startSmtpServer(t, {
      onMailFrom: (_address, _session, callback) => {
        asked += 1;
        callback(Object.assign(new Error("busy"), { responseCode: 421 }));
      },
    });
    await assert.rejects(openMailer(t, server.url).send(MAIL), isUnavailable);
    assert.equal(asked, 3);
  });

  it("fails at once after a permanent failure", async (t) => {
    let asked = 0;
    const server = await startSmtpServer(t, {
      onRcptTo: (_address, _session, callback) => {
        asked += 1;
        callback(Object.assign(new Error("no such mailbox"), { responseCode: 550 }));
      },
    });
    await assert.rejects(openMailer(t, server.url).send(MAIL), isUnavailable);
    assert.equal(asked, 1);
  });

  it("fails with wrong credentials, and so does the check", async (t) => {
    const server = await startSmtpServer(t);
    const mailer = openMailer(t, server.url.replace("post%40", "other%40"));
    await assert.rejects(mailer.send(MAIL), isUnavailable);
    await assert.rejects(mailer.checkReady(), isUnavailable);
    assert.deepEqual(mailer.notes, ["mail.unreachable"]);
  });

  it("fails while the server is down and works when it is up", async (t) => {
    const closers: (() => Promise<void>)[] = [];
    const gone = await startSmtpServer({ after: (close) => void closers.push(close) }, {}, await findFreePort());
    for (const close of closers) await close();
    const mailer = openMailer(t, gone.url);
    await assert.rejects(mailer.checkReady(), isUnavailable);
    await assert.rejects(mailer.send(MAIL), isUnavailable);
    const back = await startSmtpServer(t, {}, gone.port);
    await mailer.checkReady();
    await mailer.send(MAIL);
    assert.equal(back.received.length, 1);
  });

  it("times out on a server that never greets", async (t) => {
    const url = await listen(t, () => {});
    await assert.rejects(openMailer(t, url, 200).checkReady(), isUnavailable);
    await assert.rejects(openMailer(t, url, 200).send(MAIL), isUnavailable);
  });

  it("times out on a server that stops in the middle", async (t) => {
    const server = await startSmtpServer(t, { onMailFrom: () => {} });
    await assert.rejects(openMailer(t, server.url, 300).send(MAIL), isUnavailable);
  });

  it("fails with a server that sends garbage or closes the connection", async (t) => {
    const nonsense = await listen(t, (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const silent = await listen(t, (socket) => void socket.destroy());
    for (const url of [nonsense, silent]) await assert.rejects(openMailer(t, url, 500).send(MAIL), isUnavailable);
  });

  it("shares one readiness check between concurrent callers and caches it", async (t) => {
    const server = await startSmtpServer(t);
    const mailer = openMailer(t, server.url);
    await Promise.all(Array.from({ length: 20 }, () => mailer.checkReady()));
    await mailer.checkReady();
    assert.equal(server.connections(), 1);
  });

  it("is awaited when the service stops", async (t) => {
    let release = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await startSmtpServer(t, {
      onRcptTo: (_address, _session, callback) => {
        release();
        setTimeout(callback, 200);
      },
    });
    const mailer = openMailer(t, server.url);
    const sending = mailer.send(MAIL);
    await arrived;
    await mailer.close();
    assert.equal(server.received.length, 1);
    await sending;
  });

  it("sends credentials over TLS only, except to the local machine", () => {
    assert.equal(decideTlsRequired("smtp://user:pass@mail.example"), true);
    assert.equal(decideTlsRequired("smtp://mail.example"), false);
    for (const host of ["localhost", "127.0.0.1:2525", "[::1]:25"])
      assert.equal(decideTlsRequired(`smtp://user:pass@${host}`), false);
  });
});
