import type { CachingVendor } from "../../server/test/support/providers/cache-server.ts";
import { PROMPT, say, secondsAfter } from "../../server/test/support/providers/cache-conversation.ts";
import { openConnection, renderRequest } from "../load/http-connection.ts";
import type { Progress } from "../rest/progress.ts";
import { addAgent, addSwarms, type MemoryService, toRun } from "./memory-service.ts";

export interface CacheFigures {
  readonly vendor: CachingVendor;
  readonly turns: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
}

const FRAMEWORKS = { openai: "provider_a", anthropic: "provider_b" } as const;

/** One long conversation with each vendor, whose caches follow the documented rules. */
export async function measureCache(service: MemoryService, turns: number, progress: Progress): Promise<CacheFigures[]> {
  const all: CacheFigures[] = [];
  const connection = await openConnection(service.target);
  for (const vendor of ["openai", "anthropic"] as const) {
    progress.stage(`a conversation of ${turns} turns with the cache of ${vendor}`);
    const user = await service.signUp();
    const about = { tool: "calculator", framework: FRAMEWORKS[vendor], system_prompt: PROMPT };
    const [swarmId] = await addSwarms(service, user, await addAgent(service, user, about), 1);
    for (let turn = 1; turn <= turns; turn += 1) {
      const request = toRun(user, { swarm_id: swarmId, message: say(turn, "person") });
      const { status, text } = await connection.ask(renderRequest(service.target, request));
      if (status !== 200) throw new Error(`A run was answered with ${status}: ${text.slice(0, 500)}`);
      service.vendors.pass(secondsAfter(turn));
    }
    const calls = service.vendors.calls[vendor];
    const sumOf = (key: "input" | "cached" | "written"): number => calls.reduce((sum, call) => sum + call[key], 0);
    const [inputTokens, cachedTokens, writtenTokens] = [sumOf("input"), sumOf("cached"), sumOf("written")];
    all.push({ vendor, turns, inputTokens, cachedTokens, writtenTokens });
  }
  connection.close();
  return all;
}
