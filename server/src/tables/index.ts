// In charge of: what is special about each of our tables: what a row must be, and the names that rejections have.
// Not in charge of: how tables are served (rest), or keeping any of it (the database, which rejects by the same rules).
export { createTableRules, type TableRulesOptions } from "./create-table-rules.ts";
export { isOwnName } from "./own-names.ts";
export { allRules } from "./rules/all-rules.ts";
export { storeModels } from "./store-models.ts";
