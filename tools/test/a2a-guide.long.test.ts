import { followPage } from "./support/follow-page.ts";

await followPage("docs/guides/a2a.md");
