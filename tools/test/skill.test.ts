import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { followPage } from "./support/follow-page.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const TEMPLATE = "clients/create-swarmbase/template";
const SKILL = "server/SKILL.md";

function read(path: string): Promise<string> {
  return readFile(join(REPOSITORY, path), "utf8");
}

function readHead(skill: string): string {
  return /^---\n[\s\S]*?\n---\n/.exec(skill)?.[0] ?? assert.fail("a skill begins with its name and description");
}

describe("what a new app has for coding agents", () => {
  it("describes the skill of the installed version in the same words", async () => {
    const head = readHead(await read(SKILL));
    assert.match(head, /^---\nname: swarmbase\ndescription: .{50,1024}\n---\n$/);
    assert.equal(readHead(await read(`${TEMPLATE}/.claude/skills/swarmbase/SKILL.md`)), head);
  });

  it("starts the MCP server as the guide says, read-only and with the variables of npm run dev", async () => {
    const start = { command: "npx", args: ["swarmbase", "mcp"] };
    const { mcpServers } = JSON.parse(await read(`${TEMPLATE}/.mcp.json`)) as {
      readonly mcpServers: { readonly swarmbase: { readonly env: Readonly<Record<string, string>> } };
    };
    const { env, ...started } = mcpServers.swarmbase;
    assert.deepEqual(started, start);
    const script = await read(`${TEMPLATE}/scripts/dev.js`);
    assert.ok(script.includes(`process.env.SWARMBASE_OWNER ?? "${env["SWARMBASE_OWNER"]}"`));
    assert.ok(script.includes(`findFreePort(${env["SERVER_URL"]?.split(":").at(-1)})`));
    const blocks = [...(await read("docs/guides/coding-agents.md")).matchAll(/^```json\n([\s\S]*?)^```$/gm)];
    assert.equal(blocks.length, 2);
    for (const [, block = ""] of blocks) {
      const [servers] = Object.values(JSON.parse(block) as Record<string, { readonly swarmbase: object }>);
      assert.deepEqual({ ...servers?.swarmbase, ...start }, servers?.swarmbase);
    }
  });
});

// Runs what the skill tells an assistant, word for word, on one instance.
await followPage(SKILL);
