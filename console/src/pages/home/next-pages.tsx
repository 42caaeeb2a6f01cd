import { ArrowUpRight } from "lucide-react";
import { CardLink } from "../../components/card.tsx";
import { Illustration, type IllustrationName } from "../../components/illustration.tsx";

interface Way {
  readonly to: string;
  readonly title: string;
  readonly text: string;
  readonly picture: IllustrationName;
}

const WAYS: readonly Way[] = [
  {
    to: "/tools",
    title: "Give agents tools",
    text: "Calculators, your own HTTP endpoints, or everything that an MCP server offers.",
    picture: "tools",
  },
  {
    to: "/events",
    title: "Watch it happen",
    text: "Every message, status and delivery as it happens, in one live list.",
    picture: "events",
  },
  {
    to: "/api",
    title: "Do it from code",
    text: "All that the console does goes through the public API. Copy a snippet and go on.",
    picture: "webhooks",
  },
];

export function WaysOn() {
  return (
    <section aria-label="Where to go from here" className="grid gap-4 md:grid-cols-3">
      {WAYS.map(({ to, title, text, picture }) => (
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
