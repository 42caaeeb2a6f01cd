import { ArrowUpRight } from "lucide-react";
import { CardLink } from "../../components/card.tsx";
import { Illustration, type IllustrationName } from "../../components/illustration.tsx";

interface Way {
  readonly to: string;
  readonly title: string;
  readonly text: string;
  readonly picture: IllustrationName;
}

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

export function NextPages() {
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
