import { followPage } from "./support/follow-page.ts";

// Follows README.md as a new user would. `npm ci` and `npm test` are in a block of sh, because they run before and around this
// file; demo.test.ts runs the demo.
await followPage("README.md", { skipped: ["npm run demo"] });
