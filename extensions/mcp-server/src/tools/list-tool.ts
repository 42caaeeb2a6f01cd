import type { Caller } from "../caller.ts";
import { type PageRequest, readPage } from "../read-page.ts";
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
  /** Reads a page that is not of one table. */
  read?(caller: Caller, page: PageRequest): Promise<{ readonly rows: readonly object[]; readonly next: string | null }>;
}

/** A tool that lists rows, newest first. */
export function listTool(options: ListOptions): ToolDefinition {
  const { name, description, row, table = name, idColumn = "id", filter = () => ({}) } = options;
  const {
    read = (caller, page) =>
      readPage(caller, `/${table}`, { ...page, idColumn, query: { ...filter(caller), select: row.select } }),
  } = options;
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
