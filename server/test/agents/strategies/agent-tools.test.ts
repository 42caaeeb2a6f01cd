import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";
import { agentTools } from "../../../src/agents/strategies/agent-tools.ts";
import { fallbackSelection, readSelection, selectionTool } from "../../../src/agents/strategies/selection-tool.ts";

const AGENTS = [
  { id: "id-1", name: "Éditeur en chef", role: "decides", position: 5 },
  { id: "id-2", name: "翻訳", position: 1 },
  { id: "id-3", name: "editeur-en-chef", position: 3 },
];

test("agentTools returns one tool with a unique name for each other agent", () => {
  assert.deepEqual(
    agentTools("handoff", AGENTS, "id-9", ["handoff_to_agent"]).map(({ tool, agentId }) => [tool.name, agentId]),
    [
      ["handoff_to_editeur_en_chef", "id-1"],
      ["handoff_to_agent_2", "id-2"],
      ["handoff_to_editeur_en_chef_2", "id-3"],
    ],
  );
  const asks = agentTools("member", AGENTS, "id-2");
  assert.deepEqual(
    asks.map(({ agentId }) => agentId),
    ["id-1", "id-3"],
  );
  assert.match(asks[0]?.tool.description ?? "", /"Éditeur en chef" \(decides\)/);
  assert.deepEqual(asks[0]?.tool.inputSchema["required"], ["message"]);
});

test("tool names are accepted by every vendor for any agent name", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: ANY_CHARACTER, maxLength: 110 }), { maxLength: 30 }), (names) => {
      const agents = names.map((name, index) => ({ id: `${index}`, name, role: name }));
      for (const tools of [agentTools("handoff", agents, "none"), agentTools("member", agents, "none")]) {
        const toolNames = tools.map(({ tool }) => tool.name);
        assert.equal(new Set(toolNames).size, names.length);
        for (const toolName of toolNames) assert.match(toolName, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        for (const { tool } of tools) assert.ok(!tool.description.includes("\n") && tool.description.length <= 1024);
      }
    }),
  );
});

describe("selection", () => {
  test("offers a closed list without the last speaker", () => {
    const { inputSchema, description } = selectionTool(AGENTS, "id-2");
    assert.deepEqual(inputSchema["properties"], { next: { type: "string", enum: ["id-1", "id-3", "done"] } });
    assert.match(description, /id-1: "Éditeur en chef" \(decides\)/);
    assert.doesNotMatch(description, /翻訳/);
  });

  const answers: readonly (readonly [inputText: string, choice: string | null])[] = [
    ['{"next":"id-1"}', "id-1"],
    ['{"next":"ID-1 "}', "id-1"],
    ['{"next":"done"}', "done"],
    ['"Done"', "done"],
    ["done", "done"],
    ['{"agent":"翻訳"}', "id-2"],
    ["翻訳", "id-2"],
    ['{"next":"somebody"}', null],
    ['{"a":"id-1","b":"id-2"}', null],
    ['{"next":7}', null],
    ["null", null],
    ["[]", null],
    ["", null],
    ["{", null],
  ];
  for (const [inputText, choice] of answers)
    test(`reads ${inputText}`, () => assert.equal(readSelection(inputText, AGENTS), choice));

  test("a name that two agents share selects neither", () =>
    assert.equal(
      readSelection("twin", [
        { id: "1", name: "Twin" },
        { id: "2", name: "twin" },
      ]),
      null,
    ));

  test("falls back to the next agent by position", () => {
    assert.equal(fallbackSelection(AGENTS, null), "id-2");
    assert.equal(fallbackSelection(AGENTS, "id-2"), "id-3");
    assert.equal(fallbackSelection(AGENTS, "id-1"), "id-2");
    assert.equal(fallbackSelection(AGENTS, "gone"), "id-2");
    assert.equal(fallbackSelection([], null), "done");
  });
});
