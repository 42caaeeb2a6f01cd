import assert from "node:assert/strict";
import { scanWithAxe } from "./support/axe.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { stopPolling } from "./support/stop-polling.ts";
import { assignTools, createSwarm, sendMessage, waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

test("members see who is typing and how many messages they have not read, on every device", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await stopPolling(page);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, [], { name: "Mail room" });
  const guest = await openPage(t);
  await createSignedInUser(guest, createPerson("Mary"));
  const guestApi = await getApiClient(guest, instance);
  const membership = { swarm_id: swarmId, user_id: guestApi.userId, role: "member", status: "active" };
  await api.callAsService("POST", "/rest/v1/swarm_members", membership);
  const say = (content: string) => guestApi.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content });
  const readUpTo = async (): Promise<number> => {
    const found = await api.call("GET", `/rest/v1/read_positions?swarm_id=eq.${swarmId}`);
    return (found as { last_read_seq: number }[])[0]?.last_read_seq ?? 0;
  };
  await say("first");
  await guest.goto(`/swarms/${swarmId}`);

  // The other device of the owner shows the list, and no request follows.
  const other = await page.context().newPage();
  t.after(() => other.close());
  await other.goto("/swarms");
  const item = other.getByRole("listitem").filter({ hasText: "Mail room" });
  await item.getByText("1 unread").waitFor();
  await say("second");
  await item.getByText("2 unread").waitFor();
  await scanWithAxe(other);

  await page.goto(`/swarms/${swarmId}`);
  await page.getByText("second", { exact: true }).waitFor();
  await item.getByText("unread").waitFor({ state: "detached" });
  assert.equal(await readUpTo(), 2);

  await page.getByLabel("Online: you, Mary").waitFor();
  await guest.getByRole("radio", { name: "No reply" }).click();
  await guest.getByRole("textbox", { name: "Message", exact: true }).fill("third");
  await page.getByText("Mary is typing …").waitFor();
  assert.equal(await guest.getByText(/typing/).count(), 0);
  await guest.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Mary is typing …").waitFor({ state: "detached" });
  await page.getByText("third", { exact: true }).waitFor();

  // Messages that came while the owner was elsewhere are below a line.
  await navigate(page, "/account");
  await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
  await waitUntil(async () => (await readUpTo()) >= 3);
  await say("fourth");
  await navigate(page, `/swarms/${swarmId}`);
  const line = page.getByText("New messages", { exact: true });
  await line.waitFor();

  // The user's own messages are not new, and what comes while the user writes needs no line.
  await waitUntil(async () => (await readUpTo()) >= 4);
  await navigate(page, "/account");
  await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
  await navigate(page, `/swarms/${swarmId}`);
  await page.getByText("fourth", { exact: true }).waitFor();
  await page.getByRole("radio", { name: "No reply" }).click();
  await sendMessage(page, "fifth");
  await page.getByText("fifth", { exact: true }).waitFor();
  await say("sixth");
  await page.getByText("sixth", { exact: true }).waitFor();
  assert.equal(await line.count(), 0);
});

test("a swarm of more than a hundred people shows how many they are, and lists them all", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, [], { name: "Crowd" });
  const addPerson = async (at: number): Promise<string> => {
    // Without a password: nobody signs in, and the service refuses to hash this many at a time.
    const { email } = createPerson();
    const person = { email, email_confirm: true, user_metadata: { full_name: `Person ${at}` } };
    return ((await api.callAsService("POST", "/auth/v1/admin/users", person)) as { id: string }).id;
  };
  const ids = await Promise.all(Array.from({ length: 110 }, (_, at) => addPerson(at)));
  const members = ids.map((id, at) => ({
    swarm_id: swarmId,
    user_id: id,
    role: "member",
    status: at < 5 ? "invited" : "active",
  }));
  await api.callAsService("POST", "/rest/v1/swarm_members", members);
  await page.goto("/swarms");
  await page.getByRole("listitem").filter({ hasText: "Crowd" }).getByText("106").waitFor();
  await navigate(page, `/swarms/${swarmId}`);
  const panel = page.getByRole("region", { name: "People 106, 5 invited" });
  await panel.waitFor();
  await panel.getByRole("button", { name: "Show more" }).click();
  await waitUntil(async () => (await panel.getByRole("listitem").count()) === 111);
  await panel.waitFor();
});

test("a hidden page shows one notification for an approval, in one of several tabs, after the user has turned it on", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"], { name: "Mail room" });
  await assignTools(api, agentIds[0] ?? "");
  const shown: string[] = [];
  await page.context().exposeFunction("recordNotice", (text: string) => void shown.push(text));
  // The browser of the tests has no desktop to show a notification on.
  await page.context().addInitScript(() => {
    const granted = "test.granted";
    class RecordedNotification extends EventTarget {
      static get permission() {
        return localStorage.getItem(granted) ?? "default";
      }
      static requestPermission() {
        localStorage.setItem(granted, "granted");
        return Promise.resolve("granted");
      }
      constructor(title: string, { body = "" }: { body?: string }) {
        super();
        (window as unknown as { recordNotice(text: string): void }).recordNotice(`${title}: ${body}`);
      }
      close() {}
    }
    Object.assign(window, { Notification: RecordedNotification });
    Object.defineProperty(document, "hidden", { get: () => localStorage.getItem("test.hidden") === "yes" });
  });
  await page.goto("/account");
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  await page.getByRole("button", { name: "Turn off notifications" }).waitFor();
  const second = await page.context().newPage();
  t.after(() => second.close());
  await second.goto("/approvals");
  await second.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  const ask = (to: string) =>
    api.call("POST", "/functions/v1/agent-respond", {
      swarm_id: swarmId,
      message: `Write\n/tool send_mail {"to":"${to}"}`,
      background: true,
    });
  await ask("bob");
  await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  await second.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  assert.deepEqual(shown, []);
  await page.evaluate(() => localStorage.setItem("test.hidden", "yes"));
  await ask("eve");
  await page.getByRole("link", { name: "Approvals 2 waiting" }).waitFor();
  await second.getByRole("link", { name: "Approvals 2 waiting" }).waitFor();
  await waitUntil(async () => shown.length >= 1);
  assert.deepEqual(shown, ["Ada needs your approval: send_mail, in Mail room"]);
});
