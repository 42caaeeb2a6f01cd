import { followPage } from "./support/follow-page.ts";

// Follows the first five minutes as a new user would. `npm ci` and `npm run create-app` are in blocks of sh: the first runs before this file,
// create-app.long.test.ts runs the second, and create-swarmbase.long.test.ts what it creates; demo.test.ts runs the demo.
await followPage("docs/guides/getting-started.md", { skipped: ["npm run demo"] });
