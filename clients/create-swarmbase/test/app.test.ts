import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createServer, defaultClientConditions, type ViteDevServer } from "vite";
import { createBrowserTest } from "../../../console/test/support/browser-test.ts";
import { findFreePort } from "../../../console/test/support/free-port.ts";
import type { Instance } from "../../../console/test/support/instance.ts";
import { createPerson } from "../../../console/test/support/people.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { until } from "../../../server/test/support/until.ts";

// The template in a real browser, with the sources of our packages, and with its own server. A long test of tools installs the app as
// strangers do, and starts everything with its one command.

const TEMPLATE = resolve(import.meta.dirname, "../template");
const SOURCE = "swarmbase-source";
const test = createBrowserTest();
const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers.toReversed()) await close();
});

test("people sign up, ask, approve and see the answer", async (t, { instance, openPage }) => {
  const printed = await startServer(instance);
  const address = await startPage(instance);
  const page = await openPage(t);
  await page.goto(address);
  const { name, email, password } = createPerson("Ada");
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("1 here").waitFor();

  await page.getByRole("button", { name: "What is for lunch?" }).click();
  const stored = page.locator("li[data-status=stored]");
  await stored.filter({ hasText: /^BBuyer/ }).waitFor();
  await page.getByRole("button", { name: "Order two salads" }).click();
  await page.getByText("Buyer asks to call place_order").waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await stored.filter({ hasText: /place_order succeeded.*"ordered": "salad"/s }).waitFor();
  await printed(/server: ordered 2 × salad/);
  await printed(/webhook: tool\.executed place_order/);

  await t.test("a failed page says so, and loads again", async (t2) => {
    const broken = await openPage(t2, { expected: [/broken/] });
    await broken.addInitScript(() => {
      Object.defineProperty(Element.prototype, "scrollIntoView", {
        configurable: true,
        value: () => {
          throw new Error("Scrolling is broken");
        },
      });
    });
    await broken.goto(address);
    await broken.getByRole("button", { name: "I have an account" }).click();
    await broken.getByLabel("E-mail").fill(email);
    await broken.getByLabel("Password").fill(password);
    await broken.getByRole("button", { name: "Sign in" }).click();
    await broken.getByText("This page has failed: Scrolling is broken").waitFor();
    await broken.getByRole("button", { name: "Try again" }).click();
    await broken.getByText("This page has failed: Scrolling is broken").waitFor();
    assert.equal(await broken.getByText("1 here").count(), 0);
  });
});

/** Starts the app's own server. Returns a function that waits for a line of it. */
async function startServer({
  url,
  dataDir,
  service_role_key: key,
}: Instance): Promise<(line: RegExp) => Promise<void>> {
  process.env["VITE_SERVER_URL"] = `https://localhost:${await findFreePort()}`;
  const server: ChildProcess = spawn(process.execPath, ["-C", SOURCE, "server/main.js"], {
    cwd: TEMPLATE,
    env: {
      DATA_DIR: dataDir,
      NODE_EXTRA_CA_CERTS: join(dataDir, "tls/ca-cert.pem"),
      SERVER_URL: process.env["VITE_SERVER_URL"],
      SWARMBASE_URL: url,
      SWARMBASE_SERVICE_ROLE_KEY: key,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  closers.push(async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  });
  let output = "";
  server.stdout?.on("data", (part: Buffer) => (output += part.toString()));
  const untilPrinted = async (line: RegExp): Promise<void> => {
    await until(() => line.test(output));
  };
  await untilPrinted(/Webhooks are received/);
  return untilPrinted;
}

/** Serves the page as `npm run dev` does, and returns its address. */
async function startPage({ url, dataDir, anon_key: anonKey }: Instance): Promise<string> {
  // Vite and its configuration read these. The proxy of Vite connects to the service.
  process.env["SWARMBASE_URL"] = url;
  process.env["VITE_SWARMBASE_ANON_KEY"] = anonKey;
  setDefaultCACertificates([...getCACertificates(), await readFile(join(dataDir, "tls/ca-cert.pem"), "utf8")]);
  const cacheDir = await createTemporaryFolder({ after: (close) => closers.push(close) }, "swarmbase-vite-");
  const port = await findFreePort();
  const vite: ViteDevServer = await createServer({
    root: TEMPLATE,
    cacheDir,
    logLevel: "silent",
    resolve: { conditions: [SOURCE, ...defaultClientConditions] },
    server: { port, strictPort: true, watch: null },
  });
  closers.push(() => vite.close());
  await vite.listen();
  return `http://localhost:${port}`;
}
