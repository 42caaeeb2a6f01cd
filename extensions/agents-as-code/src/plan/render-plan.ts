import type { Json } from "@swarmbase/sdk";
import type { Action, Change, Plan, Step } from "./plan.ts";

const SIGNS: Readonly<Record<Action, string>> = { create: "+", update: "~", delete: "-" };
const NOUN_WIDTH = 12;
const MAX_VALUE = 100;
const MAX_LINES = 6;
/** Could move the cursor, hide text or reverse its direction: names and prompts may come from anybody. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** What `apply` would do. Values of secrets are never part of it. */
export function renderPlan(plan: Plan): string {
  const lines = mergeSteps(plan.steps).flatMap((step) => [renderStep(step), ...renderChanges(step)]);
  const kept = plan.kept.map((step) => `${renderStep(step)}  (kept; --delete removes it)`);
  const missing = findMissing(plan.steps);
  return [
    ...lines,
    ...kept,
    ...(lines.length + kept.length > 0 ? [""] : []),
    ...plan.notes.map((note) => `Note: ${printable(note)}`),
    ...(missing.length > 0 ? [`Not set: ${missing.join(", ")}. \`apply\` needs them.`] : []),
    summarise(plan),
    "",
  ].join("\n");
}

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Variables without which the steps cannot be made. */
export function findMissing(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.flatMap(({ missing }) => missing))].sort();
}

function summarise({ steps, kept, unchanged }: Plan): string {
  if (steps.length === 0) {
    const rest = kept.length === 0 ? "" : ` ${kept.length} not in the files.`;
    return `No changes: ${unchanged} compared.${rest}`;
  }
  const merged = mergeSteps(steps);
  const count = (action: Action): number => merged.filter((step) => step.action === action).length;
  return `Plan: ${count("create")} to create, ${count("update")} to update, ${count("delete")} to delete, ${unchanged} unchanged.`;
}

/** A swarm and its coordinator are two requests and one line. */
function mergeSteps(steps: readonly Step[]): readonly Step[] {
  const groups = Map.groupBy(steps, ({ noun, title, action }) => `${noun} ${title} ${action === "delete"}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, changes: [first, ...others].flatMap(({ changes }) => changes) }],
  );
}

/** `~ agent       ada  agents/ada.yaml`. */
function renderStep({ action, noun, title, place }: Step): string {
  return printable(`${SIGNS[action]} ${noun.padEnd(NOUN_WIDTH)}${title}${place === null ? "" : `  ${place.file}`}`);
}

function renderChanges({ action, changes }: Step): readonly string[] {
  if (action === "delete") return [];
  return changes.flatMap((change) => renderChange(change).map((line) => `    ${line}`));
}

function renderChange({ path, before, after, isSecret }: Change): readonly string[] {
  const label = printable(path);
  if (isSecret) {
    if (before === undefined) return [`${label}: (secret)`];
    return [`${label}: ${after === undefined ? "(secret) removed" : "(secret) written again"}`];
  }
  if (isLongText(before) || isLongText(after)) return [`${label}:`, ...renderTexts(before, after)];
  if (before === undefined) return [`${label}: ${renderValue(after)}`];
  return [`${label}: ${renderValue(before)} → ${after === undefined ? "(removed)" : renderValue(after)}`];
}

function renderValue(value: Json | undefined): string {
  const text = printable(JSON.stringify(value ?? null));
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… (${text.length} characters)`;
}

function isLongText(value: Json | undefined): value is string {
  return typeof value === "string" && (value.includes("\n") || value.length > MAX_VALUE);
}

/** The lines between the first and the last one that differ. */
function renderTexts(before: Json | undefined, after: Json | undefined): readonly string[] {
  const linesOf = (value: Json | undefined): readonly string[] =>
    typeof value === "string" ? value.replace(/\n$/, "").split("\n") : [];
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const show = (sign: string, lines: readonly string[]): readonly string[] => {
    const shown = lines.slice(0, MAX_LINES).map((line) => `  ${sign} ${printable(line)}`);
    return lines.length > MAX_LINES ? [...shown, `  ${sign} … ${lines.length - MAX_LINES} more lines`] : shown;
  };
  return [...show("-", old.slice(start, old.length - end)), ...show("+", fresh.slice(start, fresh.length - end))];
}
