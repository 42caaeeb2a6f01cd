import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { ExtensionCommandContext } from "swarmbase/extension";
import { object, READ_ONLY, text } from "../tools/tool.ts";
import { runSql, SqlError } from "./run-sql.ts";
import { LOGS, type LogName } from "./sql/logs.ts";

export interface DevCall {
  readonly context: Pick<ExtensionCommandContext, "runInBackground" | "withDatabase">;
  readonly canWrite: boolean;
  readonly signal: AbortSignal;
}

interface DevResult {
  readonly text: string;
  readonly isError?: boolean;
}

export interface DevTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ReturnType<typeof object>;
  readonly annotations: ToolAnnotations;
  /** It changes something, so it needs `--allow-writes`. */
  readonly writes: boolean;
  /** It may start a stopped database, which only one call can do at a time. */
  readonly usesDatabase: boolean;
  /** The input satisfies the schema. */
  run(input: Readonly<Record<string, never>>, call: DevCall): Promise<DevResult>;
}

const WRITES: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
/** The end of the output that `runInBackground` keeps. */
const KEPT_CHARACTERS = 20_000;
const MAX_TEXT = 500;
const MAX_STATEMENT = 100_000;
/** A line break would begin a statement of its own. */
const OBJECT_NAME = { type: "string", pattern: String.raw`^[\w.*?]{1,200}$` };
const flag = (description: string): object => ({ type: "boolean", default: false, description });

const FILES = {
  dir: text("The folder of the files; default: swarmbase", MAX_TEXT),
  owner: text(
    "E-mail address or id of the account that owns the agents; needed when there are several accounts",
    MAX_TEXT,
  ),
};
const APPLIED = { ...FILES, delete: flag("Also remove what the files do not have") };

/** Runs a command of the service in a process of its own, whose output cannot get among the messages of the protocol. */
async function runCommand(args: readonly string[], { context, signal }: DevCall): Promise<DevResult> {
  const { code, output } = await context.runInBackground(args, signal);
  const cut = output.length >= KEPT_CHARACTERS ? "(The beginning is left out.)\n" : "";
  const shown = output.trim() === "" ? `Exit code ${code}.` : `${cut}${output}`;
  return { text: shown, isError: code !== 0 };
}

/** With `=`, so that a value that begins with a hyphen is no option. */
function listOptions(values: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [value === true ? `--${name}` : `--${name}=${value}`],
  );
}

async function readLog(name: LogName, failedOnly: boolean, { context }: DevCall): Promise<DevResult> {
  try {
    const statement = { text: LOGS[name], values: [failedOnly] };
    return { text: JSON.stringify(await context.withDatabase((database) => runSql(database, statement, false))) };
  } catch (error) {
    if (name !== "service" || !(error instanceof SqlError) || !error.message.includes("(42P01)")) throw error;
    throw new SqlError("The service prints its log where it runs. It stores lines only with the extension operator.");
  }
}

function defineDevTool<Input extends object>(
  tool: Omit<DevTool, "run" | "annotations" | "writes" | "usesDatabase"> &
    Partial<Pick<DevTool, "writes" | "usesDatabase">> & { run(input: Input, call: DevCall): Promise<DevResult> },
): DevTool {
  const { writes = false, usesDatabase = false } = tool;
  return { ...tool, writes, usesDatabase, annotations: writes ? WRITES : READ_ONLY } as unknown as DevTool;
}

type FileInput = { readonly dir?: string; readonly owner?: string; readonly delete?: boolean };

export const DEV_TOOLS: readonly DevTool[] = [
  defineDevTool<{ readonly name?: string }>({
    name: "describe_schema",
    title: "Describe the schema",
    description:
      "Lists tables, views and functions of the database. With a name such as orders, or a pattern such as public.order*: columns, constraints, policies and privileges.",
    inputSchema: object({ name: { ...OBJECT_NAME, description: "A table or view, or a pattern" } }, []),
    usesDatabase: true,
    run: ({ name }, call) => runCommand(["sql", `--command=${name === undefined ? "\\d\n\\df" : `\\d ${name}`}`], call),
  }),
  defineDevTool<{ readonly statement: string }>({
    name: "sql",
    title: "Run SQL",
    description:
      "Runs one SQL statement as the owner of the schema. Without --allow-writes, only queries, in a read-only transaction. Changes of the schema belong in files of the folder migrations: see push_migrations.",
    inputSchema: object({ statement: text("One statement", MAX_STATEMENT) }),
    usesDatabase: true,
    run: async ({ statement }, { context, canWrite }) => {
      const result = await context.withDatabase((database) => runSql(database, { text: statement }, canWrite));
      return { text: JSON.stringify(result) };
    },
  }),
  defineDevTool<{ readonly dir?: string }>({
    name: "push_migrations",
    title: "Apply migrations",
    description: "Applies the SQL files of the folder migrations that the database does not have (swarmbase db push).",
    inputSchema: object({ dir: text("The folder; default: migrations", MAX_TEXT) }, []),
    writes: true,
    usesDatabase: true,
    run: (input, call) => runCommand(["db", "push", ...listOptions(input)], call),
  }),
  defineDevTool<FileInput>({
    name: "plan",
    title: "Plan agent files",
    description:
      "Compares the YAML files of agents, tools, grants, swarms and webhooks with the service, and shows what apply would change.",
    inputSchema: object(APPLIED, []),
    run: (input, call) => runCommand(["plan", ...listOptions(input)], call),
  }),
  defineDevTool<FileInput>({
    name: "apply",
    title: "Apply agent files",
    description: "Changes the service so that it has what the files describe. Read the plan first.",
    inputSchema: object(APPLIED, []),
    writes: true,
    run: (input, call) => runCommand(["apply", "--yes", ...listOptions(input)], call),
  }),
  defineDevTool<{ readonly dataset: string; readonly agent: string; readonly owner?: string; readonly judge?: string }>(
    {
      name: "run_eval",
      title: "Run an eval",
      description:
        "Asks an agent the cases of a dataset, stores the results and compares them with earlier ones. Calls models, so it costs money. An error means a failed case that passed before.",
      inputSchema: object(
        {
          dataset: text("A YAML or JSON file with name and cases, or the name or id of a dataset", MAX_TEXT),
          agent: text("The name or id of the agent", MAX_TEXT),
          judge: text("The agent that decides about the cases of kind judge", MAX_TEXT),
          owner: FILES.owner,
        },
        ["dataset", "agent"],
      ),
      writes: true,
      run: ({ dataset, ...options }, call) => runCommand(["eval", ...listOptions(options), "--", dataset], call),
    },
  ),
  defineDevTool<{ readonly source: LogName; readonly all?: boolean }>({
    name: "read_logs",
    title: "Read logs and failing deliveries",
    description:
      "Returns the newest failed runs, tool calls, model calls or webhook deliveries with their errors, or warnings of the service.",
    inputSchema: object({ source: { enum: Object.keys(LOGS) }, all: flag("Also what succeeded") }, ["source"]),
    usesDatabase: true,
    run: ({ source, all = false }, call) => readLog(source, !all, call),
  }),
  defineDevTool<{ readonly query: string }>({
    name: "search_docs",
    title: "Search the documentation",
    description: "Finds sections of the documentation that have all of the words. Use one to three words.",
    inputSchema: object({ query: text("The words", MAX_TEXT) }),
    run: ({ query }, call) => runCommand(["docs", "--", query], call),
  }),
  defineDevTool<{ readonly page: string }>({
    name: "read_docs",
    title: "Read the documentation",
    description: "Returns a page or a section as Markdown. Name a section of a long page.",
    inputSchema: object({ page: text("As the search names it: guides/agents#streaming", MAX_TEXT) }),
    run: ({ page }, call) => runCommand(["docs", `--page=${page}`], call),
  }),
];
