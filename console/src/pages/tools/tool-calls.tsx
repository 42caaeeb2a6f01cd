import { type Tool, type ToolCall, useToolCalls } from "../../data/tools.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { List } from "../../components/list-page.tsx";
import { formatCount, formatDuration } from "../../components/formats.ts";
import { whenColumn } from "../../components/when-column.tsx";

const STYLES: Readonly<Record<ToolCall["status"], { readonly tone: Tone; readonly word: string }>> = {
  pending_approval: { tone: "thinking", word: "Waiting for approval" },
  pending_client: { tone: "thinking", word: "Waiting for the app" },
  waiting: { tone: "thinking", word: "Waiting" },
  running: { tone: "responding", word: "Running" },
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
  denied: { tone: "neutral", word: "Denied" },
  timed_out: { tone: "bad", word: "Timed out" },
  cancelled: { tone: "neutral", word: "Cancelled" },
};
const COLUMNS: readonly Column<ToolCall>[] = [
  {
    title: "Call",
    width: "10rem",
    narrow: "title",
    text: ({ status }) => status,
    render: ({ status }) => <Badge tone={STYLES[status].tone}>{STYLES[status].word}</Badge>,
  },
  {
    title: "Result",
    width: "3fr",
    render: ({ error, output_chars: chars }) =>
      error === null ? (chars === null ? "" : `${formatCount(chars)} characters`) : error.message,
  },
  { title: "Duration", isNumber: true, render: ({ duration_ms: ms }) => (ms === null ? "" : formatDuration(ms)) },
  { title: "Attempts", isNumber: true, render: ({ attempts }) => formatCount(attempts) },
  whenColumn(),
];

/** The calls of the tool in swarms of the user. */
export function ToolCalls({ tool }: { readonly tool: Tool }) {
  return (
    <List
      noun="calls"
      pages={useToolCalls(tool.id)}
      empty={
        <EmptyState picture="events" title="Not called yet">
          Lists the calls by agents in all swarms that you are in, with duration and errors. Test calls are not stored.
        </EmptyState>
      }
      table={{
        label: "Calls",
        columns: COLUMNS,
        onOpen: {
          label: ({ status, created_at: at }) => `Open the run of the call (${STYLES[status].word}) at ${at}`,
          to: ({ swarm_id: swarmId, run_id: runId }) => `/swarms/${swarmId}/runs/${runId}`,
        },
      }}
    />
  );
}
