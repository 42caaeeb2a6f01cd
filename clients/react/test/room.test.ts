import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, it } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Locator, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { createBrowserTest } from "../../../console/test/support/browser-test.ts";
import type { Instance } from "../../../console/test/support/instance.ts";
import { createPerson, type Person } from "../../../console/test/support/people.ts";
import { startCuttingProxy } from "../../../server/test/support/cutting-proxy.ts";

// The component of the README, in a real browser, twice, on another origin than the service.

const FIXTURES = join(import.meta.dirname, "fixtures");
const PAGE =
  '<!doctype html><title>App</title><link rel="icon" href="data:,"><script type="module" src="/app.js"></script>';
const test = createBrowserTest();
let origin = "";
let server: Server | null = null;

before(async () => {
  const script = await build();
  server = createServer((request, response) => {
    const isScript = request.url === "/app.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : PAGE);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server?.closeAllConnections();
  server?.close();
});

it("is the component of the README", async () => {
  const page = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  assert.ok(page.includes(await readFile(join(FIXTURES, "room.tsx"), "utf8")));
});

test("useSwarm shows messages, streams, tool calls, approvals and presence to two people", async (t, environment) => {
  const { instance } = environment;
  const expected = [/status of 40[139]/, /net::ERR_/, /WebSocket connection to/];
  const proxy = await startCuttingProxy(t, Number(new URL(instance.url).port));
  const shaky = { ...instance, url: `https://localhost:${proxy.port}` };
  const [ada, bob] = [createPerson("Ada"), createPerson("Bob")];
  const page = await environment.openPage(t, { expected });
  const api = await signUp(page, instance, ada);
  const guest = await signUp(page, instance, bob);
  const [{ id: guestId } = { id: "" }] = await guest("GET", "/rest/v1/profiles?select=id");
  const swarmId = await addSwarm(api, instance, guestId);
  await guest("PATCH", `/rest/v1/swarm_members?swarm_id=eq.${swarmId}`, { status: "active" });
  await visit(page, shaky, { ...ada, swarmId });
  const other = await environment.openPage(t);
  await visit(other, instance, { ...bob, swarmId });
  await page.getByText("2 here").waitFor();

  await t.test("a message is shown at once, and the reply while it is written", async () => {
    const statuses = recordStatuses(page);
    // Long enough for the page to show that the agent writes.
    await send(page, "Hello\n/sleep 500");
    await line(page, "Clerk", /wrote: "Hello/).waitFor();
    await page.locator("li[data-status=streaming]").waitFor({ state: "detached" });
    assert.deepEqual(await texts(page), await texts(other));
    assert.deepEqual(await statuses, { question: ["sending", "stored"], reply: ["streaming", "stored"] });
  });

  await t.test("a tool call waits for an approval, and is shown with its output", async () => {
    await send(page, "/tool probe {}");
    await page.getByText("Clerk asks to call probe with {}").waitFor();
    // Only the owner of the agent may decide, but every member sees that a decision is due.
    await other.getByText("Clerk asks to call probe").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await line(page, "Clerk", /probe: succeeded .*"status"/).waitFor();
    await other.getByText("Clerk asks to call probe").waitFor({ state: "detached" });
    await send(page, "/tool probe {}");
    await page.getByRole("button", { name: "Deny" }).click();
    await line(page, "Clerk", /probe: denied/).waitFor();
  });

  await t.test("a message of somebody else arrives, and its run is followed", async () => {
    await send(other, "Is anybody here?");
    await line(page, "Bob", /Is anybody here/).waitFor();
    await line(page, "Clerk", /Bob asked: "Is anybody here/).waitFor();
  });

  await t.test("streams and changes continue after lost connections", async () => {
    const known = (await texts(page)).filter((text) => text.startsWith("Clerk")).length;
    await send(page, "/sleep 1000");
    await page.getByText("is thinking…").waitFor();
    proxy.cut();
    await send(other, "While you were away");
    await line(page, "Bob", /While you were away/).waitFor();
    const replies = page.locator("li[data-status=stored]").filter({ hasText: /^Clerk/ });
    await replies.nth(known + 1).waitFor();
    await page.locator("li[data-status=streaming]").waitFor({ state: "detached" });
    await other.locator("li[data-status=streaming]").waitFor({ state: "detached" });
    assert.deepEqual((await texts(page)).slice(-4), (await texts(other)).slice(-4));
  });

  await t.test("a run is stopped, and its text is kept", async () => {
    await send(page, "/sleep 60000");
    await page.getByText("is thinking…").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("is thinking…").waitFor({ state: "detached" });
  });

  await t.test("a message that cannot be sent is kept, and is sent again once", async () => {
    await api("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { status: "paused" });
    await send(page, "Are you there?");
    const failed = page.locator("li[data-status=failed]");
    await failed.getByText("The swarm is paused, completed or archived").waitFor();
    await api("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { status: "active" });
    await failed.getByRole("button").click();
    await line(page, "Clerk", /Ada asked: "Are you there/).waitFor();
    assert.equal((await texts(page)).filter((text) => text.startsWith("Ada Are you there?")).length, 1);
  });

  await t.test("older messages are loaded on demand, and nothing stays when the user signs out", async () => {
    const [long] = await api("POST", "/rest/v1/swarms", { name: "Long" });
    const rows = Array.from({ length: 60 }, (_, index) => ({ swarm_id: long?.id, content: `Message ${index}` }));
    await api("POST", "/rest/v1/messages", rows);
    await visit(page, instance, { ...ada, swarmId: long?.id ?? "" });
    await line(page, "Ada", /Message 10$/).waitFor();
    assert.equal((await texts(page)).length, 50);
    await page.getByRole("button", { name: "Older messages" }).click();
    await line(page, "Ada", /Message 0$/).waitFor();
    assert.equal((await texts(page)).length, 60);
    await page.evaluate(() => (window as unknown as { client: SupabaseClient }).client.auth.signOut());
    await page.getByRole("button", { name: "Try again" }).waitFor();
    assert.equal((await texts(page)).length, 0);
  });
});

type Api = (method: "POST" | "PATCH" | "GET", path: string, body?: unknown) => Promise<{ id: string }[]>;

async function signUp(page: Page, instance: Instance, { name, email, password }: Person): Promise<Api> {
  const call = async (token: string, method: string, path: string, data: unknown): Promise<unknown> => {
    const response = await page.request.fetch(`${instance.url}${path}`, {
      method,
      headers: { apikey: instance.anon_key, authorization: `Bearer ${token}`, prefer: "return=representation" },
      ...(data !== undefined && { data }),
    });
    assert.ok(response.ok(), await response.text());
    return response.json();
  };
  const account = { email, password, data: { full_name: name } };
  const { access_token: token } = (await call(instance.anon_key, "POST", "/auth/v1/signup", account)) as {
    access_token: string;
  };
  return (method, path, body) => call(token, method, path, body) as Promise<{ id: string }[]>;
}

/** A swarm of two people with one agent, whose tool asks the service itself. */
async function addSwarm(api: Api, instance: Instance, guestId: string): Promise<string> {
  const [agent] = await api("POST", "/rest/v1/agents", { name: "Clerk" });
  const [swarm] = await api("POST", "/rest/v1/swarms", { name: "Office" });
  const [tool] = await api("POST", "/rest/v1/tools", {
    name: "probe",
    description: "Asks whether the service is healthy.",
    kind: "http",
    requires_approval: true,
    config: { method: "GET", url: `${instance.url}/health` },
  });
  await api("POST", "/rest/v1/agent_tools", { agent_id: agent?.id, tool_id: tool?.id });
  await api("POST", "/rest/v1/swarm_agents", { swarm_id: swarm?.id, agent_id: agent?.id });
  await api("POST", "/rest/v1/swarm_members", { swarm_id: swarm?.id, user_id: guestId, role: "member" });
  return swarm?.id ?? "";
}

async function visit(page: Page, instance: Instance, visitor: Person & { swarmId: string }): Promise<void> {
  await page.goto(origin);
  const { url, anon_key: anonKey } = instance;
  await page.evaluate((input) => (window as unknown as { visit(input: unknown): Promise<void> }).visit(input), {
    ...visitor,
    url,
    anonKey,
  });
}

async function build(): Promise<string> {
  const built = await rolldown({
    input: join(FIXTURES, "main.tsx"),
    platform: "browser",
    resolve: { conditionNames: ["swarmbase-source", "import", "browser", "default"] },
    transform: { define: { "process.env.NODE_ENV": '"development"' } },
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false });
  return output[0].code;
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

function line(page: Page, sender: string, text: RegExp): Locator {
  return page.getByRole("listitem").filter({ hasText: sender }).filter({ hasText: text }).last();
}

function texts(page: Page): Promise<string[]> {
  return page.getByRole("listitem").allInnerTexts();
}

/** The statuses that the first question and the first reply go through, each as the same element. */
function recordStatuses(page: Page): Promise<{ question: string[]; reply: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = new Map<Element, string[]>();
        const note = (): void => {
          for (const item of document.querySelectorAll("li")) {
            const statuses = seen.get(item) ?? [];
            const status = item.dataset["status"] ?? "";
            if (statuses.at(-1) !== status) statuses.push(status);
            seen.set(item, statuses);
          }
          const [question = [], reply = []] = seen.values();
          if (reply.at(-1) === "stored") resolve({ question, reply });
        };
        new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );
}
