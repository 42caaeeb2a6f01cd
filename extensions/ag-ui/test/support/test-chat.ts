import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { SwarmUIMessage } from "@swarmbase/sdk/ai";
import {
  AbstractChat,
  type ChatOnToolCallCallback,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { WAIT_MS } from "../../../../server/test/support/wait-limit.ts";

export interface TestChatOptions {
  readonly api: string;
  readonly bearer: string;
  readonly fetch: typeof globalThis.fetch;
  readonly onToolCall?: ChatOnToolCallCallback<SwarmUIMessage> | undefined;
  readonly id?: string | undefined;
}

/** The chat of the AI SDK without a framework, with its own transport. */
export class TestChat extends AbstractChat<SwarmUIMessage> {
  constructor({ api, bearer, fetch, onToolCall = () => {}, id = randomUUID() }: TestChatOptions) {
    const state: ChatState<SwarmUIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (value) => structuredClone(value),
    };
    const headers = { authorization: `Bearer ${bearer}` };
    super({
      id,
      state,
      transport: new DefaultChatTransport<SwarmUIMessage>({ api, headers, fetch }),
      onToolCall,
      sendAutomaticallyWhen: (given) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(given) ||
        lastAssistantMessageIsCompleteWithToolCalls(given),
    });
  }
}

export async function waitForEnd(chat: TestChat): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (chat.status !== "ready" || chat.messages.at(-1)?.metadata?.status === undefined) {
    assert.ok(Date.now() < deadline && chat.error === undefined, chat.error?.message ?? "the chat did not end in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
