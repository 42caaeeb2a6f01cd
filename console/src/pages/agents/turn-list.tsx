import { CircleAlert, CircleCheck, CirclePause, CircleSlash, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import type { AgentTurn } from "../../data/agent-activity.ts";
import { formatDuration, formatMoney, formatTokens } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Timeline } from "../../components/timeline.tsx";
import type { Tone } from "../../components/badge.tsx";
import { pathOfTurn } from "./path-of-turn.ts";

const STYLES: Readonly<Record<AgentTurn["status"], { tone: Tone; word: string; icon: ReactNode }>> = {
  waiting: { tone: "neutral", word: "Waiting", icon: <CirclePause /> },
  thinking: { tone: "thinking", word: "Thinking", icon: <LoaderCircle className="animate-spin-slow" /> },
  responding: { tone: "responding", word: "Responding", icon: <LoaderCircle className="animate-spin-slow" /> },
  completed: { tone: "good", word: "Completed", icon: <CircleCheck /> },
  failed: { tone: "bad", word: "Failed", icon: <CircleAlert /> },
  cancelled: { tone: "neutral", word: "Cancelled", icon: <CircleSlash /> },
};

/** "1.2K tokens · 2.4 s · $0.0012" */
function describeTurn(turn: AgentTurn): string {
  const { input_tokens: read, output_tokens: written, duration_ms: ms, cost_usd: cost } = turn;
  const tokens = (read ?? 0) + (written ?? 0);
  return [
    ...(tokens === 0 ? [] : [formatTokens(tokens)]),
    ...(ms === null ? [] : [formatDuration(ms)]),
    ...(cost === null ? [] : [formatMoney(cost)]),
  ].join(" · ");
}

/** Turns with links to their runs, the newest first. */
export function TurnList({ turns }: { readonly turns: readonly AgentTurn[] }) {
  return (
    <Timeline
      label="Turns"
      items={turns.map((turn) => {
        const { tone, word, icon } = STYLES[turn.status];
        const said = describeTurn(turn);
        return {
          key: turn.id,
          tone,
          icon,
          title: <Link to={pathOfTurn(turn)}>{word}</Link>,
          trailing: <RelativeTime at={turn.created_at} />,
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
