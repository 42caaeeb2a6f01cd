import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addSwarm, openNodeClient, PROXIED } from "../app/node-client.ts";
import { closeAfter, makeUsedDataDir } from "../app/program.ts";
import type { Cleanup } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";
import { startServiceHere } from "../support/service-here.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";

/** An endpoint with the local certificate of the data directory. Collects the types of the events it gets. */
async function startReceiver(t: TestContext, dataDir: string): Promise<{ url: string; received: string[] }> {
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"));
  const received: string[] = [];
  const receiver = createServer({ key: pem, cert: pem }, (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      received.push((JSON.parse(text) as { type: string }).type);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  closeAfter(t, async () => {
    receiver.close();
    receiver.closeAllConnections();
  });
  return { url: `https://localhost:${(receiver.address() as AddressInfo).port}/`, received };
}

test(
  "a restored copy holds deliveries, runs and mails until it is resumed, and live nodes notice",
  SEVERAL_STARTS,
  async (t) => {
    const original = await makeUsedDataDir(t);
    const copy = join(dirname(original), "copy");
    const backup = join(dirname(original), "backup.tar.gz");
    assert.equal((await runHere(["certificate", "renew"], { DATA_DIR: original })).code, 0);
    const { url, received } = await startReceiver(t, original);
    const shared = {
      ...PROXIED,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
      WEBHOOK_CA_FILE: join(original, "tls", "ca-cert.pem"),
    };

    // Without a worker what it raises waits, as in any backup that was made at a busy moment.
    const cleanup: Cleanup = { after: (close) => closeAfter(t, close) };
    const first = await startServiceHere(cleanup, { dataDir: original, env: { ...shared, ROLES: "api" } });
    const node = await openNodeClient(original);
    const userId = await node.addUser("owner@example.com");
    const webhookId = await node.add("webhooks", { user_id: userId, name: "all", url, events: ["message.created"] });
    const swarmId = await addSwarm(node, userId, { auto_respond: true });
    const message = { swarm_id: swarmId, sender_user_id: userId, content: "Hello" };
    await node.add("messages", message);
    const made = await runHere(["backup", "--to", backup], { DATA_DIR: original });
    assert.equal(made.code, 0, made.stderr);
    await first.stop();
    const notHeld = await runHere(["resume"], { DATA_DIR: original });
    assert.match(notHeld.stdout, /^Nothing is held/);

    const restored = await runHere(["restore", backup, "--to", copy], {});
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /Deliveries, agent runs and mails are held.*swarmbase resume/);
    const env = { ...shared, SMTP_URL: "smtp://127.0.0.1:1" };
    const second = await startServiceHere(cleanup, { dataDir: copy, env });
    const held = await second.waitFor("service.held");
    assert.equal(held["level"], "warn");
    assert.match(String(held["backupOf"]), /^\d{4}-/);
    const there = await openNodeClient(copy);
    await there.add("swarm_members", { swarm_id: swarmId, email: "guest@example.com", status: "invited" });
    for (const path of ["/health", "/ready"]) {
      const answer = await there.call(path);
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as Record<string, unknown>)["restored_copy"], "held");
    }
    const ask = { swarm_id: swarmId, user_id: userId, message: "Again", background: true };
    const rejections = [
      await there.post("/functions/v1/agent-respond", ask),
      await there.post("/functions/v1/test-webhook", { webhook_id: webhookId, event_type: "message.created" }),
      await there.post("/functions/v1/tools", { action: "list", url: "https://localhost:1/" }),
      await there.post("/functions/v1/tools", { action: "revoke_authorization", url: "https://localhost:1/" }),
      await there.post("/auth/v1/recover", { email: "owner@example.com" }),
    ];
    for (const rejected of rejections) {
      const body = (await rejected.json()) as { message: string };
      assert.equal(rejected.status, 503, JSON.stringify(body));
      assert.match(body.message, /restored copy.*swarmbase resume/);
      assert.ok(Number(rejected.headers.get("retry-after")) > 0);
    }
    assert.equal(
      (await there.post("/rest/v1/messages", { ...message, content: "Kept" })).status,
      201,
      "rows are written",
    );
    const doctor = await runHere(["doctor", "--json"], { DATA_DIR: copy });
    assert.match(doctor.stdout, /the database is a copy, restored at .* from the backup of/);
    const dry = await runHere(["resume", "--dry-run"], { DATA_DIR: copy });
    assert.match(
      dry.stdout,
      /^This is a copy of the backup of .*\. Held: events 2, deliveries 0, runs 1, mails 1\.\n$/,
    );
    assert.deepEqual(received, [], "nothing has left the copy");
    assert.ok(!second.output().includes("mail.retried"), "no mail was tried");

    const resumed = await runHere(["resume"], { DATA_DIR: copy });
    assert.match(resumed.stdout, /^Resumed: events 2, deliveries 0, runs 1, mails 1\.\n$/);
    await second.waitFor("service.resumed");
    await second.waitFor("mail.retried");
    const replies = async (): Promise<unknown[]> =>
      (await (await there.call("/rest/v1/messages?sender_type=eq.agent&select=id")).json()) as unknown[];
    while ((await replies()).length < 1 || received.length < 3) await sleep(50);
    assert.deepEqual(new Set(received), new Set(["message.created"]));
    assert.equal(((await (await there.call("/health")).json()) as Record<string, unknown>)["restored_copy"], undefined);
    assert.equal((await there.post("/functions/v1/agent-respond", ask)).status, 202);
    await second.stop();

    // A copy that was made in another way is marked, and unmarked, by a setting.
    const heldNow = async (): Promise<boolean> =>
      (await runHere(["resume", "--dry-run"], { DATA_DIR: copy })).stdout.startsWith("This is a copy, restored at");
    for (const [setting, isHeld] of [
      ["hold", true],
      ["keep", true],
      ["resume", false],
    ] as const) {
      assert.equal((await runHere(["migrate"], { DATA_DIR: copy, RESTORED_COPY: setting })).code, 0);
      assert.equal(await heldNow(), isHeld, setting);
    }
  },
);
