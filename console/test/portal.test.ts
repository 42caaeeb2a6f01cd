import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { checkAppearance } from "./support/appearance.ts";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { scanWithAxe } from "./support/axe.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import type { Instance } from "./support/instance.ts";
import { createSignedInUser } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { waitUntil } from "./support/swarms.ts";

const APP_PORT = await findFreePort();
const test = createBrowserTest({ PORTAL_FRAME_ANCESTORS: `http://localhost:${APP_PORT}` });

interface Customer {
  readonly api: ApiClient;
  makeLink(): Promise<URL>;
}

/** A user without a session in the browser. */
async function createCustomer(page: Page, instance: Instance): Promise<Customer> {
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page
    .context()
    .pages()[0]
    ?.evaluate(() => localStorage.clear());
  return {
    api,
    makeLink: async () => {
      const answer = await api.callAsService("POST", "/functions/v1/webhooks", {
        action: "portal_link",
        user_id: api.userId,
      });
      return new URL((answer as { url: string }).url);
    },
  };
}

test("a customer of an app manages webhooks by a link alone", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  const receiver = await startReceiver(t, instance);
  const { api, makeLink } = await createCustomer(page, instance);
  const type = `app.portal_${randomUUID().replaceAll("-", "_")}`;
  const row = { name: type, description: "An order was paid.", example: { order_id: "A-1017" } };
  await api.callAsService("POST", "/rest/v1/event_types", row);
  const link = await makeLink();
  const token = new URLSearchParams(link.hash.slice(1)).get("token") ?? "";
  await page.goto(link.href);
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  assert.equal(new URL(page.url()).hash, "");
  await checkAppearance(page, "portal-empty");
  assert.equal(await page.getByRole("link", { name: /feeds|receiver/i }).count(), 0);
  assert.equal(await page.getByRole("navigation").count(), 0);

  await page.getByRole("link", { name: "Event types" }).click();
  await page
    .getByRole("group", { name: `Example of data: ${type}` })
    .getByText("A-1017")
    .waitFor();
  await page.getByRole("heading", { name: "agent.created" }).waitFor();
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("link", { name: "New webhook" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByRole("group", { name: "The app" }).getByRole("checkbox", { name: type }).click();
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Name of header 1").fill("X-Desk");
  await page.getByLabel("Value of header 1").fill("first");
  await page.getByRole("button", { name: "Create webhook" }).click();
  const dialog = page.getByRole("dialog");
  const secret = await dialog.getByText(/^whsec_/).innerText();
  await scanWithAxe(page);
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
  await page.getByRole("tab", { name: "Secret and settings" }).click();
  await page.getByText("X-Desk", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Reveal" }).count(), 0);
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole("tab", { name: "Deliveries" }).click();

  receiver.answer(500, "not now");
  await page.getByRole("button", { name: "Send a test" }).click();
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.getByText("Not delivered").waitFor();
  await page.keyboard.press("Escape");
  receiver.answer(200);
  await page.getByRole("button", { name: `Retry now: ${type}` }).click();
  await page.getByText("Delivered.", { exact: true }).waitFor();
  await page.getByRole("button", { name: new RegExp(`^Open the delivery of ${type}, delivered`) }).click();
  await page.getByText("Tried twice; the last attempt succeeded.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Sign it here" }).count(), 0);
  await scanWithAxe(page);
  assert.equal(receiver.received[1]?.headers["x-desk"], "first");

  await page.getByRole("link", { name: "Orders" }).click();
  await page.getByRole("tab", { name: "Secret and settings" }).click();
  await page.getByRole("button", { name: "Rotate …" }).click();
  await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
  const rotated = await dialog.getByText(/^whsec_/).innerText();
  assert.notEqual(rotated, secret);
  await dialog.getByRole("button", { name: "Done" }).click();

  // Headers stay as they are until others replace them.
  for (const [name, value] of [
    [null, "first"],
    ["X-Desk", "second"],
  ] as const) {
    await page.getByRole("link", { name: "Edit" }).first().click();
    await page.getByText("X-Desk, with values that are not shown.").waitFor();
    await page.getByLabel("Timeout in milliseconds").fill(name === null ? "2000" : "3000");
    if (name !== null) {
      await page.getByRole("button", { name: "Replace all headers" }).click();
      await page.getByRole("button", { name: "Add header" }).click();
      await page.getByLabel("Name of header 1").fill(name);
      await page.getByLabel("Value of header 1").fill(value);
    }
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Orders is saved.").last().waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await dialog.getByText("Delivered", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(receiver.received.at(-1)?.headers["x-desk"], value);
  }

  const kept = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, location.href]),
  );
  assert.ok(!kept.includes(token) && !kept.includes(secret) && !kept.includes(rotated), kept);
  await page.reload();
  await page.getByText("This page has ended").waitFor();
  await scanWithAxe(page);
  // The same page takes another link.
  await page.evaluate((hash) => void (location.hash = hash), (await makeLink()).hash);
  await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
  await api.callAsService("DELETE", `/rest/v1/event_types?name=eq.${type}`);
});

const APP = `<!doctype html><title>App</title><iframe id=portal width=1000 height=700></iframe>
<script>
  var asked = 0;
  addEventListener("message", function (event) {
    if (event.data.type === "swarmbase.portal.renew") asked += 1;
  });
</script>`;

interface ServedApp {
  readonly html?: string;
  answerPost?(): Promise<unknown>;
}

/** A page of the app, which shows the portal in a frame. */
async function serveApp(t: TestContext, port: number, { html = APP, answerPost }: ServedApp = {}): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method !== "POST") response.setHeader("content-type", "text/html").end(html);
    else void answerPost?.().then((answer) => response.end(JSON.stringify(answer)));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${port}/`;
}

test("the portal is shown in a frame of an allowed page, which gives it another link before the old one ends", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const { makeLink } = await createCustomer(page, instance);
  await page.goto(await serveApp(t, APP_PORT));
  const show = (url: string) => page.evaluate((src) => document.querySelector("iframe")?.setAttribute("src", src), url);
  const give = (url: string) =>
    page.evaluate((link) => {
      const { contentWindow } = document.querySelector("iframe") ?? {};
      contentWindow?.postMessage({ type: "swarmbase.portal.link", url: link }, "*");
    }, url);
  const countAsked = () => page.evaluate(() => Reflect.get(globalThis, "asked") as number);

  const ending = await makeLink();
  const leftMs = 5_000;
  const fragment = new URLSearchParams(ending.hash.slice(1));
  fragment.set("expires_at", new Date(Date.now() + leftMs).toISOString());
  await show(`${ending.origin}/portal/webhooks/new#${fragment.toString()}`);
  const portal = page.frameLocator("#portal");
  await portal.getByLabel("Name", { exact: true }).fill("Typed before");
  await portal.getByText("This page has ended").waitFor();
  assert.equal(await portal.getByLabel("Name", { exact: true }).isVisible(), false);
  assert.ok((await countAsked()) >= 2, "it asks before the end, and at the end");
  await give((await makeLink()).href);
  await portal.getByText("This page has ended").waitFor({ state: "hidden" });
  assert.equal(await portal.getByLabel("Name", { exact: true }).inputValue(), "Typed before");
  // What is no link changes nothing.
  await give("https://localhost/portal#expires_at=never");
  await page.evaluate(() => {
    const { contentWindow } = document.querySelector("iframe") ?? {};
    for (const data of [null, 7, "x", { type: "swarmbase.portal.link" }, { type: "swarmbase.portal.link", url: 7 }])
      contentWindow?.postMessage(data, "*");
  });
  await portal.getByRole("link", { name: "Webhooks" }).click();
  await portal.getByRole("button", { name: "Leave" }).click();
  await portal.getByRole("heading", { name: "No webhooks yet" }).waitFor();
});

test("the page of the guide shows the portal and renews its link", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  const { makeLink } = await createCustomer(page, instance);
  const guide = await readFile(join(import.meta.dirname, "../../docs/guides/webhook-portal.md"), "utf8");
  const html = /^```html\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? "";
  let links = 0;
  const answerPost = async (): Promise<{ url: string }> => {
    const link = await makeLink();
    links += 1;
    // The first one seems to end within the minute before which the portal asks for another.
    if (links === 1)
      link.hash = link.hash.replace(/expires_at=[^&]+/, `expires_at=${new Date(Date.now() + 30_000).toISOString()}`);
    return { url: link.href };
  };
  await page.goto(await serveApp(t, APP_PORT, { html: `<!doctype html><title>App</title>${html}`, answerPost }));
  await page.frameLocator("#portal").getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await waitUntil(async () => links === 2);
  await page.frameLocator("#portal").getByRole("link", { name: "Event types" }).click();
  await page.frameLocator("#portal").getByRole("heading", { level: 1, name: "Event types" }).waitFor();
});

test("no other page shows the portal in a frame, and none the console", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/frame-ancestors|Framing|X-Frame-Options/i] });
  const { makeLink } = await createCustomer(page, instance);
  const allowed = `http://localhost:${APP_PORT}/`;
  await serveApp(t, APP_PORT);
  const other = await serveApp(t, await findFreePort());
  for (const [around, url] of [
    [other, (await makeLink()).href],
    [allowed, `${instance.url}/webhooks`],
    [allowed, `${instance.url}/oauth/consent?authorization_id=${randomUUID()}`],
    [allowed, `${instance.url}/`],
  ] as const) {
    await page.goto(around);
    const refused = page.waitForEvent("console", (message) => /frame/i.test(message.text()));
    await page.evaluate((src) => document.querySelector("iframe")?.setAttribute("src", src), url);
    assert.match((await refused).text(), /frame-ancestors/, url);
    assert.equal(await page.frameLocator("#portal").locator("#root").count(), 0);
  }
});
