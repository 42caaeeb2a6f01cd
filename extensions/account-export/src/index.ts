// In charge of: the rows that belong to a user, as one JSON document.
// Not in charge of: who may read which row, which the tables decide.
import { AppError, defineExtension, type ExtensionRequest, type ExtensionResponse } from "swarmbase/extension";
import { listExportedTables } from "./exported-tables.ts";
import type { AccountReader } from "./read-pages.ts";
import { RunningExports } from "./running-exports.ts";
import { writeDocument } from "./write-document.ts";

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
