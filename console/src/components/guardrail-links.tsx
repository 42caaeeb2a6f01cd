import { Plus } from "lucide-react";
import { Badge } from "./badge.tsx";
import { CardSection } from "./card.tsx";
import { ButtonLink, Link } from "./link.tsx";
import { Skeleton } from "./skeleton.tsx";

interface GuardrailLinksProps {
  /** "agent:<id>" or "swarm:<id>" */
  readonly of: string;
  /** Undefined until they are loaded. */
  readonly guardrails:
    | readonly { readonly id: string; readonly name: string; readonly is_active: boolean }[]
    | undefined;
  /** In place of an empty list. */
  readonly hint: string;
}

/** The guardrails of an agent or of a swarm, with links to their pages. */
export function GuardrailLinks({ of, guardrails, hint }: GuardrailLinksProps) {
  return (
    <CardSection
      title="Guardrails"
      action={
        <ButtonLink
          to={`/guardrails/new?of=${of}`}
          variant="quiet"
          size="small"
          icon={<Plus />}
          className="-mt-0.5 -mr-1.5"
        >
          Add guardrail
        </ButtonLink>
      }
    >
      {guardrails === undefined ? (
        <Skeleton className="h-8" />
      ) : guardrails.length === 0 ? (
        <p className="text-ink-soft">{hint}</p>
      ) : (
        <ul className="grid gap-2">
          {guardrails.map(({ id, name, is_active: isActive }) => (
            <li key={id} className="flex min-w-0 items-center gap-2.5">
              <Link to={`/guardrails/${id}`} className="min-w-0 flex-1 truncate">
                {name}
              </Link>
              {!isActive && <Badge>Off</Badge>}
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}
