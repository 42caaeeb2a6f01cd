import {
  type AccountServer,
  type AccountTokens,
  AppError,
  type AuthorizationKey,
  type ToolAccounts,
  type ToolAnswer,
  type ToolCall,
  ToolFailure,
} from "swarmbase/extension";
import type { McpContext } from "../settings.ts";
import { type AttemptOptions, shareAttempt } from "./start-attempt.ts";
import { NotAuthorized } from "./token-source.ts";

interface AccountOptions extends AttemptOptions, Pick<McpContext, "requireKeyScope"> {
  tokensOf(key: AuthorizationKey): AccountTokens;
}

/** Of the questions with which a call asks for an account; those of servers have other ids. */
const QUESTION_ID = /^swarmbase\/connect\//;

export function openAccounts(options: AccountOptions): ToolAccounts {
  return {
    async use(call, server, work) {
      const { starter } = call;
      const responses = Object.entries(call.answers?.responses ?? {});
      if (responses.some(([id, { action }]) => QUESTION_ID.test(id) && action !== "accept"))
        throw new ToolFailure("TOOL_UNUSABLE", "The person declined to connect an account for this tool.");
      const tokens = options.tokensOf({ ownerId: starter.userId, account: "asker", url: server.url });
      let isRenewed = false;
      try {
        return await work({
          async take() {
            const { principal } = await starter.open();
            // The server of the account knows nothing of API keys, and may do anything.
            await explained("", async () => options.requireKeyScope(principal, ["read", "write"]));
            return tokens.take();
          },
          async renew(version) {
            // The server does not accept the account: it may have been connected for another resource of the same origin.
            if (isRenewed) throw new NotAuthorized("TOOL_UNUSABLE", "The server does not accept the account.");
            isRenewed = true;
            await tokens.renew(version);
          },
        });
      } catch (error) {
        if (error instanceof NotAuthorized) return await askForAccount(options, call, server, starter.userId);
        throw error;
      }
    },
  };
}

/** The call as its server may see it: without the answers of the service's own questions. */
export function withoutConnecting(call: ToolCall): ToolCall {
  const { answers } = call;
  if (answers === undefined) return call;
  const others = Object.entries(answers.responses).filter(([id]) => !QUESTION_ID.test(id));
  return { ...call, answers: { ...answers, responses: Object.fromEntries(others) } };
}

async function askForAccount(
  options: AccountOptions,
  { executionId, answers }: ToolCall,
  server: AccountServer,
  personId: string | null,
): Promise<ToolAnswer> {
  if (executionId === undefined)
    throw new ToolFailure("TOOL_UNUSABLE", "The person has to connect an account for this tool first.");
  const { requireRound } = await import("../questions/elicitation.ts");
  requireRound(answers?.rounds ?? 0);
  const { id, url } = await explained("No account can be connected: ", () =>
    shareAttempt(options, { ownerId: personId, account: "asker", server, executionId }),
  );
  const question = {
    id: `swarmbase/connect/${options.newId()}`,
    kind: "connect",
    message: `Connect your account at ${new URL(server.url).host}.`,
    schema: { type: "object", properties: {} },
    url,
    server,
    connection_id: id,
  } as const;
  return { text: "", isCut: false, attempts: 1, asking: { questions: [question], state: null } };
}

async function explained<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ToolFailure("TOOL_UNUSABLE", `${prefix}${error.message}.`, { cause: error });
  }
}
