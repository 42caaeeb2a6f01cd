import { AppError, type ExtensionRoute, isRecord } from "swarmbase/extension";

/** The first key of a service that only its developer reaches. The core decides whether it may be given. */
export const PROVIDER_KEYS_ROUTE: ExtensionRoute = {
  method: "POST",
  path: "/functions/v1/provider-keys",
  access: "user",
  keyScope: null,
  limit: "ai",
  handler: async ({ body, signal }, { operations }) => {
    const { api_key: key, vendor = null, ...others } = isRecord(body) ? body : {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(unknown, "is unknown");
    if (typeof key !== "string") throw invalid("api_key", "must be a text");
    if (vendor !== null && typeof vendor !== "string") throw invalid("vendor", "must be a text");
    return { body: await operations.addProvider(key, vendor, signal), headers: { "cache-control": "no-store" } };
  },
};

function invalid(field: string, message: string): AppError {
  return new AppError("VALIDATION_ERROR", `${field} ${message}`, { details: { [field]: message } });
}
