import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";
import { agentTools } from "../../../src/agents/strategies/agent-tools.ts";
import {
  fallbackSelection,
  readSelection,
  selectionTool,
  toChoices,
} from "../../../src/agents/strategies/selection-tool.ts";

const AGENTS = [
  { id: "id-1", name: "Éditeur en chef", role: "decides", position: 5 },
  { id: "id-2", name: "翻訳", position: 1 },
  { id: "id-3", name: "editeur-en-chef", position: 3 },
];

test("agentTools returns one tool with a unique name for each agent", () => {
  assert.deepEqual(
    agentTools("handoff", AGENTS, ["handoff_to_agent"]).map(({ tool, agent }) => [tool.name, agent.id]),
    [
      ["handoff_to_editeur_en_chef", "id-1"],
      ["handoff_to_agent_2", "id-2"],
      ["handoff_to_editeur_en_chef_2", "id-3"],
    ],
  );
  const asks = agentTools("member", AGENTS);
  assert.match(asks[0]?.tool.description ?? "", /"Éditeur en chef" \(decides\)/);
  assert.deepEqual(asks[0]?.tool.inputSchema["required"], ["message"]);
});

test("tool names are accepted by every vendor for any agent name", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: ANY_CHARACTER, maxLength: 110 }), { maxLength: 30 }), (names) => {
      const agents = names.map((name, index) => ({ id: `${index}`, name, role: name }));
      for (const tools of [agentTools("handoff", agents), agentTools("member", agents)]) {
        const toolNames = tools.map(({ tool }) => tool.name);
        assert.equal(new Set(toolNames).size, names.length);
        for (const toolName of toolNames) assert.match(toolName, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
        for (const { tool } of tools) assert.ok(!tool.description.includes("\n") && tool.description.length <= 1024);
      }
    }),
  );
});

describe("selection", () => {
  test("offers a closed list of names", () => {
    const { inputSchema, description } = selectionTool(AGENTS);
    const names = ["Éditeur en chef", "翻訳", "editeur-en-chef", "done"];
    assert.deepEqual(inputSchema["properties"], { next: { type: "string", enum: names } });
    assert.match(description, /^"Éditeur en chef" \(decides\)$/m);
    assert.doesNotMatch(description, /id-/);
  });

  test("an agent that is called done is offered by another name", () => {
    const choices = toChoices([{ id: "1", name: "Done" }], ({ name }) => name);
    assert.deepEqual(
      choices.map(({ name }) => name),
      ["Done (agent)"],
    );
    assert.equal(readSelection('{"next":"Done (agent)"}', choices), "1");
    assert.equal(readSelection('{"next":"Done"}', choices), "done");
  });

  const answers: readonly (readonly [inputText: string, choice: string | null])[] = [
    ['{"next":"Éditeur en chef"}', "id-1"],
    ['{"next":"éditeur en CHEF "}', "id-1"],
    ["I would let 翻訳 speak next.", "id-2"],
    ["翻訳, or else editeur-en-chef", null],
    ["editeur-en-chefs", null],
    ['{"next":"id-1"}', null],
    ['{"next":"done"}', "done"],
    ['"Done"', "done"],
    ["done", "done"],
    ['{"agent":"翻訳"}', "id-2"],
    ["翻訳", "id-2"],
    ['{"next":"somebody"}', null],
    ['{"a":"翻訳","b":"editeur-en-chef"}', null],
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
