import type { ColumnRow } from "./sql/select-columns.ts";
import type { ConstraintRow } from "./sql/select-constraints.ts";
import type { FunctionRow } from "./sql/select-functions.ts";
import type { LockableDetails } from "./sql/select-lockable-details.ts";
import type { RelationRow } from "./sql/select-relations.ts";
import type { SchemaRow } from "./sql/select-schemas.ts";
import type { TypeRow } from "./sql/select-types.ts";
import type { ViewRow } from "./sql/select-views.ts";

/** Rows of the database that a catalogue is built from. */
export interface CatalogueRows {
  readonly fingerprint: string;
  readonly schemas: readonly SchemaRow[];
  readonly relations: readonly RelationRow[];
  readonly columns: readonly ColumnRow[];
  readonly types: readonly TypeRow[];
  readonly functions: readonly FunctionRow[];
  readonly constraints: readonly ConstraintRow[];
  readonly views: readonly ViewRow[];
  /** Null when a lock prevented reading them. */
  readonly details: LockableDetails | null;
}
