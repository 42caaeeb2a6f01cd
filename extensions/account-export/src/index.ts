// In charge of: the rows that belong to a user, as one JSON document.
// Not in charge of: who may read which row, which the tables decide.
import {
  AppError,
  defineExtension,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
} from "swarmbase/extension";
import { listExportedTables } from "./exported-tables.ts";
import { type AccountReader, readPages, type Row } from "./read-pages.ts";

const RETRY_AFTER_SECONDS = 30;

/** The exports that this node writes. A user has at most one, so that all exports of a user together use one connection of the database. */
class RunningExports {
  readonly #users = new Set<string>();

  /** Returns what ends the export; the closing of the connection ends it too. Throws when the user has one already. */
  begin(userId: string, closed: AbortSignal): () => void {
    if (this.#users.has(userId)) {
      throw new AppError("RATE_LIMITED", "An export of this account is in progress", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#users.add(userId);
    let hasEnded = false;
    const end = (): void => {
      if (!hasEnded) this.#users.delete(userId);
      hasEnded = true;
    };
    if (closed.aborted) end();
    else closed.addEventListener("abort", end, { once: true });
    return end;
  }
}

const running = new RunningExports();

export const extension = defineExtension({
  name: "account-export",
  summary: "everything that belongs to a user as one JSON document at /account-export",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    {
      method: "GET",
      path: "/account-export",
      access: "bearer-alone",
      // A copy of the account is for the person alone.
      keyScope: null,
      needsProof: true,
      limit: "api",
      handler: (request, { now, tables }) => exportAccount(request, now(), listExportedTables(tables())),
    },
  ],
});

async function exportAccount(
  { caller, core, signal }: ExtensionRequest,
  now: Date,
  tables: AccountReader["tables"],
): Promise<ExtensionResponse> {
  const { userId, claims } = caller;
  if (userId === null) throw new AppError("UNAUTHORIZED", "The token does not belong to a user");
  const end = running.begin(userId, signal);
  const { email, user_metadata, app_metadata } = claims;
  const user = { id: userId, email: email === "" ? null : email, user_metadata, app_metadata };
  const exportedAt = now.toISOString();
  const pieces = writeDocument({ core, userId, tables }, { exported_at: exportedAt, user });
  try {
    // A failure of the first read still has a status.
    const first = await pieces.next();
    await core.recordExport();
    return {
      headers: {
        "content-type": "application/json; charset=utf-8",
        "content-disposition": `attachment; filename="account-export-${exportedAt.slice(0, 10)}.json"`,
      },
      stream: sendPieces(first, pieces, { signal, end }),
    };
  } catch (error) {
    end();
    throw error;
  }
}

interface OpenExport {
  readonly signal: AbortSignal;
  end(): void;
}

async function* sendPieces(
  first: IteratorResult<string, void>,
  rest: AsyncIterable<string>,
  { signal, end }: OpenExport,
): AsyncGenerator<string, void, void> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } catch (error) {
    // Reads end with the connection. Any other failure breaks it, so that nobody takes a part for the whole.
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

interface DocumentHead {
  readonly exported_at: string;
  readonly user: Readonly<Record<string, unknown>>;
}

/** The document in pieces. Each piece has at most one page of rows, and one row a line. It is valid JSON only as a whole. */
async function* writeDocument(reader: AccountReader, head: DocumentHead): AsyncGenerator<string, void, void> {
  let text = `${JSON.stringify(head).slice(0, -1)},"tables":{`;
  let betweenTables = "\n";
  for (const [name, { omit = [] }] of Object.entries(reader.tables)) {
    text += `${betweenTables}${JSON.stringify(name)}:[`;
    betweenTables = ",\n";
    let betweenRows = "\n";
    for await (const rows of readPages(reader, name)) {
      for (const row of rows) {
        text += betweenRows + JSON.stringify(omit.reduce((rest, path) => without(rest, path.split(".")), row));
        betweenRows = ",\n";
      }
      yield text;
      text = "";
    }
    text += "]";
  }
  yield `${text}\n}}\n`;
}

function without(row: Row, [name = "", ...rest]: readonly string[]): Row {
  const { [name]: value, ...others } = row;
  if (rest.length === 0) return others;
  if (Array.isArray(value))
    return { ...row, [name]: value.map((item: unknown) => (isRecord(item) ? without(item, rest) : item)) };
  return isRecord(value) ? { ...row, [name]: without(value, rest) } : row;
}
