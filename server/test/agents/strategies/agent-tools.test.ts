import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { handoffTools } from "../../../src/agents/strategies/handoff-tools.ts";
import { memberTools } from "../../../src/agents/strategies/member-tools.ts";
import { fallbackSelection, readSelection, selectionTool } from "../../../src/agents/strategies/selection-tool.ts";

const AGENTS = [
  { id: "id-1", name: "Éditeur en chef", role: "decides", position: 5 },
  { id: "id-2", name: "翻訳", position: 1 },
  { id: "id-3", name: "editeur-en-chef", position: 3 },
];

test("one tool for each other agent, named after it and unique", () => {
  assert.deepEqual(
    handoffTools(AGENTS, "id-9", ["handoff_to_agent"]).map(({ tool, agentId }) => [tool.name, agentId]),
    [
      ["handoff_to_editeur_en_chef", "id-1"],
      ["handoff_to_agent_2", "id-2"],
      ["handoff_to_editeur_en_chef_2", "id-3"],
    ],
  );
  const asks = memberTools(AGENTS, "id-2");
  assert.deepEqual(
    asks.map(({ agentId }) => agentId),
    ["id-1", "id-3"],
  );
  assert.match(asks[0]?.tool.description ?? "", /"Éditeur en chef" \(decides\)/);
  assert.deepEqual(asks[0]?.tool.inputSchema["required"], ["message"]);
});

test("every vendor accepts the names, whatever agents are called", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 110 }), { maxLength: 30 }), (names) => {
      const agents = names.map((name, index) => ({ id: `${index}`, name, role: name }));
      for (const tools of [handoffTools(agents, "none"), memberTools(agents, "none")]) {
        const toolNames = tools.map(({ tool }) => tool.name);
        assert.equal(new Set(toolNames).size, names.length);
        for (const toolName of toolNames) assert.match(toolName, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        for (const { tool } of tools) assert.ok(!tool.description.includes("\n") && tool.description.length <= 1024);
      }
    }),
  );
});

describe("selection", () => {
  test("is one of a closed list without the last speaker", () => {
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

  test("a name that two have means neither", () =>
    assert.equal(
      readSelection("twin", [
        { id: "1", name: "Twin" },
        { id: "2", name: "twin" },
      ]),
      null,
    ));

  test("falls back to the next by position", () => {
    assert.equal(fallbackSelection(AGENTS, null), "id-2");
    assert.equal(fallbackSelection(AGENTS, "id-2"), "id-3");
    assert.equal(fallbackSelection(AGENTS, "id-1"), "id-2");
    assert.equal(fallbackSelection(AGENTS, "gone"), "id-2");
    assert.equal(fallbackSelection([], null), "done");
  });
});
