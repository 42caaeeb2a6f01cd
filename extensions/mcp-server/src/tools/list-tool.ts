import type { Caller } from "../caller.ts";
import { readPage } from "../read-page.ts";
import { defineTool, id, LIMIT, list, object, READ_ONLY, type Row, structured, type ToolDefinition } from "./tool.ts";

interface ListOptions {
  /** Of the tool, without `list_`, and of the list in its result. */
  readonly name: string;
  readonly description: string;
  readonly row: Row;
  /** Default: the name. */
  readonly table?: string;
  /** What a row calls its id. */
  readonly idColumn?: string;
  /** Further parameters of the query. */
  filter?(caller: Caller): Readonly<Record<string, string>>;
  /** Completes the rows of a page. */
  complete?(rows: readonly Record<string, unknown>[], caller: Caller): Promise<readonly Record<string, unknown>[]>;
}

/** A tool that lists rows, newest first. */
export function listTool(options: ListOptions): ToolDefinition {
  const { name, row, table = name, idColumn = "id", filter = () => ({}), complete } = options;
  return pageTool(options, async (caller, { limit, cursor }) => {
    const page = { select: row.select, idColumn, limit, cursor, filters: filter(caller) };
    const { rows, next } = await readPage<Record<string, unknown>>(caller, `/${table}`, page);
    return { rows: complete === undefined ? rows : await complete(rows, caller), next };
  });
}

/** A tool that returns pages. */
export function pageTool(
  { name, description, row }: Pick<ListOptions, "name" | "description" | "row">,
  read: (
    caller: Caller,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ) => Promise<{ readonly rows: readonly object[]; readonly next: string | null }>,
): ToolDefinition {
  return defineTool<{ limit?: number; cursor?: string }>({
    name: `list_${name}`,
    title: `List ${name}`,
    description,
    scopes: ["read"],
    annotations: READ_ONLY,
    inputSchema: object({ limit: LIMIT, cursor: id("The cursor that the previous page ended with") }, []),
    outputSchema: pageOf(name, row),
    async run({ limit = LIMIT.default, cursor }, { caller }) {
      const { rows, next } = await read(caller, { limit, cursor });
      return structured({ [name]: rows, next_cursor: next });
    },
  });
}

/** The schema of a page of rows; the cursor is null on the last one. */
export function pageOf(name: string, { schema }: Row): ReturnType<typeof object> {
  const cursor = { type: ["string", "null"], description: "Null on the last page" };
  return object({ [name]: list(schema), next_cursor: cursor });
}
