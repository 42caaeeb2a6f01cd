import type { AppError } from "../../errors/index.ts";
import type { Catalogue, QualifiedName } from "../catalogue/catalogue.ts";
import { describeCandidate, suggestEmbedding } from "../catalogue/describe-candidate.ts";
import { findRelationships } from "../catalogue/find-relationships.ts";
import { nearestNames } from "../catalogue/nearest-names.ts";
import { type Relationship, relationshipsOf } from "../catalogue/relationships.ts";
import type { EmbedItem } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";

type Wanted = Pick<EmbedItem, "relation" | "hint">;

/** Finds the relationship that an embed refers to. */
export function getEmbedding(catalogue: Catalogue, from: QualifiedName, wanted: Wanted): Relationship {
  const found = findRelationships(catalogue, { from, target: wanted.relation, hint: wanted.hint });
  const [first, ...more] = found;
  if (first === undefined) throw missingError(from, wanted, suggest(catalogue, from, wanted));
  if (more.length > 0) throw ambiguousError(from, wanted, found);
  return first;
}

export function missingError(from: QualifiedName, { relation, hint }: Wanted, suggestion: string | null): AppError {
  const between = `between '${from.name}' and '${relation}'`;
  const using = hint === null ? "" : ` using the hint '${hint}'`;
  return restError("PGRST200", `Could not find a relationship ${between} in the schema cache`, {
    details: `Searched for a foreign key relationship ${between}${using} in the schema '${from.schema}', but no matches were found.`,
    hint: suggestion,
  });
}

function ambiguousError(from: QualifiedName, { relation }: Wanted, found: readonly Relationship[]): AppError {
  const choices = found.map((candidate) => `'${suggestEmbedding(candidate)}'`).join(", ");
  const message = `Could not embed because more than one relationship was found for '${from.name}' and '${relation}'`;
  return restError("PGRST201", message, {
    details: found.map(describeCandidate),
    hint: `Try changing '${relation}' to one of the following: ${choices}. Find the desired relationship in the 'details' key.`,
  });
}

function suggest(catalogue: Catalogue, from: QualifiedName, { relation, hint }: Wanted): string | null {
  if (hint !== null) {
    const written = `${relation}!${hint}`;
    const candidates = findRelationships(catalogue, { from, target: relation, hint: null });
    const meant = candidates.find((candidate) => "constraint" in candidate && candidate.constraint === hint);
    const choices = (meant === undefined ? candidates : [meant]).map(suggestEmbedding);
    const choice = nearestNames(written, choices)[0] ?? choices[0];
    if (choice !== undefined) return phrase(choice, written);
  }
  const reachable = relationshipsOf(catalogue, from).filter(({ target }) => target.schema === from.schema);
  const names = reachable.map((candidate) =>
    candidate.kind === "computed" ? candidate.function.name : candidate.target.name,
  );
  const [nearest] = nearestNames(relation, new Set(names));
  return nearest === undefined ? null : phrase(nearest, relation);
}

function phrase(choice: string, written: string): string {
  return `Perhaps you meant '${choice}' instead of '${written}'.`;
}
