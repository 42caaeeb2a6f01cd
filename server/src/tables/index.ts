// In charge of: the rules of the service's tables: validation of rows, and error codes for rejected writes.
// Not in charge of: serving tables (rest), or enforcing the rules (the database, which has the same).
export { createTableRules, type TableRulesOptions } from "./create-table-rules.ts";
export { createIsOwnName, isOwnName, isPortalName, isServiceFunction, OWN_RELATIONS } from "./own-names.ts";
export type { AddedColumn, AddedTable } from "./rules/added-rule.ts";
export { allRules } from "./rules/all-rules.ts";
export { storeModels } from "./store-models.ts";
