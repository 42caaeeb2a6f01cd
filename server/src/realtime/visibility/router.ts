import type { Database } from "../../db/index.ts";
import { readerOf } from "../feed/read-column.ts";
import type { RowChange, Transaction } from "../feed/row-change.ts";
import { type CheckContext, checkChange } from "./checks/check-change.ts";
import { fetchValues, isIncomplete } from "./rendering/fetch-values.ts";
import type { BindingIndex } from "./matching/binding-index.ts";
import { matchChange } from "./matching/match-change.ts";
import { type AccessBefore, createRoutedChange } from "./matching/routed-change.ts";
import type { TableMetadataCache } from "./tables/table-metadata-cache.ts";
import type { TableMetadata } from "./tables/table-metadata.ts";

interface RouterOptions extends CheckContext {
  readonly database: Database;
  readonly index: BindingIndex;
  readonly tables: TableMetadataCache;
  readonly maxRecordBytes: number;
}

/** Routes each change in order through its stages: table metadata, matching, checks, delivery. */
export class Router {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Synchronous when no change has subscribers. */
  route(transaction: Transaction, accessBefore: AccessBefore): Promise<void> | void {
    const { index } = this.#options;
    const changes = transaction.changes.filter(({ relation }) => index.hasBindings(relation));
    if (changes.length > 0) return this.#routeChanges(transaction, changes, accessBefore);
  }

  /** Waits until the rows are visible, so that a client which reads them when it receives the change finds them. */
  async #routeChanges(
    transaction: Transaction,
    changes: readonly RowChange[],
    accessBefore: AccessBefore,
  ): Promise<void> {
    const { tables, whenVisible } = this.#options;
    const visible = whenVisible(transaction.xid);
    // A change is delivered also when this cannot be determined, for example because the pool is exhausted. Only what is read here
    // from the database depends on it.
    await visible.catch(() => {});
    for (const change of changes) {
      const known = tables.known(change.relation);
      const mustComplete = isIncomplete(change) && this.#hasMatch(change);
      if (known === null || mustComplete) await visible;
      const metadata = known ?? (await tables.describe(change.relation));
      if (metadata === null) continue;
      const complete = mustComplete ? await this.#complete(change, metadata) : change;
      this.#routeChange(transaction, complete, metadata, accessBefore);
    }
  }

  #routeChange(transaction: Transaction, change: RowChange, metadata: TableMetadata, accessBefore: AccessBefore): void {
    const { index, access, maxRecordBytes: maxBytes } = this.#options;
    if (metadata.published?.[change.type] !== true || (change.record ?? change.oldRecord) === null) return;
    const routed = createRoutedChange(transaction, change, metadata, { accessBefore, maxBytes });
    for (const match of matchChange(routed, index, access)) checkChange(this.#options, routed, match);
  }

  #hasMatch(change: RowChange): boolean {
    const read = readerOf(change.relation, change.record ?? []);
    const [group] = this.#options.index.find(change.relation, change.type, read, true);
    return group !== undefined;
  }

  async #complete(change: RowChange, metadata: TableMetadata): Promise<RowChange> {
    const { database, observer } = this.#options;
    return fetchValues(database, change, metadata).catch((error: unknown) => {
      observer.note("realtime.value_missing", { table: `${metadata.schema}.${metadata.name}`, error });
      return change;
    });
  }
}
