import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { openRunStage, type RunStage } from "../../../server/test/support/tool-stage.ts";
import { until } from "../../../server/test/support/until.ts";
import { newAccountAgent, openAccountNode } from "./support/account-stage.ts";

const EXAMPLE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js"));
const TOKEN = /^ {2}token: '([^']+)'/;

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Example {
  readonly url: string;
  readonly authUrl: string;
  /** The tokens of the requests since the last call, each once. */
  takeTokens(): readonly string[];
}

/** The example server of the SDK of MCP, as its authors publish it, with its OAuth provider. It writes the token of each request. */
async function startExample(): Promise<Example> {
  const [port, authPort] = [await findFreePort(), await findFreePort()];
  const env = { ...process.env, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) };
  const child = spawn(process.execPath, [EXAMPLE, "--oauth", "--oauth-strict"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  closers.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => void lines.push(line));
  await until(
    async () => lines.filter((line) => line.includes("listening on port")).length === 2,
    "the example listens",
  );
  return {
    url: `http://localhost:${port}/mcp`,
    authUrl: `http://localhost:${authPort}`,
    takeTokens: () => [...new Set(lines.splice(0).flatMap((line) => TOKEN.exec(line)?.[1] ?? []))],
  };
}

/** The provider of the example agrees at once, whoever asks. */
async function signIn(url: string): Promise<{ readonly state: string; readonly code: string }> {
  const response = await fetch(url, { redirect: "manual" });
  const { state = "", code = "" } = Object.fromEntries(new URL(response.headers.get("location") ?? "").searchParams);
  return { state, code };
}

test("two people connect at the example server of the MCP SDK, each with a token of their own", async (t) => {
  const { url, authUrl, takeTokens } = await startExample();
  const config = { url, remote_name: "list-files", auth: { type: "oauth", account: "asker" } };
  const agent = await newAccountAgent(stage, () => openAccountNode(t, stage).node, { kind: "mcp", config });
  const { node, tools } = openAccountNode(t, stage);
  const tokenOf = new Map<string, string>();
  for (const personId of [await stage.newUser(), await stage.newUser()]) {
    const asked = await agent.ask(personId, { node });
    const { question } = await asked.waiting();
    assert.equal(new URL(question.url).origin, authUrl);
    assert.deepEqual(takeTokens(), [], "nobody else's account is used");
    await tools.authorizations.finish({ callerId: personId, ...(await signIn(question.url)) });
    assert.match(await asked.end(), /file:\/\//);
    const [token = "", ...others] = takeTokens();
    assert.deepEqual(others, []);
    tokenOf.set(personId, token);
  }
  const [alice = "", bob = ""] = tokenOf.keys();
  const issued = await Promise.all(
    [...tokenOf.values()].map(async (token) => {
      const response = await fetch(`${authUrl}/introspect`, { method: "POST", body: new URLSearchParams({ token }) });
      return (await response.json()) as { active: boolean; aud: string; client_id: string };
    }),
  );
  assert.deepEqual(
    issued.map(({ active, aud }) => [active, aud]),
    [
      [true, url],
      [true, url],
    ],
  );
  assert.equal(new Set(tokenOf.values()).size, 2);
  assert.equal(new Set(issued.map(({ client_id: id }) => id)).size, 2, "each is a client of its own");

  for (const personId of [bob, alice, bob, bob, alice]) {
    assert.match(await (await agent.ask(personId, { node })).end(), /file:\/\//);
    assert.deepEqual(takeTokens(), [tokenOf.get(personId)]);
  }

  const [own] = await tools.authorizations.list(alice);
  assert.equal(await tools.authorizations.revoke({ ownerId: alice, account: "asker", url: own?.url ?? "" }), true);
  await (await agent.ask(alice, { node })).waiting();
  assert.deepEqual(takeTokens(), []);
  assert.match(await (await agent.ask(bob, { node })).end(), /file:\/\//);
  assert.deepEqual(takeTokens(), [tokenOf.get(bob)]);

  // The provider has no refresh tokens, and its tokens end after an hour.
  const later = openAccountNode(t, stage, { clock: { now: () => new Date(Date.now() + 2 * 3_600_000) } });
  await (await agent.ask(bob, { node: later.node })).waiting();
  assert.deepEqual(takeTokens(), []);
});
