import { parseMediaType } from "../parse/media-type.ts";
import type { MediaType } from "../parse/parsed-request.ts";

const FORMATS: ReadonlyMap<string, "text" | "json"> = new Map([
  ["application/vnd.pgrst.plan", "text"],
  ["application/vnd.pgrst.plan+text", "text"],
  ["application/vnd.pgrst.plan+json", "json"],
]);

/** The accepted options of `explain`; no other word reaches a statement. */
const OPTIONS = ["analyze", "verbose", "settings", "buffers", "wal"] as const;

export interface PlanOptions {
  readonly format: "text" | "json";
  readonly options: readonly string[];
}

/** Null for every media type but that of an execution plan. */
export function readPlanOptions({ type, parameters }: MediaType): PlanOptions | null {
  const format = FORMATS.get(type);
  if (format === undefined) return null;
  const words = new Set((parameters["options"] ?? "").split("|").map((word) => word.trim()));
  return { format, options: OPTIONS.filter((option) => words.has(option)) };
}

/** The media type of the explained request. */
export function parseForMedia({ parameters }: MediaType): MediaType {
  return parseMediaType(parameters["for"] ?? "application/json");
}
