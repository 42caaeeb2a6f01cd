// What tests of packages may know of the core beside the port.
export { describeInterface } from "../../src/extensions/index.ts";
export { buildSampleEvent } from "../../src/webhooks/calls/sample-event.ts";
export { type CommandResult, runHere } from "./run-here.ts";
