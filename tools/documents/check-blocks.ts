import { stripTypeScriptTypes } from "node:module";
import type { DocumentRule } from "./rule.ts";

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
const parseCode = (text: string): unknown => stripTypeScriptTypes(text);
const PARSERS: ReadonlyMap<string, (text: string) => unknown> = new Map([
  ["json", (text: string): unknown => JSON.parse(text)],
  ...["js", "javascript", "ts", "typescript"].map((language) => [language, parseCode] as const),
]);

/** Blocks of JSON, JavaScript and TypeScript can be parsed, also those that no test runs. */
export const checkBlocks: DocumentRule = ({ pages }) =>
  [...pages].flatMap(([path, page]) =>
    [...page.matchAll(BLOCK)].flatMap(({ 1: language = "", 2: text = "", index }) => {
      try {
        PARSERS.get(language)?.(text);
        return [];
      } catch (error) {
        const line = page.slice(0, index).split("\n").length;
        return [
          `${path}: line ${line}: the ${language} cannot be parsed: ${error instanceof Error ? error.message : ""}`,
        ];
      }
    }),
  );
