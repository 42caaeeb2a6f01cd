import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { until } from "../../server/test/support/until.ts";
import { RECEIVER_PROGRAMS } from "../src/pages/webhooks/receiver-code.ts";

// The programs that the console shows, run as they are, in the languages that are installed.

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY = '{"id":"evt_1","type":"agent.created","created_at":"c","api_version":"2026-11-15","data":{"name" : "é"}}';
const SDK = resolve(import.meta.dirname, "../../clients/sdk");

function sign(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

for (const { language, file, command, code } of RECEIVER_PROGRAMS) {
  const [program = "", ...args] = command.split(" ");
  const isInstalled = spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
  test(`the receiver in ${language} accepts what the service signs and nothing else`, {
    skip: isInstalled ? false : `${program} is not installed`,
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "swarmbase-receiver-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, file), code);
    await mkdir(join(folder, "node_modules/@swarmbase"), { recursive: true });
    await symlink(SDK, join(folder, "node_modules/@swarmbase/sdk"));
    const port = String(await findFreePort());
    const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: port, NODE_OPTIONS: "--conditions=swarmbase-source" };
    const child = spawn(
      program,
      args.map((arg) => arg.replace(":3000", `:${port}`)),
      { cwd: folder, env, stdio: "ignore", detached: true },
    );
    const exited = once(child, "exit");
    t.after(async () => {
      // Its whole group: `go run` starts the compiled program as a child.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      await exited;
    });
    const send = async (headers: Readonly<Record<string, string>>, body = BODY): Promise<number> => {
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
      return (await fetch(`http://localhost:${port}/hook`, init)).status;
    };
    const now = String(Math.floor(Date.now() / 1_000));
    const signed = (secret: string, timestamp: string): Record<string, string> => ({
      "X-Service-Timestamp": timestamp,
      "X-Service-Signature": sign(secret, timestamp, BODY),
      "X-Service-Event": "agent.created",
    });
    await until(() => send({}).then(Boolean, () => false), "the receiver answers");
    assert.equal(await send(signed(SECRET, now)), 204);
    const replaced = { "X-Service-Signature-Previous": `sha256=00, ${sign(SECRET, now, BODY)}` };
    assert.equal(await send({ ...signed("whsec_new", now), ...replaced }), 204, "while the secret is being replaced");
    assert.equal(await send(signed("whsec_other", now)), 400, "another secret");
    assert.equal(await send(signed(SECRET, now), BODY.replace("é", "e")), 400, "another body");
    const old = String(Number(now) - 400);
    assert.equal(await send(signed(SECRET, old)), 400, "an old request");
    assert.equal(await send({}), 400, "no signature");
  });
}
