import { followPage } from "./support/follow-page.ts";

await followPage("docs/guides/openai.md");
