import { CodeBlock } from "./code-block.tsx";
import { EmptyState } from "./empty-state.tsx";
import { ButtonLink } from "./link.tsx";
import { NotLoaded, type NotLoadedProps } from "./not-loaded.tsx";
import { PageHeader } from "./page-header.tsx";
import { PageSkeleton } from "./skeleton.tsx";

const EVALS = { list: "Evals", to: "/evals", reason: "It was deleted, or it belongs to somebody else." };
const ROWS = {
  agent: { list: "Agents", to: "/agents", reason: "It was deleted, or it belongs to another user." },
  tool: { list: "Tools", to: "/tools", reason: "It was deleted, or its owner does not share it with you." },
  guardrail: { list: "Guardrails", to: "/guardrails", reason: "It was deleted, or somebody else manages it." },
  schedule: { list: "Schedules", to: "/schedules", reason: "It was deleted, or it belongs to another user." },
  trigger: { list: "Triggers", to: "/triggers", reason: "It was deleted, or it belongs to another user." },
  swarm: {
    list: "Swarms",
    to: "/swarms",
    reason: "It was deleted, or you are not a member. Its owner can invite you.",
  },
  run: {
    list: "Runs",
    to: "/runs",
    reason: "It does not exist, was removed, or belongs to a swarm that you are not a member of.",
  },
  dataset: EVALS,
  case: EVALS,
  "eval run": EVALS,
  webhook: { list: "Webhooks", to: "/webhooks", reason: "It was deleted, or it belongs to another user." },
  "event feed": {
    list: "Event feeds",
    to: "/webhooks/feeds",
    reason: "It was deleted, or it belongs to another user.",
  },
  delivery: {
    list: "Webhooks",
    to: "/webhooks",
    reason: "Finished deliveries are deleted after a retention period, and when their webhook is deleted.",
  },
} as const;

export interface NoSuchRowProps {
  readonly noun: keyof typeof ROWS;
  /** What the user was writing there. */
  readonly drafts?: readonly string[];
}

/** The page of a row that does not exist for the user. */
export function NoSuchRow({ noun, drafts = [] }: NoSuchRowProps) {
  const { list, to, reason } = ROWS[noun];
  return (
    <>
      <PageHeader title={`No such ${noun}`} crumbs={[{ label: list, to }]} />
      <EmptyState picture="lost" title="Not found" action={<ButtonLink to={to}>All {list.toLowerCase()}</ButtonLink>}>
        {reason}
      </EmptyState>
      {drafts.map((draft) => (
        <CodeBlock key={draft} label="What you were writing" code={draft} isWrapped />
      ))}
    </>
  );
}

const MISSING = new Set([403, 404, 406]);
const MALFORMED_ID = "22P02";

export interface FailedRead extends Pick<NotLoadedProps["read"], "reload"> {
  readonly failure: { readonly message: string; readonly status: number; readonly code: string } | null;
}

/** Whether a read has failed because the row does not exist for the user. */
export function isMissing({ failure }: FailedRead): boolean {
  return failure !== null && (MISSING.has(failure.status) || failure.code === MALFORMED_ID);
}

/** In place of the page of a row that is not there: it is being loaded, does not exist, or could not be loaded. */
export function PageNotLoaded({ read, ...row }: NoSuchRowProps & { readonly read: FailedRead }) {
  if (isMissing(read)) return <NoSuchRow {...row} />;
  return <NotLoaded title={`The ${row.noun} could not be loaded`} read={read} skeleton={<PageSkeleton />} />;
}
