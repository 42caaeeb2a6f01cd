import type { Catalogue, QualifiedName } from "./catalogue.ts";
import {
  type JunctionRelationship,
  type KeyRelationship,
  type Relationship,
  relationshipsOf,
} from "./relationships.ts";

interface RelationshipQuery {
  readonly from: QualifiedName;
  /** As written before the parenthesis: a relation, a computed relationship, a constraint or a column of the key. */
  readonly target: string;
  readonly hint: string | null;
}

type Detected = KeyRelationship | JunctionRelationship;

/**
 * Finds the relationships that `target!hint` can refer to. Names are resolved as in PostgREST first. Only names that it does not
 * resolve are matched more widely, so that none changes its meaning: columns of composite keys, junctions of self references, and
 * junctions whose pair is unique by another key than the primary one. The constraint of a self reference does not say in which
 * direction it is followed, so it selects nothing, as in PostgREST.
 */
export function findRelationships(catalogue: Catalogue, query: RelationshipQuery): readonly Relationship[] {
  const { from, target, hint } = query;
  const all = relationshipsOf(catalogue, from).filter((relationship) => relationship.target.schema === from.schema);
  const computed = all.find((found) => found.kind === "computed" && found.function.name === target);
  if (computed !== undefined) return [computed];

  const detected = all.filter((relationship): relationship is Detected => relationship.kind !== "computed");
  const strict = detected.filter((relationship) =>
    relationship.isSelf ? matchesSelf(relationship, target, hint) : matches(relationship, target, hint),
  );
  if (strict.length > 0) return preferTables(strict, hint);
  const wide = detected.filter((relationship) => matchesWidely(relationship, target, hint));
  return preferTables(wide, hint);
}

function matches(relationship: Detected, target: string, hint: string | null): boolean {
  const isNamed = relationship.target.name === target;
  if (relationship.kind === "many-to-many") {
    const { junction } = relationship;
    return isNamed && junction.isByPrimaryKey && (hint === null || hint === junction.relation.name);
  }
  const [pair, ...more] = relationship.columns;
  const [own, other] = more.length === 0 && pair !== undefined ? pair : [null, null];
  if (hint !== null) return isNamed && [relationship.constraint, own, other].includes(hint);
  return isNamed || (!relationship.isTargetView && [relationship.constraint, own].includes(target));
}

/** A self reference makes two relationships: the name of the relation selects the referencing rows, the column the referenced row. */
function matchesSelf(relationship: Detected, target: string, hint: string | null): boolean {
  if (relationship.kind === "many-to-many" || relationship.columns.length !== 1) {
    return relationship.kind === "one-to-many" && hint === null && relationship.target.name === target;
  }
  const [own, other] = relationship.columns[0] ?? ["", ""];
  if (hint !== null)
    return relationship.kind === "one-to-many" && relationship.target.name === target && hint === other;
  if (relationship.kind === "one-to-many") return relationship.target.name === target;
  return relationship.kind === "many-to-one" && own === target;
}

function matchesWidely(relationship: Detected, target: string, hint: string | null): boolean {
  const isNamed = relationship.target.name === target;
  if (relationship.kind === "many-to-many") {
    const { junction } = relationship;
    return isNamed && (hint === null || hint === junction.relation.name || isJunctionSide(junction, hint));
  }
  const { columns, holdsKey, isSelf } = relationship;
  const isOwn = (word: string): boolean => columns.some(([own]) => own === word);
  const isOther = (word: string): boolean => columns.some(([, other]) => other === word);
  if (isSelf && hint !== null) return isNamed && !holdsKey && isOther(hint);
  if (isSelf) return holdsKey ? isOwn(target) : isNamed;
  if (hint !== null) return isNamed && (isOwn(hint) || isOther(hint));
  return !relationship.isTargetView && holdsKey && isOwn(target);
}

/** The foreign key of the junction to the source, by its constraint or its column. */
function isJunctionSide({ sourceConstraint, sourceColumns }: JunctionRelationship["junction"], hint: string): boolean {
  return hint === sourceConstraint || sourceColumns.some(([, own]) => own === hint);
}

/** A view of a junction has the same pairs; only a hint selects it. */
function preferTables(found: readonly Detected[], hint: string | null): readonly Detected[] {
  const hasTable = found.some((candidate) => candidate.kind === "many-to-many" && !candidate.junction.isView);
  if (hint !== null || !hasTable) return found;
  return found.filter((candidate) => candidate.kind !== "many-to-many" || !candidate.junction.isView);
}
