import type { KeyRelationship, Relationship } from "./relationships.ts";

/** One entry of the details of an ambiguous embedding. */
export function describeCandidate(
  candidate: Relationship,
): Record<"cardinality" | "embedding" | "relationship", string> {
  const { kind, from, target } = candidate;
  const embedding = `${from.name} with ${target.name}`;
  if (kind === "computed") {
    const cardinality = candidate.isToOne ? "many-to-one" : "one-to-many";
    return { cardinality, embedding, relationship: candidate.function.name };
  }
  if (kind === "many-to-many") {
    const { relation, sourceConstraint, sourceColumns, targetConstraint, targetColumns } = candidate.junction;
    const source = `${sourceConstraint}${list(sourceColumns.map(([, own]) => own))}`;
    const other = `${targetConstraint}${list(targetColumns.map(([, own]) => own))}`;
    return { cardinality: kind, embedding, relationship: `${relation.name} using ${source} and ${other}` };
  }
  const own = `${from.name}${list(candidate.columns.map(([column]) => column))}`;
  const other = `${target.name}${list(candidate.columns.map(([, column]) => column))}`;
  return { cardinality: kind, embedding, relationship: `${candidate.constraint} using ${own} and ${other}` };
}

/** The expression that selects only this candidate. */
export function suggestEmbedding(candidate: Relationship): string {
  const target = candidate.target.name;
  if (candidate.kind === "computed") return candidate.function.name;
  if (candidate.kind !== "many-to-many")
    return candidate.isSelf ? suggestSelf(candidate) : `${target}!${candidate.constraint}`;
  const { relation, sourceConstraint } = candidate.junction;
  return `${target}!${candidate.isSelf ? sourceConstraint : relation.name}`;
}

/** A column of the key also says in which direction a self reference is followed. */
function suggestSelf({ target, columns, holdsKey }: KeyRelationship): string {
  const [own, other] = columns.find(([one, another]) => one !== another) ?? columns[0] ?? ["", ""];
  return holdsKey ? own : `${target.name}!${other}`;
}

function list(columns: readonly string[]): string {
  return `(${columns.join(", ")})`;
}
