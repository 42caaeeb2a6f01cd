import { clsx } from "clsx";
import { ArrowRight, ArrowUpRight, Check, Sparkles } from "lucide-react";
import { useNavigate } from "react-router";
import { type FirstSteps, useSetUp } from "../../data/first-steps.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { CardLink } from "../../components/card.tsx";
import { Illustration, type IllustrationName } from "../../components/illustration.tsx";

const NEXT_PAGES: readonly Way[] = [
  {
    to: "/tools",
    title: "Assign tools to agents",
    text: "Calculators, your own HTTP endpoints, or the tools of an MCP server.",
    picture: "tools",
  },
  {
    to: "/events",
    title: "Watch events",
    text: "A live list of messages, status changes and deliveries.",
    picture: "events",
  },
  {
    to: "/api",
    title: "Use the API",
    text: "The console uses only the public API. Copy a snippet to start.",
    picture: "webhooks",
  },
];

interface Step {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly to: string;
  readonly action: string;
}

function listSteps(progress: FirstSteps): readonly Step[] {
  const { agents, agentId, hasTool, swarmId, hasAnswer, webhookId, hasDelivery } = progress;
  return [
    {
      title: "Create an agent",
      text: "A name, a role and instructions.",
      isDone: agents >= 1,
      to: "/agents/new",
      action: "New agent",
    },
    {
      title: "Create a second one",
      text: "Two agents can discuss and check each other.",
      isDone: agents >= 2,
      to: "/agents/new",
      action: "New agent",
    },
    {
      title: "Assign a tool",
      text: "A calculator, a clock, or your own HTTP endpoint.",
      isDone: hasTool,
      to: agentId === null ? "/tools" : `/agents/${agentId}/tools`,
      action: "Choose a tool",
    },
    {
      title: "Put them in a swarm",
      text: "A conversation of people and agents, with a strategy for who answers.",
      isDone: swarmId !== null,
      to: "/swarms/new",
      action: "New swarm",
    },
    {
      title: "Get an answer",
      text: "Ask a question and watch the reply and its tool calls.",
      isDone: hasAnswer,
      to: swarmId === null ? "/swarms" : `/swarms/${swarmId}`,
      action: "Ask",
    },
    {
      title: "Add a webhook",
      text: "Your own service receives signed events, with retries.",
      isDone: webhookId !== null,
      to: "/webhooks/new",
      action: "New webhook",
    },
    {
      title: "Inspect a delivery",
      text: "Send a test, see request and response, and send it again.",
      isDone: hasDelivery,
      to: webhookId === null ? "/webhooks" : `/webhooks/${webhookId}`,
      action: "View deliveries",
    },
  ];
}

export interface ChecklistProps {
  readonly steps: FirstSteps;
  onHide(): void;
}

/** The first steps of a new user. Their progress is derived from the user's rows. */
export function Checklist({ steps: progress, onHide }: ChecklistProps) {
  const steps = listSteps(progress);
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <>
      <section
        aria-labelledby="first-steps"
        className="overflow-hidden rounded-lg border border-line bg-surface shadow-1"
      >
        <div className="grid gap-3 p-5">
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="grid gap-0.5">
              <h2 id="first-steps" className="text-lg font-semibold">
                First steps
              </h2>
              <p className="text-ink-soft">Takes a few minutes, in any order.</p>
            </div>
            {progress.agents === 0 && progress.swarmId === null ? (
              <SetUp />
            ) : (
              progress.swarmId !== null && (
                <Button size="small" variant="quiet" onClick={onHide}>
                  Hide list
                </Button>
              )
            )}
          </div>
          <div className="flex items-center gap-3">
            <div className="flex-1">
              <ProgressBar label="First steps done" value={done} max={steps.length} />
            </div>
            <span className="text-sm text-ink-faint tabular-nums">
              {done} of {steps.length}
            </span>
          </div>
        </div>
        <ol className="border-t border-line">
          {steps.map((step, index) => (
            <StepRow key={step.title} step={step} isNext={index === next} />
          ))}
        </ol>
      </section>
      <NextPages />
    </>
  );
}

function StepRow({ step, isNext }: { readonly step: Step; readonly isNext: boolean }) {
  const { title, text, isDone, to, action } = step;
  return (
    <li
      className={clsx(
        "flex gap-4 border-b border-line px-5 py-3 last:border-b-0 sm:items-center",
        isNext && "bg-accent-soft",
      )}
    >
      <span
        className={clsx(
          "flex size-6 shrink-0 items-center justify-center rounded-full border",
          isDone ? "border-good bg-good-soft text-good" : isNext ? "border-accent bg-surface" : "border-line-strong",
        )}
      >
        {isDone && <Check className="size-3.5" strokeWidth={3} aria-hidden />}
        <span className="sr-only">{isDone ? "Done:" : "To do:"}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2.5 sm:flex-row sm:items-center sm:gap-4">
        <div className="grid min-w-0 flex-1">
          <span className={clsx("font-medium", isDone && "text-ink-soft")}>{title}</span>
          {!isDone && <span className="text-sm text-pretty text-ink-soft">{text}</span>}
        </div>
        {!isDone && (
          <ButtonLink to={to} size="small" variant={isNext ? "primary" : "plain"} className="self-start sm:self-auto">
            {action}
            <ArrowRight aria-hidden />
          </ButtonLink>
        )}
      </div>
    </li>
  );
}

function SetUp() {
  const setUp = useSetUp();
  const navigate = useNavigate();
  const run = async () => {
    const swarmId = await setUp.run();
    if (swarmId !== null) await navigate(`/swarms/${swarmId}`);
  };
  return (
    <div className="grid gap-2 sm:justify-items-end">
      <Button variant="primary" icon={<Sparkles />} isBusy={setUp.isBusy || setUp.isDone} onClick={() => void run()}>
        Set it up for me
      </Button>
      {setUp.failure !== null && <Banner tone="bad">{setUp.failure.message}</Banner>}
    </div>
  );
}

interface Way {
  readonly to: string;
  readonly title: string;
  readonly text: string;
  readonly picture: IllustrationName;
}

function NextPages() {
  return (
    <section aria-label="Next steps" className="grid gap-4 md:grid-cols-3">
      {NEXT_PAGES.map(({ to, title, text, picture }) => (
        <CardLink key={to} to={to} label={title}>
          <div className="grid md:gap-3">
            <div className="flex items-start justify-between">
              <div className="max-md:hidden">
                <Illustration name={picture} />
              </div>
              <ArrowUpRight className="size-4 text-ink-faint max-md:absolute max-md:top-4 max-md:right-4" aria-hidden />
            </div>
            <div className="grid gap-1">
              <h2 className="font-semibold">{title}</h2>
              <p className="text-sm text-pretty text-ink-soft">{text}</p>
            </div>
          </div>
        </CardLink>
      ))}
    </section>
  );
}
