import type { AddedTable } from "../tables/index.ts";

/** A table in `public`, which clients use as those of the service. The migrations of the extension create it. */
export interface ExtensionTable extends AddedTable {
  /** Columns with credentials, which an export of the account leaves out. */
  readonly notExported?: readonly string[];
}
