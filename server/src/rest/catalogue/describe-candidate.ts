import type { Relationship } from "./relationships.ts";

/** One entry of the details of an ambiguous embedding. */
export interface CandidateDescription {
  readonly cardinality: string;
  readonly embedding: string;
  readonly relationship: string;
}

export function describeCandidate(candidate: Relationship): CandidateDescription {
  const from = candidate.from.name;
  const target = candidate.target.name;
  const embedding = `${from} with ${target}`;
  switch (candidate.kind) {
    case "computed":
      return {
        cardinality: candidate.isToOne ? "many-to-one" : "one-to-many",
        embedding,
        relationship: candidate.function.name,
      };
    case "many-to-many": {
      const { relation, sourceConstraint, sourceColumns, targetConstraint, targetColumns } = candidate.junction;
      const source = `${sourceConstraint}${list(sourceColumns.map(([, own]) => own))}`;
      const other = `${targetConstraint}${list(targetColumns.map(([, own]) => own))}`;
      return { cardinality: candidate.kind, embedding, relationship: `${relation.name} using ${source} and ${other}` };
    }
    case "many-to-one":
    case "one-to-many":
    case "one-to-one": {
      const own = `${from}${list(candidate.columns.map(([column]) => column))}`;
      const other = `${target}${list(candidate.columns.map(([, column]) => column))}`;
      return {
        cardinality: candidate.kind,
        embedding,
        relationship: `${candidate.constraint} using ${own} and ${other}`,
      };
    }
  }
}

/** The expression that selects only this candidate. */
export function suggestEmbedding(candidate: Relationship): string {
  const target = candidate.target.name;
  switch (candidate.kind) {
    case "computed":
      return candidate.function.name;
    case "many-to-many": {
      const { relation, sourceConstraint } = candidate.junction;
      return `${target}!${candidate.isSelf ? sourceConstraint : relation.name}`;
    }
    case "many-to-one":
    case "one-to-many":
    case "one-to-one":
      return `${target}!${candidate.constraint}`;
  }
}

function list(columns: readonly string[]): string {
  return `(${columns.join(", ")})`;
}
