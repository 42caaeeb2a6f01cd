import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { findMentions } from "../../../src/agents/context/find-mentions.ts";

const AGENTS = [
  { id: "ann", name: "Ann" },
  { id: "anna", name: "Anna" },
  { id: "annlee", name: "Ann Lee" },
  { id: "jose", name: "José" },
  { id: "kanji", name: "翻訳" },
  { id: "dot", name: "v2.0-bot" },
  { id: "twin1", name: "Twin" },
  { id: "twin2", name: "twin" },
  { id: "blank", name: " " },
];

describe("findMentions", () => {
  const cases: readonly (readonly [text: string, ids: readonly string[]])[] = [
    ["hello", []],
    ["Ann, hello", []],
    ["@Ann hello", ["ann"]],
    ["@ANN, hello", ["ann"]],
    ["hello (@ann)!", ["ann"]],
    ["@Anna hello", ["anna"]],
    ["@Annabel hello", []],
    ["@Ann Lee, hello", ["annlee"]],
    ["@ann  lee", ["annlee"]],
    ["@Ann Leery", ["ann"]],
    ['@"Ann Lee" and @"Ann"', ["annlee", "ann"]],
    ["@“Ann Lee”", ["annlee"]],
    ['@"Ann Lee', []],
    ["@Jose\u0301!", ["jose"]],
    ["@JOSÉ", ["jose"]],
    ["@Jose", []],
    ["＠Ann", ["ann"]],
    ["@翻訳、", ["kanji"]],
    ["@v2.0-bot.", ["dot"]],
    ["@twin", ["twin1", "twin2"]],
    ["mail ann@anna.example", []],
    ["é@Ann", []],
    ["@@Ann", ["ann"]],
    ["@Anna @Ann @Anna", ["anna", "ann"]],
    ["@ Ann", []],
  ];
  for (const [text, ids] of cases) test(JSON.stringify(text), () => assert.deepEqual(findMentions(text, AGENTS), ids));
});

test("findMentions finds every quoted name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (name) => {
      fc.pre(name.normalize("NFKC").trim() !== "");
      assert.deepEqual(findMentions(`hi @"${name.trim()}" there`, [{ id: "x", name }]), ["x"]);
    }),
  );
});

test("findMentions finds a name whose characters fold into a space and another character", () => {
  assert.deepEqual(findMentions('hi @"\ufc5e" there', [{ id: "x", name: "\ufc5e " }]), ["x"]);
});

test("findMentions is quick for a text of @ signs only", () => {
  const agents = Array.from({ length: 100 }, (_, index) => ({ id: `${index}`, name: `${"@".repeat(99)}${index}` }));
  assert.deepEqual(findMentions("@".repeat(32_000), agents), []);
});
