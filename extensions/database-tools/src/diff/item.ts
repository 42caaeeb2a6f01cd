/** One object of a schema, or one part of an object. */
export interface Item {
  readonly kind: ItemKind;
  /** The same in two databases: `table public.notes`. */
  readonly key: string;
  /** The key of the object that it is a part of. */
  readonly parent: string | null;
  /** Creates it. Of a column or a constraint: its definition, without ALTER TABLE. */
  readonly text: string;
  /** Removes it. */
  readonly undo: string;
  /** What a change of it needs to know. */
  readonly extra: ItemExtra | null;
}

interface ItemExtra {
  /** Of a table: what precedes and follows its columns; its views and policies, as statements that drop them. */
  readonly head?: string;
  readonly tail?: string;
  readonly dependents?: readonly string[];
  /** Of a part of a table: the name of the table. */
  readonly table?: string;
  /** Of a column. */
  readonly name?: string;
  readonly type?: string;
  readonly default?: string | null;
  readonly isNotNull?: boolean;
  readonly identity?: string | null;
  readonly generated?: string | null;
  /** Of a constraint: whether it can be part of CREATE TABLE. */
  readonly isInline?: boolean;
  /** Of an extension: it belongs to another role, who created it. */
  readonly isForeign?: boolean;
  /** Of an enumeration. */
  readonly labels?: readonly string[];
  /** Of a grant. */
  readonly rights?: readonly string[];
  readonly on?: string;
  readonly to?: string;
}

/** In the order in which they are created where nothing demands another one. */
export const ITEM_KINDS = [
  "schema",
  "extension",
  "enum",
  "type",
  "sequence",
  "table",
  "sequence owner",
  "column",
  "function",
  "constraint",
  "foreign key",
  "index",
  "view",
  "replica identity",
  "row security",
  "policy",
  "trigger",
  "grant",
  "publication",
  "comment",
] as const;

type ItemKind = (typeof ITEM_KINDS)[number];
