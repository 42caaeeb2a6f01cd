import { readerOf } from "../../feed/read-column.ts";
import type { RowChange, Transaction, Tuple } from "../../feed/row-change.ts";
import { ChangeRenderer, renderImage } from "../rendering/render-change.ts";
import type { UserAccess } from "../rules/access-cache.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";

/** The access of users before a transaction, for the users whose access it changed. */
export type AccessBefore = ReadonlyMap<string, UserAccess>;

/** One change on its way through matching, checks and delivery. */
export type RoutedChange = ReturnType<typeof createRoutedChange>;

export function createRoutedChange(
  { xid, commitTimestamp }: Transaction,
  change: RowChange,
  metadata: TableMetadata,
  { accessBefore, maxBytes }: { readonly accessBefore: AccessBefore; readonly maxBytes: number },
) {
  /** The new row, or the deleted one. */
  const row: Tuple = change.record ?? change.oldRecord ?? [];
  const images = new Map<Tuple, string>();
  return {
    change,
    metadata,
    accessBefore,
    xid,
    row,
    read: readerOf(change.relation, row),
    renderer: new ChangeRenderer({ change, metadata, commitTimestamp, maxBytes }),
    /** Rendered once for all checks. */
    renderImage: (tuple: Tuple): string => {
      const image = images.get(tuple) ?? renderImage(change, tuple, metadata);
      images.set(tuple, image);
      return image;
    },
  };
}
