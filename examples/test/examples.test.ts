import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../console/test/support/browser.ts";
import { type ExtendedService, startExtendedService } from "../../server/test/support/extended-service.ts";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { until } from "../../server/test/support/until.ts";
import { WAIT_MS } from "../../server/test/support/wait-limit.ts";

const EXAMPLES = join(import.meta.dirname, "..");
const closers: (() => unknown)[] = [];
const cleanup = { after: (close: () => unknown) => closers.unshift(close) };

let service: ExtendedService;
/** Where the examples are started: it has the files of the service. */
let folder = "";

before(async () => {
  const EXTENSIONS = join(EXAMPLES, "extension/index.ts");
  service = await startExtendedService(cleanup, { EXTENSIONS, VISITS_GREETING: "Welcome" });
  folder = await createTemporaryFolder(cleanup, "swarmbase-examples-");
  await symlink(dirname(dirname(service.service.credentials.ca_cert_file ?? "")), join(folder, ".swarmbase"), "dir");
});
after(async () => {
  for (const close of closers) await close();
});

function start(program: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const path = join(EXAMPLES, program);
  const authority = service.service.credentials.ca_cert_file ?? "";
  return spawn(process.execPath, ["-C", "swarmbase-source", path, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NODE_EXTRA_CA_CERTS: authority, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Starts a program that serves, and returns what it has printed when it is ready. */
async function serve(program: string, env: Readonly<Record<string, string>>): Promise<() => string> {
  const child = start(program, [], env);
  const exited = once(child, "exit");
  cleanup.after(async () => {
    child.kill();
    await exited;
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += String(chunk)));
  await until(
    () => printed.includes("localhost:") || child.exitCode !== null,
    `${program} serves`,
    () => printed,
  );
  return () => printed;
}

test("the script prints the answer of its agent", async () => {
  const child = start("script/ask.ts", ["Is it done?"]);
  const [answer, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.equal(code, 0, errors);
  assert.match(answer, /^Guide: \[simulated\] You asked: "Is it done\?"/);
});

test("the web app signs in, asks and shows the answer", async (t) => {
  const launched = await launchBrowser();
  if ("reason" in launched) return t.skip(launched.reason);
  t.after(() => launched.browser.close());
  const PORT = String(await findFreePort());
  await serve("web-app/serve.ts", { PORT });
  // The certificate authority of the service is its own.
  const page = await (await launched.browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`http://localhost:${PORT}`);
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Invalid login credentials").waitFor();
  await page.getByRole("button", { name: "Sign up" }).click();
  for (const question of ["Is it done?", "And now?"]) {
    await page.getByLabel("Question").fill(question);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText(new RegExp(`^\\[simulated\\] You asked: "${question.replace("?", "\\?")}"`)).waitFor();
  }
});

test("the webhook receiver prints the events of its webhook, and rejects others", async () => {
  const bob = await service.signUp("bob");
  const PORT = String(await findFreePort());
  const url = `https://localhost:${PORT}`;
  const { secret } = await bob.insert("webhooks", { name: "Example", url, events: ["agent.created"] });
  const output = await serve("webhook-receiver/receive.ts", { PORT, WEBHOOK_SECRET: secret });
  const { id } = await bob.insert("agents", { name: "Clerk" });
  const find = () => /^\{.*\}$/m.exec(output())?.[0];
  await until(() => find() !== undefined, "the event arrives", output);
  const line = find() ?? "";
  const { type, data } = JSON.parse(line);
  assert.deepEqual([type, data.agent_id], ["agent.created", id]);
  const forged = await service.fetch(url, { method: "POST", body: line });
  assert.deepEqual([forged.status, await forged.text()], [400, "timestamp_missing"]);
});

test("the extension counts the visits of each user, and the guide shows its files", async () => {
  const [cleo, dan] = [await service.signUp("cleo"), await service.signUp("dan")];
  const messages = [];
  for (const user of [cleo, cleo, dan]) messages.push((await user.send("POST", "/visits/v1")).message);
  assert.deepEqual(messages, ["Welcome, visit 1", "Welcome, visit 2", "Welcome, visit 1"]);
  const guide = await readFile(join(EXAMPLES, "../docs/guides/extensions.md"), "utf8");
  for (const file of ["index.ts", "sql/migrations/0001_visits.sql"])
    assert.ok(guide.includes(await readFile(join(EXAMPLES, "extension", file), "utf8")), file);
});
