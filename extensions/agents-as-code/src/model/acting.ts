import type { Json } from "@swarmbase/sdk";
import { memberOf } from "./json.ts";

/** Whether calls of a tool are made in the name of the person who asks, as private.acts_for_starter of the service decides. */
export function actsForAsker(kind: Json | undefined, config: Json | undefined): boolean {
  return (
    kind === "rpc" ||
    kind === "function" ||
    memberOf(config, "identity") === "required" ||
    memberOf(memberOf(config, "auth"), "account") === "asker"
  );
}
