import { type ReadColumn, readerOf } from "../../feed/read-column.ts";
import type { RowChange, Transaction, Tuple } from "../../feed/row-change.ts";
import { ChangeRenderer, renderImage } from "../delivery/render-change.ts";
import type { UserAccess } from "../rules/access-cache.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";

/** The access of users before a transaction, for the users whose access it changed. */
export type AccessBefore = ReadonlyMap<string, UserAccess>;

/** One change on its way through matching, checks and delivery. */
export class RoutedChange {
  readonly change: RowChange;
  readonly metadata: TableMetadata;
  readonly accessBefore: AccessBefore;
  readonly xid: number;
  /** The new row, or the deleted one. */
  readonly row: Tuple;
  readonly read: ReadColumn;
  readonly renderer: ChangeRenderer;
  readonly #images = new Map<Tuple, string>();

  constructor(
    { xid, commitTimestamp }: Transaction,
    change: RowChange,
    metadata: TableMetadata,
    { accessBefore, maxBytes }: { readonly accessBefore: AccessBefore; readonly maxBytes: number },
  ) {
    this.change = change;
    this.metadata = metadata;
    this.accessBefore = accessBefore;
    this.xid = xid;
    this.row = change.record ?? change.oldRecord ?? [];
    this.read = readerOf(change.relation, this.row);
    this.renderer = new ChangeRenderer({ change, metadata, commitTimestamp, maxBytes });
  }

  /** Rendered once for all checks. */
  renderImage(tuple: Tuple): string {
    let image = this.#images.get(tuple);
    if (image === undefined) {
      image = renderImage(this.change, tuple, this.metadata);
      this.#images.set(tuple, image);
    }
    return image;
  }
}
