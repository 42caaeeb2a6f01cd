import { isRecord } from "../../../json/index.ts";
import type { ModelCall } from "../model-port.ts";
import { fillSchema } from "./fill-schema.ts";

type Tool = ModelCall["tools"][number];

const MIN_COMMON_WORDS = 2;
/** Of the description, when none is of the name. */
const MIN_WORDS_OF_DESCRIPTION = 3;
/** Shorter ones, such as "the" and "for", are in most texts. */
const WORD = /\p{L}{4,}/gu;
/** Tools between agents, which directives alone call. */
const AGENT_TOOL = /^(?:handoff_to|ask)_/;
const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}-]*/gu;
/** Such as "17 * 23": asks for a calculator without naming it. */
const ARITHMETIC = /\(?\d[\d.()]{0,20}(?:(?:\s?[+*/^%]\s?|\s-\s)\(?\d[\d.()]{0,20}){1,20}/;
const WORDS_OF_ARITHMETIC = ["calculator", "expression"];

/**
 * The tool whose name and description have most words of the text, and its input: at least two with one of the name, else three of the
 * description, or all of a shorter one. When none has: null, or the first tool if one is required.
 */
export function chooseTool(
  tools: readonly Tool[],
  text: string,
  isRequired = false,
): { tool: string; inputText: string } | null {
  const asked = new Set([...wordsOf(text), ...(ARITHMETIC.test(text) ? WORDS_OF_ARITHMETIC : [])]);
  let chosen: Tool | null = (isRequired ? tools[0] : null) ?? null;
  let most = MIN_COMMON_WORDS - 1;
  for (const tool of tools.filter(({ name }) => !AGENT_TOOL.test(name))) {
    const ofName = wordsOf(tool.name.replaceAll(/[_-]/g, " "));
    const described = wordsOf(tool.description);
    const common = [...new Set([...ofName, ...described])].filter((word) => asked.has(word));
    const isNamed = common.some((word) => ofName.has(word));
    if (common.length <= most) continue;
    if (!isNamed && common.length < Math.min(MIN_WORDS_OF_DESCRIPTION, described.size)) continue;
    chosen = tool;
    most = common.length;
  }
  return chosen === null ? null : { tool: chosen.name, inputText: JSON.stringify(readInput(chosen.inputSchema, text)) };
}

/** Without the ending of a plural or of a verb, so that "refund my order" asks for what "refunds orders". */
function wordsOf(text: string): Set<string> {
  return new Set((text.toLowerCase().match(WORD) ?? []).map((word) => word.replace(/s$/, "")));
}

/** A text is the first token with a digit, such as the number of an order, or else the whole message; a number is the first number. */
function readInput(schema: unknown, text: string): unknown {
  const input = fillSchema(schema, 0);
  if (!isRecord(schema) || !isRecord(schema["properties"]) || !isRecord(input)) return input;
  const tokens = text.match(TOKEN) ?? [];
  const filled = Object.entries(schema["properties"]).flatMap(([name, member]) => {
    if (!Object.hasOwn(input, name) || !isRecord(member) || "enum" in member || "const" in member) return [];
    if (member["type"] === "string" && !("format" in member)) {
      const expression = name === "expression" ? ARITHMETIC.exec(text)?.[0] : undefined;
      return [[name, expression ?? tokens.find((token) => /\d/.test(token)) ?? text]];
    }
    const number = Number(tokens.find((token) => /^\d{1,9}$/.test(token)) ?? Number.NaN);
    const isNumber = member["type"] === "integer" || member["type"] === "number";
    return isNumber && !Number.isNaN(number) ? [[name, number]] : [];
  });
  return { ...input, ...(Object.fromEntries(filled) as object) };
}
