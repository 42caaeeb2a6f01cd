// In charge of: reading JSON from outside the process: the depth limit, exact numbers, the test for an object.
// Not in charge of: which values are valid, or how a fault is reported (the modules that read them).
export { readExactJson } from "./read-exact-json.ts";
export { isRecord, type JsonRecord } from "./is-record.ts";
export { isTooDeep, MAX_JSON_DEPTH, TOO_DEEP } from "./json-depth.ts";
export { readJson } from "./read-json.ts";
export { RawJson, stringifyMembers } from "./raw-json.ts";
