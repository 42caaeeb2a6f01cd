// What tests of kinds of tools need: tools, runs, REST, receivers and guarded requests.
export { createAddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
export type { ModelCall, ModelEvent } from "../../src/agents/providers/model-port.ts";
export type {
  AssignedTool,
  ToolAsking,
  ToolOutcome,
  ToolResponse,
  ToolWaiting,
} from "../../src/agents/tools/tool-port.ts";
export type { Observer } from "../../src/observe/index.ts";
export { openRunStage, type RunNode, type RunStage } from "../agents/support/run-stage.ts";
export { authority, credential, loopbackPolicy, startReceiver } from "./receiver.ts";
export { openRestStage } from "../rest/features/rest-stage.ts";
export { assignedTool, callContext } from "./assigned-tool.ts";
export {
  BASE_URL,
  openToolsForTest,
  type TestTools,
  type TestToolsOptions,
  wrapped,
} from "./open-tools-for-test.ts";
