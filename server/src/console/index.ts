// In charge of: the console's files: having them built, keeping them in memory, and the answer to who asks for one.
// Not in charge of: what the console shows (the workspace `console`), or which paths are its own.
export type { AskedFor, ConsoleAnswer, ConsoleModule } from "./console-module.ts";
export { openConsole } from "./open-console.ts";
