// In charge of: triggers: the calls with which other systems start runs, their verification, their payloads.
// Not in charge of: the admission of runs and who may start them, which the core decides.
export { extension } from "./extension.ts";
