import { CircleAlert, CircleCheck, CircleSlash, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import type { AgentTurn } from "../../data/agent-activity.ts";
import { formatDuration, formatMoney, formatTokens } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Timeline } from "../../components/timeline.tsx";
import type { Tone } from "../../components/badge.tsx";

const LOOKS: Readonly<Record<AgentTurn["status"], { tone: Tone; word: string; icon: ReactNode }>> = {
  queued: { tone: "neutral", word: "Waits", icon: <LoaderCircle /> },
  thinking: { tone: "thinking", word: "Is thinking", icon: <LoaderCircle className="animate-spin-slow" /> },
  responding: { tone: "responding", word: "Is answering", icon: <LoaderCircle className="animate-spin-slow" /> },
  completed: { tone: "good", word: "Answered", icon: <CircleCheck /> },
  failed: { tone: "bad", word: "Failed", icon: <CircleAlert /> },
  cancelled: { tone: "neutral", word: "Was stopped", icon: <CircleSlash /> },
};

/** "1.2K tokens · 2.4 s · $0.0012" */
function sayTurn(turn: AgentTurn): string {
  const { input_tokens: read, output_tokens: written, duration_ms: ms, cost_usd: cost } = turn;
  const tokens = (read ?? 0) + (written ?? 0);
  return [
    ...(tokens === 0 ? [] : [formatTokens(tokens)]),
    ...(ms === null ? [] : [formatDuration(ms)]),
    ...(cost === null ? [] : [formatMoney(cost)]),
  ].join(" · ");
}

/** The newest first, each leading to its run. */
export function TurnList({ turns }: { readonly turns: readonly AgentTurn[] }) {
  return (
    <Timeline
      label="Turns"
      items={turns.map((turn) => {
        const { tone, word, icon } = LOOKS[turn.status];
        const said = sayTurn(turn);
        return {
          key: turn.id,
          tone,
          icon,
          title: <Link to={`/swarms/${turn.swarm_id}/runs/${turn.run_id}`}>{word}</Link>,
          aside: <RelativeTime at={turn.created_at} />,
          children: (
            <p className="-mt-1.5 text-sm break-words text-ink-soft">
              {turn.error === null ? `${turn.model}${said === "" ? "" : ` · ${said}`}` : turn.error.message}
            </p>
          ),
        };
      })}
    />
  );
}
