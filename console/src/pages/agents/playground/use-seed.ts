import { useEffect } from "react";
import { useLocation } from "react-router";
import { setColumns } from "../../../data/playground.ts";
import { type Column, createColumn } from "../../../data/playground-state.ts";
import type { OpenedPrompt } from "../../../data/prompt-opening.ts";
import { useAddress } from "../../../components/use-address.ts";

/** Begins with the prompt that the trace of a run has opened, the agent that the address names, or the first agents of the user. */
export function useSeed(
  columns: readonly Column[] | null | undefined,
  agents: readonly { readonly id: string }[] | undefined,
): void {
  const { address, clear } = useAddress();
  const agentId = address.get("agent");
  const { opened } = (useLocation().state ?? {}) as { readonly opened?: OpenedPrompt };
  const version = readNumber(address.get("version"));
  useEffect(() => {
    if (columns === undefined || agents === undefined) return;
    if (opened !== undefined) {
      setColumns([0, 1].map(() => ({ ...createColumn(opened.agentId), ...opened })));
      clear();
    } else if (agentId !== null) {
      const isKnown = agents.some(({ id }) => id === agentId);
      if (isKnown) setColumns([createColumn(agentId), createColumn(agentId, version)]);
      clear();
    } else if (columns === null || columns.length === 0) {
      const [first, second = first] = agents;
      if (first !== undefined && second !== undefined) setColumns([createColumn(first.id), createColumn(second.id)]);
    }
  }, [columns, agents, opened, agentId, version, clear]);
}

function readNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
