// In charge of: the error for a caller, the failures of model and tool calls, and the only renderer of error bodies.
// Not in charge of: the list of codes (sdk), or the translation of errors of the database (db).
export { AppError, type AppErrorExtra, toAppError, withShortText } from "./app-error.ts";
export { explainFetchError } from "./explain-fetch-error.ts";
export { MEMBERSHIP_TEXTS } from "./membership-texts.ts";
export { ModelError, type ModelErrorCode } from "./model-error.ts";
export { type HelpLinks, type RenderedError, renderError } from "./render-error.ts";
export { SECURITY_HEADERS } from "./security-headers.ts";
export { ToolFailure, type ToolFault } from "./tool-failure.ts";
