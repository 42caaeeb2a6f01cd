import { stripTypeScriptTypes } from "node:module";
import type { DocumentRule } from "./rule.ts";

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Where it begins in its page. */
  readonly line: number;
}

const BLOCK = /^ *```(\w+)\n([\s\S]*?)^ *```$/gm;
const parseCode = (text: string): unknown => stripTypeScriptTypes(text);
const PARSERS: ReadonlyMap<string, (text: string) => unknown> = new Map([
  ["json", (text: string): unknown => JSON.parse(text)],
  ...["js", "javascript", "ts", "typescript"].map((language) => [language, parseCode] as const),
]);

/** Blocks of JSON, JavaScript and TypeScript can be parsed, also those that no test runs. */
export const checkBlocks: DocumentRule = ({ pages }) =>
  [...pages].flatMap(([path, page]) =>
    listBlocks(page).flatMap(({ language, text, line }) => {
      try {
        PARSERS.get(language)?.(text);
        return [];
      } catch (error) {
        return [
          `${path}: line ${line}: the ${language} cannot be parsed: ${error instanceof Error ? error.message : ""}`,
        ];
      }
    }),
  );

/** The blocks of a page that name their language. */
export function listBlocks(page: string): readonly Block[] {
  return [...page.matchAll(BLOCK)].map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    line: page.slice(0, index).split("\n").length,
  }));
}
