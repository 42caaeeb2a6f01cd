import { readFile } from "node:fs/promises";
import { after, before, describe, type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { type CuttingProxy, startCuttingProxy } from "../../../server/test/support/cutting-proxy.ts";
import { startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { INITIAL_STATE, type SwarmState } from "../src/swarm-state.ts";
import { SwarmStore } from "../src/swarm-store.ts";
import { until } from "../../../server/test/support/until.ts";

type Answer = () => Promise<Response>;

const PAYLOAD_LIMIT = 4_096;
const fail: Answer = async () => Response.json({ message: "The database cannot be reached" }, { status: 500 });

describe("the store of a swarm", () => {
  const closers: (() => Promise<void>)[] = [];
  let client: SupabaseClient<Database>;
  let proxy: CuttingProxy;
  /** Through the proxy. */
  let shaky: SupabaseClient<Database>;
  let swarmId: string;
  /** What the store has read, and how its reads are answered. */
  let finished: URL[] = [];
  let answer = (_url: URL, send: Answer): Promise<Response> => send();
  let state: SwarmState;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-react-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    const env = { DATABASE_URL, MASTER_KEY, REALTIME_PAYLOAD_LIMIT_BYTES: String(PAYLOAD_LIMIT) };
    const { credentials } = await startServiceHere(cleanup, { dataDir, env });
    setDefaultCACertificates([...getCACertificates(), await readFile(credentials.ca_cert_file ?? "", "utf8")]);
    proxy = await startCuttingProxy(cleanup, Number(new URL(credentials.url).port));
    const open = (url: string, send: typeof fetch): SupabaseClient<Database> =>
      createClient<Database>(url, credentials.anon_key, {
        global: { fetch: send },
        auth: { persistSession: false, autoRefreshToken: false },
      });
    client = open(credentials.url, fetch);
    const { data } = await client.auth.signUp({ email: "ada@example.com", password: "correct horse battery" });
    const proxied = new URL(credentials.url);
    proxied.port = String(proxy.port);
    shaky = open(proxied.href, async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const response = await answer(url, () => fetch(input, init));
      finished.push(url);
      return response;
    });
    if (data.session !== null) await shaky.auth.setSession(data.session);
    const { data: swarm } = await client.from("swarms").insert({ name: "Room" }).select("id").single().throwOnError();
    swarmId = swarm.id;
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const countRuns = (): number => finished.filter(({ pathname }) => pathname === "/rest/v1/runs").length;

  async function openStore(t: TestContext): Promise<void> {
    [state, finished, answer] = [INITIAL_STATE, [], (_url, send) => send()];
    const onChange = (changed: SwarmState): void => void (state = changed);
    const options = { presence: false, includeReasoning: false, onChange };
    const store = new SwarmStore(shaky, swarmId, { id: null, name: "Ada" }, options);
    t.after(async () => {
      await store.close();
      await shaky.realtime.disconnect();
    });
    // It has loaded the swarm, and read what it missed before it joined.
    await until(() => state.isLive && countRuns() >= 2, "the store is live");
  }

  const insert = async (content: string): Promise<void> =>
    void (await client.from("messages").insert({ swarm_id: swarmId, content }).throwOnError());
  const shows = (content: string): boolean => state.messages.some((message) => message.content === content);

  test("reads what it missed though an earlier read ends while the latest one fails", async (t) => {
    await openStore(t);
    const held: { release(answer: Answer): void; readonly received: Response }[] = [];
    answer = async (url, send) => {
      if (!url.searchParams.has("or")) return send();
      // With its body, so that cutting the connection does not break it.
      const response = await send();
      const received = new Response(await response.arrayBuffer(), response);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      held.push({ release: resolve, received });
      return (await promise)();
    };
    proxy.cut();
    await until(() => held.length >= 1, "the first read is under way");
    proxy.cut();
    await insert("Said in the second gap");
    await until(() => held.length >= 2, "the second read is under way");
    const [first, second] = held;
    answer = (_url, send) => send();
    first?.release(async () => first.received);
    await until(() => countRuns() >= 3, "the first read has ended");
    second?.release(fail);
    await until(() => shows("Said in the second gap"), "the message is shown");
  });

  test("reads a message again whose content was not delivered and could not be read", async (t) => {
    await openStore(t);
    let failures = 0;
    answer = (url, send) => {
      if (!url.searchParams.has("id") || failures > 0) return send();
      failures += 1;
      return fail();
    };
    const content = "long ".repeat(PAYLOAD_LIMIT).trim();
    await insert(content);
    await until(() => failures >= 1, "the read has failed");
    await until(() => shows(content), "the message is shown");
  });
});
