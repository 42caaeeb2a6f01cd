import assert from "node:assert/strict";
import { it } from "node:test";
import { checkBlocks } from "../documents/check-blocks.ts";

function faultsOf(language: string, text: string): readonly string[] {
  const page = `# Page\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;
  return checkBlocks({
    pages: new Map([["docs/page.md", page]]),
    acceptance: new Map(),
    sources: new Map(),
    paths: [],
    scripts: new Set(),
    generated: {},
    mentions: {},
    isGenerated: () => false,
    exists: () => true,
    readSource: () => null,
  });
}

for (const [language, good, bad] of [
  ["json", '{ "a": ["…"] }', '{ "a": 1, }'],
  ["js", "const { a } = await b();", "const { a } = await b(;"],
  ["javascript", "for await (const a of b) c(a);", "for await (const a of b c(a);"],
  ["ts", "const a: string = b;", "const a: string == b;"],
] as const)
  it(`reports a block of ${language} that cannot be parsed, with its line`, () => {
    assert.deepEqual(faultsOf(language, good), []);
    const [fault = "", ...others] = faultsOf(language, bad);
    assert.match(fault, new RegExp(`^docs/page\\.md: line 3: the ${language} cannot be parsed: `));
    assert.equal(others.length, 0);
  });

it("does not read blocks of other languages", () => {
  assert.deepEqual(faultsOf("text", "{{{"), []);
});
