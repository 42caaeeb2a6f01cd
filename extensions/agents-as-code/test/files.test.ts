import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isSameJson, type Json, type JsonObject } from "@swarmbase/sdk";
import fc from "fast-check";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { checkResource } from "../src/files/check-resource.ts";
import { FolderError, readFolder } from "../src/files/read-folder.ts";
import { renderFile, updateFile } from "../src/files/render-file.ts";
import { parseYamlFile, type YamlFile } from "../src/files/yaml-file.ts";
import { KINDS } from "../src/model/kinds.ts";
import { deriveId, slugOf } from "../src/model/keys.ts";
import { escapeReferences, findReferences, resolveReferences } from "../src/model/references.ts";
import { isSensitive } from "../src/model/is-sensitive.ts";
import { choosePositions } from "../src/plan/plan-swarm-agents.ts";
import { printable } from "../src/plan/render-plan.ts";
import { writeFiles } from "./support/folder.ts";

/** Texts that YAML or the references could mistake for something else. */
const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[\s#:{}[\],&*!|>'"%@`~?-]{0,12}[a-z\s]{0,5}$/),
  fc.constantFrom(
    "no",
    "null",
    "~",
    "1.0",
    "0x1f",
    "2026-01-01",
    "<<",
    "__proto__",
    "a: b",
    "- a",
    " \n\n x\n ",
    "\r\n",
  ),
  fc.string().map((text) => `${text}$${"{env:"}${text}`),
  fc.constantFrom("$" + "{env:A}", "$$" + "{env:A}", "$$$" + "{env:", "%{env:A}"),
);
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(anyText, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const anyFile: fc.Arbitrary<JsonObject> = fc.dictionary(anyText, anyJson, { maxKeys: 6 });

function parse(text: string): YamlFile {
  const parsed = parseYamlFile("agents/a.yaml", text);
  return "document" in parsed ? parsed : assert.fail(`${JSON.stringify(parsed)}\n${text}`);
}

describe("files", () => {
  test("a value that is written to a file is read as the same value", () => {
    fc.assert(
      fc.property(anyFile, (value) => {
        assert.ok(isSameJson(parse(renderFile(value)).value, value));
      }),
    );
  });

  test("an updated file has the new value, whatever it had before", () => {
    fc.assert(
      fc.property(anyFile, anyFile, (before, after) => {
        const file = parse(`# kept\n${renderFile(before)}`);
        assert.ok(isSameJson(parse(updateFile(file, after)).value, after));
        assert.equal(updateFile(file, before), file.text);
      }),
    );
  });

  test("an updated file keeps comments and style of what stays", () => {
    const text = "# head\nname: 'Ada' # her name\nsettings: { temperature: 1 }\nlist:\n  # first\n  - 1\n";
    const after = { name: "Ada", settings: { temperature: 2 }, list: [1], role: "Guide" };
    assert.equal(
      updateFile(parse(text), after),
      "# head\nname: 'Ada' # her name\nsettings: { temperature: 2 }\nlist:\n  # first\n  - 1\nrole: Guide\n",
    );
    const shared = "one: &shared { a: 1 }\ntwo: *shared\n";
    assert.equal(updateFile(parse(shared), { two: { a: 1 } }), "two:\n  a: 1\n");
  });

  test("a stored text never becomes a reference", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const {
          value: resolved,
          secrets,
          unset,
        } = resolveReferences(escapeReferences(value), undefined, { A: "leaked" });
        assert.ok(isSameJson(resolved, value));
        assert.deepEqual([secrets, unset], [[], []]);
      }),
    );
  });

  test("references are replaced by variables; without one, the stored value stays", () => {
    const raw = {
      url: `https://$${"{env:HOST}"}/$${"{env:PATH_}"}`,
      list: [`$${"{env:NONE}"}`],
      text: `$$${"{env:HOST}"}`,
    };
    const resolved = resolveReferences(raw, { list: ["stored"] }, { HOST: "h", PATH_: "p", NONE: "" });
    assert.deepEqual(resolved.value, { url: "https://h/p", list: ["stored"], text: "$" + "{env:HOST}" });
    assert.deepEqual(resolved.secrets, ["h", "p"]);
    assert.deepEqual(resolved.unset, [{ path: ["list", 0], names: ["NONE"], isStored: true }]);
    assert.deepEqual(findReferences(raw.text), []);
    assert.equal(resolveReferences(raw.url, undefined, {}).value, null);
  });

  test("every fault of every file is reported with its line and path", async (t) => {
    const folder = await createTemporaryFolder(t, "swarmbase-code-");
    await writeFiles(folder, {
      "agents/ada.yaml": [
        "key: Ada",
        "nmae: Ada",
        "framework: provider_z",
        "settings:",
        "  temperature: 3",
        "  stop: END",
        "  response_schema: object",
        "tools:",
        "  No Tool: {}",
        "  lookup: { enabled: maybe, speed: 1 }",
        "role: 7",
        "system_prompt: $" + "{env:NOT-A-NAME}",
        "starter_questions: [' ', Where?]",
        "grants:",
        "  - audience: all",
        "  - audience: everyone",
        "    claim: { plan: pro }",
        "  - { audience: user }",
        "  - { audience: claim, claim: {}, runs_per_day: -1, price: 1, expires_at: soon }",
      ].join("\n"),
      "agents/broken.yaml": "key: b\nname: [Ada\n",
      "agents/tagged.yaml": "key: c\nname: !secret Ada\n",
      "agents/twice.yaml": "key: d\nname: A\nname: B\n",
      "agents/list.yml": "- a\n",
      "agents/.hidden.yaml": "not read",
      "agents/notes.txt": "not read",
      "swarms/desk.yaml":
        "key: desk\nname: Desk\nstrategy: vote\nagents:\n  - agent: ada\n  - agent: ada\nmembers:\n  - email: nobody\n  - role: owner\n    user: 1\n  - {}\n",
      "tools/t.yaml":
        "key: t\nid: 7\nname: has space\ndescription: ''\nkind: builtin\ntimeout_ms: 1\nsecrets:\n  token: literal\nconfig: { x: .inf, y: 12345678901234567890 }\n",
      "webhooks/w.yaml":
        "key: w\nname: W\nurl: http://example.com\nevents: [agent.eror]\nis_active: 1\nretry_count: 99\n",
    });
    const error = await readFolder(folder).then(
      () => assert.fail("no fault"),
      (fault: unknown) => fault,
    );
    assert.ok(error instanceof FolderError);
    const [head, ...faults] = error.message.split("\n").map((line) => line.trim());
    assert.equal(head, `${faults.length} faults in the files:`);
    assert.deepEqual(faults, [
      "tools/t.yaml:2 id must be a UUID",
      "tools/t.yaml:3 name must begin with a letter or _ and go on with letters, digits, _ and -",
      "tools/t.yaml:4 description must have 1 to 1024 characters, not 0",
      "tools/t.yaml:5 kind must be http, mcp, client, a2a, rpc, function, swarm, schedule or <extension>.<kind>",
      "tools/t.yaml:9 config.x must be a finite number",
      "tools/t.yaml:9 config.y is a number that cannot be kept exactly; put it in quotes",
      "tools/t.yaml:8 secrets.token must be a reference such as $" + "{env:API_TOKEN}, not the secret itself",
      "tools/t.yaml:6 timeout_ms must be an integer from 1000 to 120000",
      "agents/ada.yaml:1 key must have lower-case letters, digits, - and _, at most 63, beginning with a letter or digit",
      "agents/ada.yaml:2 nmae is unknown; did you mean name?",
      "agents/ada.yaml:1 name is required",
      "agents/ada.yaml:11 role must be a string; put it in quotes if it looks like a number",
      "agents/ada.yaml:13 starter_questions[0] must have 1 to 200 characters, not 0",
      "agents/ada.yaml:3 framework must be one of provider_a, provider_b, provider_c",
      "agents/ada.yaml:12 system_prompt has a reference that is not of the form $" +
        "{env:NAME}; write $$" +
        "{env: for the text itself",
      "agents/ada.yaml:5 settings.temperature must be a number from 0 to 2",
      "agents/ada.yaml:6 settings.stop must be a list of at most 16 strings",
      "agents/ada.yaml:7 settings.response_schema must be a JSON Schema of at most 16384 bytes",
      "agents/ada.yaml:9 tools.No Tool must be the key of a tool, builtin/<name>, shared/<name> or shared/<id>",
      "agents/ada.yaml:10 tools.lookup.enabled must be true or false",
      "agents/ada.yaml:10 tools.lookup.speed is unknown here; known are enabled, configuration, approver",
      "agents/ada.yaml:15 grants[0].audience must be one of everyone, claim, user",
      ...[16, 18].map(
        (line, index) =>
          `agents/ada.yaml:${line} grants[${index + 1}] must have a claim for the audience claim, email or user for user, and none of them for everyone`,
      ),
      "agents/ada.yaml:19 grants[3].claim must be a mapping that is not empty",
      "agents/ada.yaml:19 grants[3].runs_per_day must be an integer that is not negative",
      ...faults.filter((line) =>
        line.includes("price is unknown here; known are audience, claim, email, user, include_"),
      ),
      "agents/ada.yaml:19 grants[3].expires_at must be a time such as 2027-01-31T00:00:00Z",
      ...faults.filter((line) => line.startsWith("agents/broken.yaml:")),
      "agents/list.yml:1 must be a mapping with the fields of the agent",
      "agents/tagged.yaml:2 Unresolved tag: !secret",
      "agents/twice.yaml:3 Map keys must be unique",
      "swarms/desk.yaml:3 strategy must be one of round_robin, parallel, mention, handoff, selector, supervisor",
      "swarms/desk.yaml:6 agents[1] is listed twice",
      "swarms/desk.yaml:8 members[0].email must be an e-mail address",
      "swarms/desk.yaml:9 members[1].role must be one of admin, member, viewer",
      "swarms/desk.yaml:10 members[1].user must be the id of a user",
      "swarms/desk.yaml:11 members[2] must have either email or user",
      "webhooks/w.yaml:3 url must be an https URL",
      "webhooks/w.yaml:4 events[0] is not an event type",
      "webhooks/w.yaml:6 retry_count must be an integer from 0 to 10",
      "webhooks/w.yaml:5 is_active must be true or false",
    ]);
    assert.ok(faults.some((line) => /^agents\/broken\.yaml:[23] /.test(line)));
  });

  test("keys that no file has, and keys that two files have, are faults", async (t) => {
    const folder = await createTemporaryFolder(t, "swarmbase-code-");
    await writeFiles(folder, {
      "agents/ada.yaml": "key: ada\nname: Ada\ntools:\n  lookup:\n  builtin/calculator:\n",
      "agents/second.yaml": "key: ada\nname: Ada\n",
      "swarms/desk.yaml": "key: desk\nname: Desk\nagents:\n  - agent: max\ncoordinator: ada\n",
      "tools/ask.yaml": "key: ask\nname: ask\ndescription: Asks.\nkind: swarm\nconfig:\n  swarm: team\n",
      "schedules/daily.yaml": "key: daily\nname: Daily\nagent: max\nswarm: team\nmessage: m\n",
    });
    await assert.rejects(readFolder(folder), {
      message: [
        "7 faults in the files:",
        '  agents/second.yaml:1 key "ada" is already the key of agents/ada.yaml',
        "  tools/ask.yaml:6 config.swarm is not the key of a file in swarms/",
        "  agents/ada.yaml:4 tools.lookup is not the key of a file in tools/",
        "  swarms/desk.yaml:4 agents[0].agent is not the key of a file in agents/",
        "  swarms/desk.yaml:5 coordinator must be one of the agents of the swarm",
        "  schedules/daily.yaml:3 agent is not the key of a file in agents/",
        "  schedules/daily.yaml:4 swarm is not the key of a file in swarms/",
      ].join("\n"),
    });
    assert.deepEqual(await readFolder(join(folder, "none")), { resources: [], exists: false });
  });

  test("a file cannot exhaust memory or time", async (t) => {
    const bomb = `a: &a [x, x]\n${Array.from({ length: 40 }, (_, index) => {
      const [from, to] = [String.fromCodePoint(97 + (index % 26)), `n${index}`];
      return `${to}: &${to} [*${index === 0 ? from : `n${index - 1}`}, *${index === 0 ? from : `n${index - 1}`}]`;
    }).join("\n")}\n`;
    const parsed = parseYamlFile("agents/bomb.yaml", bomb);
    assert.match(JSON.stringify(parsed), /resource exhaustion/i);
    const folder = await createTemporaryFolder(t, "swarmbase-code-");
    await writeFiles(folder, { "agents/big.yaml": `key: ${"x".repeat(1_100_000)}\n` });
    await assert.rejects(readFolder(folder), /agents\/big\.yaml:1 has more than 1048576 bytes/);
    for (const depth of [70, 6_000]) {
      const nested = `key: ada\nname: Ada\nsettings:\n  deep: ${"[".repeat(depth)}${"]".repeat(depth)}\n`;
      await writeFiles(folder, { "agents/big.yaml": nested });
      await assert.rejects(readFolder(folder), /agents\/big\.yaml:4 .*is nested too deeply/);
    }
  });

  test("a member named __proto__ is a member like any other", () => {
    const parsed = parse('key: ada\nname: Ada\nsettings: { "__proto__": { temperature: 9 }, constructor: 1 }\n');
    const resource = checkResource("agents", parsed);
    assert.ok("given" in resource);
    const text = JSON.stringify(resource.given);
    assert.equal(text, '{"name":"Ada","settings":{"__proto__":{"temperature":9},"constructor":1}}');
    assert.equal(({} as { temperature?: number }).temperature, undefined);
  });
});

describe("identities", () => {
  const owner = "01a1e5af-7a92-78ed-be41-490c443c9f4e";

  test("ids depend on owner, kind and key, and are UUIDs of version 5", () => {
    // Computed with Python's uuid.uuid5(uuid.UUID(owner), "agents/ada").
    assert.equal(deriveId(owner, "agents", "ada"), "5c281ed2-77f8-5d51-a28d-b313a7be9a4e");
    const others = [
      deriveId(owner, "tools", "ada"),
      deriveId(owner, "agents", "ada2"),
      deriveId(owner.replace("0", "1"), "agents", "ada"),
    ];
    assert.equal(new Set([deriveId(owner, "agents", "ada"), ...others]).size, 4);
  });

  test("every name gives a key that is valid as a file name", () => {
    assert.deepEqual(
      ["Order desk", "Émile Zola", "../../etc/passwd", "  ", "日本", "_x_"].map((name) => slugOf("agents", name)),
      ["order-desk", "emile-zola", "etc-passwd", "agent", "agent", "x"],
    );
    fc.assert(fc.property(anyText, (name) => /^[a-z0-9][a-z0-9_-]{0,62}$/.test(slugOf("tools", name))));
  });

  test("positions change only when the order does", () => {
    const stored = [
      { agentId: "a", position: 3 },
      { agentId: "b", position: 7 },
      { agentId: "c", position: 7 },
    ];
    const of = (...order: string[]) => [...choosePositions(order, stored)];
    assert.deepEqual(of("a", "b", "c"), [
      ["a", 3],
      ["b", 7],
      ["c", 7],
    ]);
    assert.deepEqual(of("a", "c"), [
      ["a", 3],
      ["c", 7],
    ]);
    assert.deepEqual(of("b", "a", "c"), [
      ["b", 7],
      ["a", 8],
      ["c", 9],
    ]);
    assert.deepEqual(of("a", "b", "d"), [
      ["a", 3],
      ["b", 7],
      ["d", 8],
    ]);
    assert.deepEqual(of("d", "a", "b", "c"), [
      ["d", 0],
      ["a", 3],
      ["b", 7],
      ["c", 7],
    ]);
  });
});

describe("secrets", () => {
  test("values that may be credentials are recognised by place, name or form", () => {
    const cases: [Parameters<typeof isSensitive>, boolean][] = [
      [["webhooks", ["headers", "X-Team"], "blue"], true],
      [["webhooks", ["url"], "https://app.example.com/hook"], false],
      [["webhooks", ["url"], "https://hooks.example.com/services/T01/B02/abcDEF0123456789abcdef01"], true],
      [["webhooks", ["url"], "https://app.example.com/hook?token=x"], true],
      [["webhooks", ["name"], "https://app.example.com/hook?token=x"], false],
      [["tools", ["config", "headers", "X-Api-Key"], "k"], true],
      [["tools", ["config", "headers", "Accept"], "text/plain"], false],
      [["tools", ["config", "auth", "secret"], "api_token"], false],
      [["tools", ["config", "body", "password"], "p"], true],
      [["tools", ["input_schema", "properties", "token"], "t"], false],
      [["assignments", ["api_token"], "t"], true],
      [["assignments", ["max_tokens"], 5], false],
      [["agents", ["settings", "access_token"], "t"], true],
      [["agents", ["system_prompt"], "Your password is"], false],
    ];
    for (const [args, expected] of cases) assert.equal(isSensitive(...args), expected, JSON.stringify(args));
  });

  test("texts cannot control the terminal", () => {
    assert.equal(printable("a\u001b[2Jb\u009bc\u202ed\r\n"), "a\\u001b[2Jb\\u009bc\\u202ed\\u000d\\u000a");
  });
});

test("the files that the guides show are valid", () => {
  const guides = join(import.meta.dirname, "../../../docs/guides");
  const shown = globSync("*.md", { cwd: guides }).flatMap((page) =>
    [...readFileSync(join(guides, page), "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => ({
      page,
      text,
      parsed: parseYamlFile(page, text),
    })),
  );
  const faults = shown.flatMap(({ text, parsed }) => {
    if (!("document" in parsed)) return parsed;
    // The others are of programs such as GitHub Actions.
    if (!/^key:/m.test(text)) return [];
    const [, folder] = /^# (?:swarmbase\/)?(\w+)\//.exec(text) ?? [];
    const kind = KINDS.find((name) => name === folder) ?? (/^kind:/m.test(text) ? "tools" : "agents");
    const checked = checkResource(kind, parsed);
    return "given" in checked ? [] : checked;
  });
  assert.deepEqual(faults, []);
  assert.ok(shown.length > 8, `${shown.length} files were found`);
});
