import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { createServer, defaultClientConditions, type ViteDevServer } from "vite";
import { type BrowserTest, createBrowserTest } from "../../../console/test/support/browser-test.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import type { Instance } from "../../../console/test/support/instance.ts";
import { createPerson } from "../../../console/test/support/people.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { until } from "../../../server/test/support/until.ts";

// The template in a real browser, with the sources of our packages, and with its own server. A long test of tools installs the app as
// strangers do, and starts everything with its one command.

const TEMPLATE = resolve(import.meta.dirname, "../template");
const SOURCE = "swarmbase-source";
// A separate service: everybody on it sees the agent that is published.
const test = createBrowserTest({ SIMULATED_FIRST_TOKEN_DELAY_MS: "1" });
const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers.toReversed()) await close();
});

test("customers sign up, ask the agent of the app in private, and confirm what it does", async (t, {
  instance,
  openPage,
}) => {
  const printed = await startServer(instance);
  await publish(instance);
  const address = await startPage(instance);
  const page = await openPage(t);
  const { email, password } = await signUp(page, address, "Ada");
  await page.getByText("Only you can read what you write here.").waitFor();
  await page.getByRole("button", { name: "Where are my orders?" }).click();
  const stored = page.locator("li[data-status=stored]");
  await stored.filter({ hasText: /my_orders.*Coffee beans/ }).waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("Please refund my order A-17.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Support wants to call refund_order").waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await stored.filter({ hasText: /refund_order succeeded/ }).waitFor();
  await printed(/server: refunded A-17/);
  await printed(/webhook: tool\.executed refund_order/);
  assert.doesNotMatch(await page.locator("body").innerText(), /\/tool/);
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("button", { name: "Please refund my order A-17." }).click();
  await page.getByText("Support wants to call refund_order").waitFor();
  assert.equal(await page.getByRole("navigation").getByRole("button").count(), 3);

  await t.test("another customer sees none of it", async (t2) => {
    const other = await openPage(t2);
    await signUp(other, address, "Bob");
    await other.getByText("Only you can read what you write here.").waitFor();
    assert.equal(await other.getByRole("navigation").getByRole("button").count(), 1);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("button", { name: "Create account" }).waitFor();
  });

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
  });
});

type Page = Awaited<ReturnType<Parameters<BrowserTest>[1]["openPage"]>>;

async function signUp(page: Page, address: string, called: string): Promise<ReturnType<typeof createPerson>> {
  await page.goto(address);
  const person = createPerson(called);
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  return person;
}

/** As `npm run dev` does, before anybody signs up. */
async function publish({ dataDir }: Instance): Promise<void> {
  const program = resolve(import.meta.dirname, "../../../server/bin/swarmbase.js");
  const env = { ...process.env, DATA_DIR: dataDir, SWARMBASE_OWNER: "app@example.com" };
  for (const args of [
    ["db", "push"],
    ["apply", "--yes"],
  ])
    await promisify(execFile)(process.execPath, ["-C", SOURCE, program, ...args], {
      cwd: TEMPLATE,
      env: { ...env, SERVER_URL: process.env["SERVER_URL"] },
    });
}

/** Starts the app's own server. Returns a function that waits for a line of it. */
async function startServer({
  url,
  dataDir,
  service_role_key: key,
}: Instance): Promise<(line: RegExp) => Promise<void>> {
  process.env["SERVER_URL"] = `https://localhost:${await findFreePort()}`;
  const server: ChildProcess = spawn(process.execPath, ["-C", SOURCE, "server/main.js"], {
    cwd: TEMPLATE,
    env: {
      DATA_DIR: dataDir,
      NODE_EXTRA_CA_CERTS: join(dataDir, "tls/ca-cert.pem"),
      SERVER_URL: process.env["SERVER_URL"],
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
