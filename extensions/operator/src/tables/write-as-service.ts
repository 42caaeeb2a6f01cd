import { AppError, type ExtensionContext } from "swarmbase/extension";

type Rest = ExtensionContext["restAsService"];

/** A constraint or the check option of a view is violated. */
const VIOLATION = /^(?:23|44)/;

/** A write whose errors do not quote the row: PostgreSQL would show the columns that are withheld, too. */
export async function writeAsService(
  context: { readonly restAsService: Rest },
  call: Parameters<Rest>[0],
): ReturnType<Rest> {
  try {
    return await context.restAsService(call);
  } catch (error) {
    if (!(error instanceof AppError) || !VIOLATION.test(error.extra.foreign?.code ?? "")) throw error;
    const { cause: _cause, ...extra } = error.extra;
    throw new AppError(error.code, error.message, { ...extra, details: null });
  }
}
