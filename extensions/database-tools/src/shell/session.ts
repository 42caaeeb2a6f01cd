import type { Client, QueryArrayResult } from "pg";
import { describeError, type StatementSource } from "../statements/describe-error.ts";
import type { SourcePart } from "../statements/split-statements.ts";
import { cancelStatement, selectBackendPid } from "./sql/cancel-statement.ts";
import { type Cells, escapeControls, renderExpanded, renderTable } from "./render-table.ts";

/** What the statements of a shell or a file share. */
export interface Session {
  readonly client: Client;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  isExpanded: boolean;
  /** Asks the server to cancel the statement that runs. */
  cancel(): Promise<void>;
}

/** Numbers are aligned to the right: int2, int4, int8, oid, float4, float8, money, numeric. */
const NUMBER_TYPES = new Set([20, 21, 23, 26, 700, 701, 790, 1700]);
/** Values are shown as PostgreSQL writes them. */
const AS_TEXT = { getTypeParser: () => (value: unknown) => value } as never;
const OBJECT_WORDS = new Set(
  "table view index function procedure policy trigger type domain schema sequence extension role publication materialized".split(
    " ",
  ),
);

export async function openSession(
  client: Client,
  url: string,
  { stdout, stderr }: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream },
): Promise<Session> {
  client.on("notice", ({ severity = "NOTICE", message = "" }) =>
    stderr.write(`${severity}: ${escapeControls(message)}\n`),
  );
  const pid = await selectBackendPid(client);
  const cancel = (): Promise<void> =>
    cancelStatement(url, pid).catch((error: unknown) => {
      stderr.write(`The statement could not be cancelled: ${error instanceof Error ? error.message : String(error)}\n`);
    });
  return { client, stdout, stderr, isExpanded: false, cancel };
}

/** Runs a statement and prints its result. Resolves with false after it has printed an error. */
export async function runStatement(session: Session, part: SourcePart, source: StatementSource): Promise<boolean> {
  try {
    const result = await session.client.query<(string | null)[]>({ text: part.text, rowMode: "array", types: AS_TEXT });
    session.stdout.write(renderResult(result, part, session.isExpanded));
    return true;
  } catch (error) {
    session.stderr.write(`${describeError(error, source)}\n`);
    // The driver reports an error before the server has told the state of the transaction, which the prompt shows. An empty
    // statement ends after both, also in a failed transaction; on a lost connection there is no state.
    await session.client.query("").catch(() => {});
    return false;
  }
}

function renderResult(result: QueryArrayResult<(string | null)[]>, { words }: SourcePart, isExpanded: boolean): string {
  const { fields, rows, command, rowCount } = result;
  if (fields.length > 0) return printCells({ columns: fields.map(toColumn), rows }, isExpanded);
  const object = ["CREATE", "ALTER", "DROP"].includes(command)
    ? words.find((word) => OBJECT_WORDS.has(word))
    : undefined;
  return `${[command, object?.toUpperCase(), rowCount].filter((word) => word !== undefined && word !== null).join(" ")}\n`;
}

export function printCells(cells: Cells, isExpanded = false): string {
  return isExpanded ? renderExpanded(cells) : renderTable(cells);
}

function toColumn({
  name,
  dataTypeID,
}: {
  readonly name: string;
  readonly dataTypeID: number;
}): Cells["columns"][number] {
  return { name, isNumber: NUMBER_TYPES.has(dataTypeID) };
}
