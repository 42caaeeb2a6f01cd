import { Sparkles } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Illustration } from "../../../components/illustration.tsx";
import { STRATEGY_LABELS } from "../labels.ts";
import { useSwarmContext } from "./swarm-context.ts";

const SUGGESTIONS = [
  "Introduce yourselves in one sentence each.",
  "What should I know before I give a talk about bees?",
  "Name the three weakest points of this plan: we ship on Friday.",
];

/** Shown in a conversation without messages: explains the strategy and suggests questions. */
export function EmptyConversation({ onSuggest }: { onSuggest(text: string): void }) {
  const { swarm, swarmAgents, rights } = useSwarmContext();
  const count = swarmAgents.rows?.filter(({ enabled }) => enabled).length;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto grid min-h-full max-w-xl content-center justify-items-center gap-4 px-4 py-6 text-center">
        <Illustration name="swarms" />
        <div className="grid gap-1.5">
          <h2 className="text-lg font-semibold">Start the conversation</h2>
          <p className="text-pretty text-ink-soft">
            {count === 0
              ? "This swarm has no agents yet. Add one to get replies."
              : STRATEGY_LABELS[swarm.strategy].text}
          </p>
        </div>
        {rights.canWrite && count !== 0 && (
          <ul className="grid w-full gap-2">
            {SUGGESTIONS.map((text) => (
              <li key={text}>
                <Button
                  icon={<Sparkles />}
                  className="h-auto! min-h-9 w-full justify-start! py-2 text-left whitespace-normal!"
                  onClick={() => onSuggest(text)}
                >
                  {text}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
