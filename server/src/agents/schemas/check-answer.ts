import type { JsonRecord } from "../../json/index.ts";
import { createSchemaCompiler, type SchemaCompiler } from "./schema-compiler.ts";
import { readValue } from "./read-input.ts";

type CheckedAnswer =
  | { readonly ok: true; readonly value: unknown /** The JSON alone. */; readonly text: string }
  /** The fault is a sentence without its period. */
  | { readonly ok: false; readonly fault: string };

const SUBJECT = "the answer";
const FENCE = "```";

/** Checks whether the text is JSON that satisfies the schema. Models often put JSON into a code block, which is removed. */
export function checkAnswer(schemas: SchemaCompiler, schema: JsonRecord, answer: string): CheckedAnswer {
  const text = removeFence(answer.trim());
  const read = readValue(text);
  if (!read.ok) return { ok: false, fault: `${SUBJECT} ${read.fault}` };
  const compiled = schemas.compile(schema);
  const fault = compiled.ok ? compiled.findFault(read.value, SUBJECT) : `the response_schema ${compiled.fault}`;
  return fault === null ? { ok: true, value: read.value, text } : { ok: false, fault };
}

/** Why the text is not such JSON, as a sentence without its period; null when it is. */
export function findAnswerFault(schema: JsonRecord, answer: string): string | null {
  const checked = checkAnswer(createSchemaCompiler({ maxKept: 1 }), schema, answer);
  return checked.ok ? null : checked.fault;
}

function removeFence(text: string): string {
  const firstLineEnd = text.indexOf("\n");
  const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE) && firstLineEnd > 0;
  if (!isFenced || text.length <= firstLineEnd + FENCE.length) return text;
  const language = text.slice(FENCE.length, firstLineEnd).trim().toLowerCase();
  return language === "" || language === "json" ? text.slice(firstLineEnd, -FENCE.length).trim() : text;
}
