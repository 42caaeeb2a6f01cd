import type { Output } from "./plan.ts";
import { planExpression, type Rows } from "./plan-expression.ts";
import { outputNames } from "./plan-outputs.ts";

/**
 * Keeps one output for each key: the one that a JSON parser would keep of PostgREST's answer, where keys can repeat. That is the
 * last one, and embeds and spreads follow all columns there.
 */
export function keepUnique(outputs: readonly Output[], rows: Rows): readonly Output[] {
  const names = outputNames(outputs, () => starNames(rows));
  if (new Set(names).size === names.length) return outputs;
  const taken = new Set<string>();
  const kept: (readonly Output[])[] = outputs.map(() => []);
  const places = outputs.map((output, place) => ({ output, place }));
  const sorted = places.toSorted((one, other) => Number(isRelated(one.output)) - Number(isRelated(other.output)));
  for (const { output, place } of sorted.reverse()) kept[place] = takeOutput(output, rows, taken);
  return kept.flat();
}

function isRelated({ kind }: Output): boolean {
  return kind === "embed" || kind === "spread";
}

/** What is left of an output without the keys that are taken. Its keys are taken then. */
function takeOutput(output: Output, rows: Rows, taken: Set<string>): readonly Output[] {
  switch (output.kind) {
    case "star": {
      const names = starNames(rows);
      const free = takeNames(names, taken);
      if (free.length === names.length) return [output];
      return free.map((name) => ({ kind: "value", name, value: planExpression({ name, path: [] }, rows) }));
    }
    case "spread": {
      const { embed } = output;
      // Known columns of a spread are listed already.
      const free = embed.node.outputs.flatMap((inner) =>
        inner.kind === "star" ? [inner] : takeOutput(inner, rows, taken),
      );
      return free.length === 0 ? [] : [{ ...output, embed: { ...embed, node: { ...embed.node, outputs: free } } }];
    }
    default:
      return takeNames([output.name], taken).length === 0 ? [] : [output];
  }
}

function takeNames(names: readonly string[], taken: Set<string>): readonly string[] {
  const free = names.filter((name) => !taken.has(name));
  for (const name of free) taken.add(name);
  return free;
}

const UNKNOWN_COLUMNS: readonly string[] = ["*"];

function starNames({ columns }: Rows): readonly string[] {
  return columns === null ? UNKNOWN_COLUMNS : [...columns.keys()];
}
