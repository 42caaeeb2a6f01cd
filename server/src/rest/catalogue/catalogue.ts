import type { OwnSettings } from "./build-settings.ts";
import type { TypeCategory } from "./type-category.ts";

/**
 * The contents of the exposed schemas at one moment. Immutable: a newer one replaces it. What realtime knows of a table, with the
 * rules of its rows, is its table metadata.
 */
export interface Catalogue {
  /** Equal for two catalogues without a change between them, so plans can be cached by it. */
  readonly version: string;
  /** In the order in which they are exposed; the first is the default. */
  readonly schemas: ReadonlyMap<string, SchemaEntry>;
  /** Foreign keys between exposed relations, those seen through views included, from the side that holds the key. */
  readonly relationships: readonly ForeignKeyRelationship[];
  readonly mediaHandlers: readonly MediaHandler[];
  /** Settings of the roles of callers (`alter role … set …`), by role. */
  readonly roleSettings: ReadonlyMap<string, OwnSettings>;
  /** False when default expressions and the updatability of views could not be read because of a lock. */
  readonly isComplete: boolean;
}

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/** An aggregate over rows whose result is a domain named like a media type. */
export interface MediaHandler {
  readonly function: QualifiedName;
  /** The relation whose rows it takes; null means any row. */
  readonly target: QualifiedName | null;
  /** In lower case, or an asterisk on both sides of the slash for every media type. */
  readonly media: string;
  readonly encoding: "text" | "hex";
}

export interface SchemaEntry {
  readonly name: string;
  readonly comment: string | null;
  readonly relations: ReadonlyMap<string, Relation>;
  /** All overloads of a name, those with the fewest parameters first. */
  readonly functions: ReadonlyMap<string, readonly FunctionEntry[]>;
}

export type RelationKind = "table" | "partitioned" | "view" | "materialized" | "foreign";

export interface Relation extends QualifiedName {
  readonly kind: RelationKind;
  readonly isView: boolean;
  readonly comment: string | null;
  /** In the order of the relation. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Of a view: the keys of base tables of which it has all columns. Empty when there is none. */
  readonly primaryKey: readonly string[];
  /** Columns of every unique constraint, the primary key first. Views have none. */
  readonly keys: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Columns that the caller must not read. Absent means that there are none. */
  readonly hiddenColumns?: ReadonlySet<string>;
  /** What the caller may read of a row that the request has made, if that is more. */
  readonly inserted?: Relation;
  /** Computed fields, by name. */
  readonly computedFields: ReadonlyMap<string, ComputedField>;
  /** Computed relationships, by name. */
  readonly computedRelationships: ReadonlyMap<string, ComputedRelationship>;
  readonly isInsertable: boolean;
  readonly isUpdatable: boolean;
  readonly isDeletable: boolean;
}

export interface DataType {
  /** For casts: qualified and quoted as needed, without a modifier. */
  readonly name: string;
  /** Of a domain: the base type, for display. */
  readonly label: string;
  readonly category: TypeCategory;
  /** Of an array: the category of its elements. */
  readonly elementCategory: TypeCategory | null;
  readonly isDomain: boolean;
  /** Empty for all but enums. */
  readonly enumValues: readonly string[];
  /** The relation or composite type that a row type belongs to. */
  readonly rowOf: QualifiedName | null;
  /** Of a domain with implicit casts: how its values are read and written. */
  readonly representation?: Representation;
}

/** The functions of a domain's implicit casts; null means that there is none. */
export interface Representation {
  /** For responses. */
  readonly toJson: QualifiedName | null;
  /** For values in filters. */
  readonly fromText: QualifiedName | null;
  /** For values in bodies. */
  readonly fromJson: QualifiedName | null;
}

export interface Column {
  readonly name: string;
  readonly type: DataType;
  /** As declared, with the modifier: `character varying(20)`. */
  readonly declaredType: string;
  readonly isNullable: boolean;
  /** An omitted value is filled in: by a default, an identity, a generation expression or the domain. */
  readonly hasDefault: boolean;
  /** Its text where it is a plain default. */
  readonly default: string | null;
  readonly identity: "always" | "by default" | null;
  readonly isGenerated: boolean;
  /** False for columns that accept no value: generated, or identity always. */
  readonly isWritable: boolean;
  readonly maxLength: number | null;
  readonly comment: string | null;
}

interface ForeignKey {
  readonly constraint: string;
  /** May be in a schema that is not exposed. */
  readonly target: QualifiedName;
  readonly columns: readonly ColumnPair[];
}

/** A column, and the column that it references. */
export type ColumnPair = readonly [own: string, other: string];

/** A foreign key between two exposed relations, or views of them, from the side that has it. */
export interface ForeignKeyRelationship {
  readonly constraint: string;
  readonly from: QualifiedName;
  readonly target: QualifiedName;
  readonly columns: readonly ColumnPair[];
  /** The key columns are exactly a primary key or unique constraint of the referencing relation. */
  readonly isOneToOne: boolean;
  readonly isFromView: boolean;
  readonly isTargetView: boolean;
}

export interface ComputedField {
  readonly function: QualifiedName;
  readonly type: DataType;
}

export interface ComputedRelationship {
  readonly function: QualifiedName;
  readonly target: QualifiedName;
  readonly isToOne: boolean;
}

export interface Parameter {
  /** Empty when it has none. */
  readonly name: string;
  readonly type: DataType;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
}

export type UnnamedBody = "json" | "jsonb" | "text" | "bytea" | "xml";

export interface FunctionEntry extends QualifiedName {
  readonly parameters: readonly Parameter[];
  readonly hasVariadic: boolean;
  /** The function takes the whole request body as its only, unnamed parameter of this type. */
  readonly unnamedBody: UnnamedBody | null;
  readonly returns: FunctionResult;
  readonly volatility: "immutable" | "stable" | "volatile";
  /** The planner's estimate; 0 when it does not return a set. */
  readonly rows: number;
  /** Those that apply to the whole transaction. */
  readonly settings: OwnSettings;
  /** Signed-in users may execute it. */
  readonly isForUsers: boolean;
  readonly comment: string | null;
}

export interface FunctionResult {
  readonly kind: "void" | "scalar" | "composite";
  readonly isSet: boolean;
  readonly type: DataType;
  /** The relation or composite type of its rows, from which relationships start. */
  readonly rowOf: QualifiedName | null;
  /** Known for every composite except `record`. */
  readonly columns: ReadonlyMap<string, Column> | null;
}

export function findRelation(catalogue: Catalogue, { schema, name }: QualifiedName): Relation | null {
  return catalogue.schemas.get(schema)?.relations.get(name) ?? null;
}
