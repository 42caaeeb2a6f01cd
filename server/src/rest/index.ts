// In charge of: tables, views and functions of the exposed schemas over HTTP, whatever they are called.
// Not in charge of: who the caller is (auth), what our own tables demand of their rows (tables), sockets (http).
export { type ParseOptions, parseRequest, type RequestInput } from "./parse/parse-request.ts";
export type { ParsedRequest } from "./parse/parsed-request.ts";
