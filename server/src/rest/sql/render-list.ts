import type { ReadNode } from "../plan/plan.ts";
import type { Draft, NodeFrame } from "./draft.ts";
import { areWhole, renderRows } from "./render-rows.ts";
import { renderWhere } from "./render-predicate.ts";
import { renderWindow } from "./render-window.ts";

/** Counting a smaller row costs more than the row. The row cap bounds what a list can have of them. */
const COUNTED_ROW_BYTES = 1024;

/** The rows of a to-many embed as a JSON list. Fails when the lists of the statement exceed the byte limit. */
export function renderList(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  const kept = renderIsCounted(draft, "_.j", frame);
  const list = { name: "l", value: `pg_catalog.json_agg(_.j) filter (where ${kept})` };
  const rows = `(${renderJsonRows(draft, node, frame)}) _`;
  return `coalesce((${renderCutLists(draft, node, { lists: [list], rows })}),'[]')`;
}

interface Lists {
  readonly lists: readonly { readonly name: string; readonly value: string }[];
  /** The rows that they are made of, after `from`. */
  readonly rows: string;
}

/** A select of lists, each without the row that is beyond the row cap. */
export function renderCutLists(draft: Draft, { isCapped = false }: ReadNode, { lists, rows }: Lists): string {
  const all = lists.map(({ name, value }) => `${value} as ${name}`).join(",");
  const { maxRows } = draft.limits;
  if (!isCapped || maxRows === null) return `select ${all} from ${rows}`;
  const cut = lists.map(
    ({ name }) => `case when _.n<=${maxRows} then _.${name} else private.cut_list(_.${name},${maxRows}) end as ${name}`,
  );
  return `select ${cut.join(",")} from (select ${all},count(*) as n from ${rows}) _`;
}

/** One column `j`. A limit or an offset keeps the planner from computing it twice. */
function renderJsonRows(draft: Draft, node: ReadNode, frame: NodeFrame): string {
  const { from, scope, joins } = frame;
  if (areWhole(node) && node.offset === null && !scope.isRecord) {
    const where = renderWhere(draft, { joins, where: node.where }, scope);
    return `select pg_catalog.row_to_json(${scope.name}.*) as j from ${from}${where}${renderWindow(draft, node) || " offset 0"}`;
  }
  const { from: rows, row } = renderRows(draft, node, frame);
  return `select pg_catalog.row_to_json(${row}) as j from ${rows} offset 0`;
}

/**
 * True, or an error beyond the byte limit. The rows of each depth are counted separately, because rows contain those below
 * them: a response within the limit never fails.
 */
export function renderIsCounted(draft: Draft, json: string, { scope }: Pick<NodeFrame, "scope">): string {
  const bytes = `pg_catalog.octet_length(${json}::text)`;
  const counted = `private.count_bytes(${scope.depth},${bytes},${draft.limits.maxBytes})`;
  return `case when ${bytes}<${COUNTED_ROW_BYTES} then true else ${counted} end`;
}
