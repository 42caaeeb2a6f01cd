// In charge of: the error that is meant for a caller, and the only renderer of error bodies.
// Not in charge of: the list of codes (the sdk's), or turning errors of libraries into ours (the rooms that use them).
export { AppError, type AppErrorExtra, toAppError } from "./app-error.ts";
export { MEMBERSHIP_TEXTS } from "./membership-texts.ts";
export { type RenderedError, renderError } from "./render-error.ts";
export { renderErrorsReference } from "./render-errors-reference.ts";
export { SECURITY_HEADERS } from "./security-headers.ts";
