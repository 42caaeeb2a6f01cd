import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../console/test/support/browser.ts";
import { collectBrowserErrors } from "../../console/test/support/browser-errors.ts";
import { NARROW, WIDE } from "../../console/test/support/browser-test.ts";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { takeScreenshot } from "../../console/test/support/screenshots.ts";
import {
  interrupt,
  OLD_NODE,
  type PackedRelease,
  packRelease,
  readOutput,
  WAIT_MS,
  whyNoNode,
} from "../package/packed-release.ts";

// Creates an app as strangers do, from a registry on this machine, starts it with one command and uses it in a browser. On the oldest
// Node.js, because npm warns about more packages there.

const root = resolve(`${import.meta.dirname}/../..`);

describe("npm create swarmbase", { skip: whyNoNode }, () => {
  let release: PackedRelease;
  let node = "";
  let app = "";
  before(async () => {
    release = await packRelease(root, "swarmbase-create-");
    node = await release.installNode(OLD_NODE);
    app = join(release.folder, "my-app");
  });
  after(() => release?.close());

  async function spawnApp(t: TestContext, variables: NodeJS.ProcessEnv) {
    const child = spawn("npm", ["run", "dev", "--", "--port", String(await findFreePort())], {
      cwd: app,
      env: { ...release.environment(node), ...variables },
      detached: true,
    });
    t.after(() => interrupt(child));
    return child;
  }

  async function startApp(t: TestContext, variables: NodeJS.ProcessEnv = {}) {
    const serverPort = String(await findFreePort());
    const child = await spawnApp(t, { SERVER_PORT: serverPort, ...variables });
    const untilPrinted = readOutput(child);
    const [, address = ""] = await untilPrinted(/Local: +(http:\/\/localhost:\d+)/);
    await untilPrinted(/Webhooks are received/);
    return { child, address, serverPort, untilPrinted };
  }

  async function untilStopped(address: string): Promise<void> {
    const { url } = JSON.parse(await readFile(join(app, ".swarmbase/credentials.json"), "utf8")) as { url: string };
    for (const one of [address, url])
      for (const deadline = Date.now() + WAIT_MS; await isListening(one); await wait(100))
        assert.ok(Date.now() < deadline, `${one} is still there`);
  }

  it("creates an app that installs without warnings, type-checks and builds", async () => {
    // A cache of its own: npm would run the program that an earlier test has installed.
    const env = { ...release.environment(node), npm_config_cache: join(release.folder, "npm-cache") };
    const { stdout, stderr } = await promisify(execFile)("npm", ["create", "--yes", "swarmbase", "my-app"], {
      cwd: release.folder,
      env,
    });
    assert.match(stdout, /Created my-app\. Next:\n\n {2}cd my-app\n {2}npm run dev\n/);
    assert.doesNotMatch(stdout + stderr, /EBADENGINE|deprecated|install-scripts/);
    const installed = await readFile(join(app, "node_modules/swarmbase/package.json"), "utf8");
    assert.equal(
      (JSON.parse(installed) as { readonly version: string }).version,
      release.packages.find(({ name }) => name === "create-swarmbase")?.version,
    );
    assert.match(await release.run(app, node, "npm", "run", "build"), /dist\/index\.html/);
  });

  it("starts everything with one command, and works in a browser", async (t) => {
    const launched = await launchBrowser();
    if ("reason" in launched) return t.skip(launched.reason);
    t.after(() => launched.browser.close());
    const { child, address, serverPort, untilPrinted } = await startApp(t);

    const page = await openPage(t, launched.browser, { address, width: WIDE });
    await takeScreenshot(page, "new-app-sign-in");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Only you can read what you write here.").waitFor();

    const streamed = recordStreams(page);
    await page.getByRole("textbox", { name: "Message" }).fill("Are you open today?");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await message(page, "Support", /You asked: "Are you open today\?"/).waitFor();
    const texts = await streamed;
    assert.ok(texts.length > 2, "the text grows while it is written");
    for (const [index, text] of texts.entries()) assert.ok(text.startsWith(texts[index - 1] ?? ""));

    await page.getByRole("textbox", { name: "Message" }).fill("Where are my orders?");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await message(page, "Support", /my_orders succeeded.*Coffee beans/).waitFor();

    await page.getByRole("textbox", { name: "Message" }).fill("Please refund my order A-17.");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await page.getByText("Support wants to call refund_order").waitFor();
    await takeScreenshot(page, "new-app-approval");
    const phone = await openPage(t, launched.browser, { address, width: NARROW });
    await phone.getByRole("button", { name: "I have an account" }).click();
    await phone.getByLabel("E-mail").fill("ada@example.com");
    await phone.getByLabel("Password").fill("correct horse");
    await phone.getByRole("button", { name: "Sign in" }).click();
    await phone.getByText("Support wants to call refund_order").waitFor();
    assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), NARROW);
    await takeScreenshot(phone, "new-app-approval");
    await page.getByRole("button", { name: "Approve" }).click();
    await message(page, "Support", /refund_order succeeded/).waitFor();
    await phone.getByText("Support wants to call refund_order").waitFor({ state: "detached" });
    await untilPrinted(/server: refunded A-17/);
    await untilPrinted(/webhook: tool\.executed refund_order/);
    await takeScreenshot(page, "new-app-done");

    const post = ["--data", "{}", `https://localhost:${serverPort}/hook`];
    const refusal = await release.run(app, node, "curl", "--silent", "--cacert", ".swarmbase/tls/ca-cert.pem", ...post);
    assert.match(refusal, /timestamp_missing|signature_missing/);
    await page.reload();
    await message(page, "Support", /Are you open today/).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Create account" }).waitFor();

    await phone.close();
    await page.close();
    await interrupt(child);
    await untilStopped(address);
  });

  it("starts again beside what uses its ports, but not twice, and ends with npm when only npm gets the signal", async (t) => {
    for (const port of [8443, 8787]) {
      const other = createServer().listen(port, "127.0.0.1");
      t.after(() => other.close());
      // Somebody else may have it: the app meets the same.
      await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => {});
    }
    const { child, address } = await startApp(t, { PORT: undefined, SERVER_PORT: undefined });
    const second = await spawnApp(t, {});
    const untilPrinted = readOutput(second);
    const ended = once(second, "exit");
    await untilPrinted(/already running on the data directory/);
    assert.deepEqual(await ended, [1, null]);
    child.kill("SIGTERM");
    await untilStopped(address);
  });
});

function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((settle) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      settle(true);
    });
    socket.on("error", () => settle(false));
  });
}

async function openPage(
  t: TestContext,
  browser: Browser,
  { address, width }: { readonly address: string; readonly width: number },
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: width === NARROW ? 740 : 900 } });
  page.setDefaultTimeout(WAIT_MS);
  // A sign-out ends the channels of the session, and the room reads once more before the app learns of it.
  const errors = await collectBrowserErrors(page, [/status of 401/]);
  t.after(() => errors.assertNone());
  await page.goto(address);
  await page.getByLabel("E-mail").waitFor();
  return page;
}

function message(page: Page, sender: string, text: RegExp) {
  const stored = page.locator("li[data-status=stored]").filter({ has: page.getByText(sender, { exact: true }) });
  return stored.filter({ hasText: text }).last();
}

/** The texts that the first message of an agent has while it is written. */
function recordStreams(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const texts: string[] = [];
        const note = (): void => {
          const item = document.querySelector("li[data-sender=agent]");
          const text = item?.querySelector(".text")?.textContent ?? "";
          if (text !== "" && text !== texts.at(-1)) texts.push(text);
          if (item?.getAttribute("data-status") === "stored") resolve(texts);
        };
        const changes = { subtree: true, childList: true, attributes: true, characterData: true };
        new MutationObserver(note).observe(document.body, changes);
      }),
  );
}
