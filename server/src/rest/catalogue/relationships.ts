import {
  type Catalogue,
  type ColumnPair,
  findRelation,
  type ForeignKeyRelationship,
  type QualifiedName,
} from "./catalogue.ts";

interface RelationshipEnds {
  readonly from: QualifiedName;
  readonly target: QualifiedName;
  /** One object or null instead of an array. */
  readonly isToOne: boolean;
  readonly isSelf: boolean;
  readonly isTargetView: boolean;
}

/** A foreign-key relationship as seen from one of its sides. */
export interface KeyRelationship extends RelationshipEnds {
  readonly kind: "many-to-one" | "one-to-one" | "one-to-many";
  readonly constraint: string;
  /** Of the relation it goes from, and of its target. */
  readonly columns: readonly ColumnPair[];
  /** The source relation has the foreign key. */
  readonly holdsKey: boolean;
}

export interface JunctionRelationship extends RelationshipEnds {
  readonly kind: "many-to-many";
  readonly junction: {
    readonly relation: QualifiedName;
    readonly isView: boolean;
    readonly sourceConstraint: string;
    /** Of the relation it goes from, and of the junction. */
    readonly sourceColumns: readonly ColumnPair[];
    readonly targetConstraint: string;
    /** Of the target, and of the junction. */
    readonly targetColumns: readonly ColumnPair[];
    /** Both foreign keys are part of the junction's primary key; otherwise another key makes the pair unique. */
    readonly isByPrimaryKey: boolean;
  };
}

interface FunctionRelationship extends RelationshipEnds {
  readonly kind: "computed";
  readonly function: QualifiedName;
}

export type Relationship = KeyRelationship | JunctionRelationship | FunctionRelationship;

interface RelationshipIndex {
  readonly out: ReadonlyMap<string, readonly ForeignKeyRelationship[]>;
  readonly in: ReadonlyMap<string, readonly ForeignKeyRelationship[]>;
  readonly found: Map<string, readonly Relationship[]>;
}

// Computed lazily: junctions times views are many, and few are ever used.
const indexes = new WeakMap<Catalogue, RelationshipIndex>();

/** Everything that can be embedded into rows of a relation, in a fixed order. */
export function relationshipsOf(catalogue: Catalogue, from: QualifiedName): readonly Relationship[] {
  const index = indexes.get(catalogue) ?? buildIndex(catalogue);
  indexes.set(catalogue, index);
  const key = keyOf(from);
  const known = index.found.get(key);
  if (known !== undefined) return known;
  const found = [
    ...computedOf(catalogue, from),
    ...(index.out.get(key) ?? []).map((relationship) => followKey(relationship, true)),
    ...(index.in.get(key) ?? []).map((relationship) => followKey(relationship, false)),
    ...junctionsOf(catalogue, index, from),
  ];
  index.found.set(key, found);
  return found;
}

function buildIndex({ relationships }: Catalogue): RelationshipIndex {
  return {
    out: Map.groupBy(relationships, ({ from }) => keyOf(from)),
    in: Map.groupBy(relationships, ({ target }) => keyOf(target)),
    found: new Map(),
  };
}

function computedOf(catalogue: Catalogue, from: QualifiedName): FunctionRelationship[] {
  const relation = findRelation(catalogue, from);
  return [...(relation?.computedRelationships.values() ?? [])].map((computed) => ({
    kind: "computed",
    from,
    target: computed.target,
    isToOne: computed.isToOne,
    isSelf: isSame(from, computed.target),
    isTargetView: findRelation(catalogue, computed.target)?.isView ?? false,
    function: computed.function,
  }));
}

function followKey(relationship: ForeignKeyRelationship, holdsKey: boolean): KeyRelationship {
  const { from, target, isOneToOne, constraint } = relationship;
  return {
    kind: isOneToOne ? "one-to-one" : holdsKey ? "many-to-one" : "one-to-many",
    from: holdsKey ? from : target,
    target: holdsKey ? target : from,
    isToOne: holdsKey || isOneToOne,
    isSelf: isSame(from, target),
    isTargetView: holdsKey ? relationship.isTargetView : relationship.isFromView,
    constraint,
    columns: holdsKey ? relationship.columns : relationship.columns.map(swap),
    holdsKey,
  };
}

function junctionsOf(catalogue: Catalogue, index: RelationshipIndex, from: QualifiedName): JunctionRelationship[] {
  const sources = (index.in.get(keyOf(from)) ?? []).filter(({ isOneToOne }) => !isOneToOne);
  return sources.flatMap((source) => {
    const junction = findRelation(catalogue, source.from);
    if (junction === null) return [];
    const targets = (index.out.get(keyOf(source.from)) ?? []).filter(
      ({ isOneToOne, constraint }) => !isOneToOne && constraint !== source.constraint,
    );
    return targets.flatMap((target) => {
      const identity = decidePairIdentity(junction, [source, target]);
      return identity === null ? [] : [joinThrough(source, target, identity === "primary key")];
    });
  });
}

/** The key that makes a pair unique in the junction; null when there is none, so it is no junction. */
function decidePairIdentity(
  junction: { readonly primaryKey: readonly string[]; readonly keys: readonly (readonly string[])[] },
  [source, target]: readonly [ForeignKeyRelationship, ForeignKeyRelationship],
): "primary key" | "other key" | null {
  const sourceColumns = source.columns.map(([own]) => own);
  const targetColumns = target.columns.map(([own]) => own);
  const both = [...sourceColumns, ...targetColumns];
  if (both.every((column) => junction.primaryKey.includes(column))) return "primary key";
  const isPaired = junction.keys.some(
    (key) =>
      key.every((column) => both.includes(column)) &&
      key.some((column) => !targetColumns.includes(column)) &&
      key.some((column) => !sourceColumns.includes(column)),
  );
  return isPaired ? "other key" : null;
}

function joinThrough(
  source: ForeignKeyRelationship,
  target: ForeignKeyRelationship,
  isByPrimaryKey: boolean,
): JunctionRelationship {
  return {
    kind: "many-to-many",
    from: source.target,
    target: target.target,
    isToOne: false,
    isSelf: isSame(source.target, target.target),
    isTargetView: target.isTargetView,
    junction: {
      relation: source.from,
      isView: source.isFromView,
      sourceConstraint: source.constraint,
      sourceColumns: source.columns.map(swap),
      targetConstraint: target.constraint,
      targetColumns: target.columns.map(swap),
      isByPrimaryKey,
    },
  };
}

function swap([own, other]: ColumnPair): ColumnPair {
  return [other, own];
}

function keyOf({ schema, name }: QualifiedName): string {
  return JSON.stringify([schema, name]);
}

function isSame(one: QualifiedName, other: QualifiedName): boolean {
  return one.schema === other.schema && one.name === other.name;
}
