import { followPage } from "./support/follow-page.ts";

// The guide on adding a table, word for word, without psql.
await followPage("docs/guides/tables.md");
