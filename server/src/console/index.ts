// In charge of: the files of the console: building them, keeping them in memory, and the responses with them.
// Not in charge of: what the console shows (the workspace `console`), or its routes (http).
export type { AskedFor, ConsoleAnswer } from "./console-file.ts";
export { type ConsoleModule, openConsole } from "./open-console.ts";
