export { extension } from "./extension.ts";
export { renderExchange } from "./openapi/describe-tables.ts";
export { renderOpenApi } from "./reference-files.ts";
export type { OpenApiDocument, Operation, Schema } from "./openapi/document.ts";
export { readTablesFile } from "./tables/read-tables-file.ts";
export type {
  AccessLine,
  CallDescription,
  ColumnDescription,
  RecordedExchange,
  TableDescription,
  TableOperation,
  TablesFile,
} from "./tables/table-description.ts";
