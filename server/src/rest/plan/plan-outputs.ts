import type { ColumnItem, FieldPath, SelectItem, StarItem } from "../parse/parsed-request.ts";
import type { Embed, Expression, Output } from "./plan.ts";
import type { NamedEmbed } from "./plan-conditions.ts";
import { planExpression, type Rows } from "./plan-expression.ts";

interface OutputScope {
  readonly rows: Rows;
  /** In the order of `select`. */
  readonly embeds: readonly NamedEmbed[];
  /** Each output needs a known name, because it is grouped by or spread into the parent. */
  readonly areNamed: boolean;
  /** Values of domains are shown as they are: rows are grouped by them, or a function takes the whole rows. */
  readonly areUnrepresented: boolean;
}

export function planOutputs(select: readonly SelectItem[], scope: OutputScope): readonly Output[] {
  const embeds = new Map(scope.embeds.map(({ item, embed }) => [item, embed]));
  return select.flatMap((item): readonly Output[] => {
    switch (item.kind) {
      case "star":
        return planStar(item, select, scope);
      case "column":
        return [planColumnItem(item, scope)];
      case "count": {
        const name = item.alias ?? "count";
        return [{ kind: "aggregate", name, function: "count", value: null, cast: item.cast }];
      }
      case "embed": {
        const embed = embeds.get(item);
        // An embed without outputs only filters.
        if (embed === undefined || embed.node.outputs.length === 0) return [];
        return [
          item.isSpread ? { kind: "spread", embed } : { kind: "embed", name: item.alias ?? item.relation, embed },
        ];
      }
    }
  });
}

/** The keys of a node's rows, in order. Those of `*` are not known. */
export function outputNames(outputs: readonly Output[], namesOfStar = (): readonly string[] => []): string[] {
  return outputs.flatMap((output) => {
    if (output.kind === "star") return namesOfStar();
    return output.kind === "spread" ? outputNames(output.embed.node.outputs, namesOfStar) : [output.name];
  });
}

export function hasAggregate(outputs: readonly Output[]): boolean {
  return outputs.some((output) => output.kind === "aggregate" || (output.kind === "spread" && isHoisted(output.embed)));
}

/** Aggregates of a spread to-one embed aggregate over the parent's rows. */
function isHoisted({ isToOne, node }: Embed): boolean {
  return isToOne && hasAggregate(node.outputs);
}

/** A named column appears once among the outputs, even when `*` repeats it. */
function planStar(star: StarItem, select: readonly SelectItem[], scope: OutputScope): readonly Output[] {
  const { rows, areNamed } = scope;
  const hidden = rows.relation?.hiddenColumns;
  if (rows.columns === null || !(areNamed || hidden !== undefined || hasRepresented(scope))) return [star];
  if (select.find(({ kind }) => kind === "star") !== star) return [];
  const chosen = new Set(select.map((item) => (item.kind === "column" ? keyOf(item) : null)));
  return [...rows.columns.keys()]
    .filter((name) => !chosen.has(name) && hidden?.has(name) !== true)
    .map((name) => planValue(name, planExpression({ name, path: [] }, rows), scope));
}

function hasRepresented({ rows, areUnrepresented }: OutputScope): boolean {
  const columns = areUnrepresented ? [] : [...(rows.columns?.values() ?? [])];
  return columns.some(({ type }) => (type.representation?.toJson ?? null) !== null);
}

function planValue(name: string, value: Expression, { areUnrepresented }: OutputScope): Output {
  const isPlain = !areUnrepresented && value.of.kind === "column" && value.path.length === 0 && value.cast === null;
  const representedBy = isPlain ? (value.of.type?.representation?.toJson ?? null) : null;
  return { kind: "value", name, value, ...(representedBy !== null && { representedBy }) };
}

function planColumnItem(item: ColumnItem, scope: OutputScope): Output {
  const { rows } = scope;
  const name = keyOf(item);
  if (isBareCount(item, rows)) return { kind: "aggregate", name, function: "count", value: null, cast: item.cast };
  const value = planExpression(item.field, rows, item.cast);
  if (item.aggregate === null) return planValue(name, value, scope);
  return { kind: "aggregate", name, function: item.aggregate, value, cast: item.aggregateCast };
}

/** The older syntax for counting rows, which many clients still use. */
function isBareCount({ field, aggregate }: ColumnItem, { relation, columns }: Rows): boolean {
  if (field.name !== "count" || field.path.length > 0 || aggregate !== null || columns === null) return false;
  return !columns.has("count") && relation?.computedFields.has("count") !== true;
}

function keyOf({ alias, aggregate, field }: ColumnItem): string {
  return alias ?? aggregate ?? lastKey(field);
}

/** `data->a->0` is named `a`, after the last key that is not an index. */
function lastKey({ name, path }: FieldPath): string {
  const step = path.findLast(({ key }) => typeof key === "string");
  return typeof step?.key === "string" ? step.key : name;
}
