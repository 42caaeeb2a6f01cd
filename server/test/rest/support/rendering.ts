import type {
  Condition,
  FieldPath,
  Operation,
  OrderTerm,
  ParsedQuery,
  SelectItem,
} from "../../../src/rest/parse/parsed-request.ts";

/** The way back: a query as the pairs of a query string, with all names in quotes. */
export function renderQuery(query: ParsedQuery): [string, string][] {
  const nodes = [{ path: [], modifiers: query.root }, ...query.embeds];
  return [
    ["select", renderSelect(query.select)],
    ...(query.columns === null ? [] : [["columns", query.columns.map(quote).join(",")] as [string, string]]),
    ...(query.onConflict === null ? [] : [["on_conflict", query.onConflict.map(quote).join(", ")] as [string, string]]),
    ...nodes.flatMap(({ path, modifiers }) => {
      const prefix = path.map((name) => `${quote(name)}.`).join("");
      const pairs = modifiers.conditions.map((condition) => renderCondition(prefix, condition));
      if (modifiers.order.length > 0) pairs.push([`${prefix}order`, modifiers.order.map(renderOrderTerm).join(",")]);
      if (modifiers.limit !== null) pairs.push([`${prefix}limit`, String(modifiers.limit)]);
      if (modifiers.offset !== null) pairs.push([`${prefix}offset`, String(modifiers.offset)]);
      return pairs;
    }),
  ];
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function renderField({ name, path }: FieldPath): string {
  return quote(name) + path.map(({ kind, key }) => kind + (typeof key === "string" ? quote(key) : key)).join("");
}

function renderSelect(items: readonly SelectItem[]): string {
  return items.map(renderItem).join(",");
}

function renderItem(item: SelectItem): string {
  switch (item.kind) {
    case "star":
      return "*";
    case "count":
      return `${renderAlias(item.alias)}count()${renderCast(item.cast)}`;
    case "column": {
      const aggregate = item.aggregate === null ? "" : `.${item.aggregate}()${renderCast(item.aggregateCast)}`;
      return renderAlias(item.alias) + renderField(item.field) + renderCast(item.cast) + aggregate;
    }
    case "embed": {
      const hint = item.hint === null ? "" : `!${quote(item.hint)}`;
      const start = item.isSpread ? "..." : renderAlias(item.alias);
      return `${start}${quote(item.relation)}${hint}!${item.join}(${renderSelect(item.select)})`;
    }
  }
}

function renderAlias(alias: string | null): string {
  return alias === null ? "" : `${quote(alias)}:`;
}

function renderCast(cast: string | null): string {
  return cast === null ? "" : `::${cast}`;
}

function renderCondition(prefix: string, condition: Condition): [string, string] {
  if (condition.kind === "filter") {
    return [prefix + renderField(condition.field), renderOperation(condition.operation, (value) => value)];
  }
  const key = `${prefix}${condition.isNegated ? "not." : ""}${condition.operator}`;
  return [key, `(${condition.conditions.map(renderTerm).join(",")})`];
}

function renderTerm(condition: Condition): string {
  if (condition.kind === "filter")
    return `${renderField(condition.field)}.${renderOperation(condition.operation, quote)}`;
  const { isNegated, operator, conditions } = condition;
  return `${isNegated ? "not." : ""}${operator}(${conditions.map(renderTerm).join(", ")})`;
}

function renderOperation(operation: Operation, renderValue: (value: string) => string): string {
  const { operator, isNegated, quantifier, config, value } = operation;
  const option = quantifier ?? config;
  const start = `${isNegated ? "not." : ""}${operator}${option === null ? "" : `(${option})`}.`;
  if (typeof value !== "string") return `${start}(${value.map(quote).join(",")})`;
  return start + (operator === "is" ? value.toUpperCase() : renderValue(value));
}

function renderOrderTerm({ relation, field, direction, nulls }: OrderTerm): string {
  const term = relation === null ? renderField(field) : `${quote(relation)}(${renderField(field)})`;
  return `${term}${direction === null ? "" : `.${direction}`}${nulls === null ? "" : `.nulls${nulls}`}`;
}
