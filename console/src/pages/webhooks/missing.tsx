import type { Failure } from "../../data/failure.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

const CRUMBS = [{ label: "Webhooks", to: "/webhooks" }];
/** No such row, or what stands in the address is no id at all. */
const MISSING: ReadonlySet<string> = new Set(["WEBHOOK_NOT_FOUND", "PGRST116", "22P02"]);

export function MissingWebhook({ noun = "webhook" }: { readonly noun?: "webhook" | "delivery" }) {
  return (
    <>
      <PageHeader title={`No such ${noun}`} crumbs={CRUMBS} />
      <EmptyState
        picture="lost"
        title={`This ${noun} is not here`}
        action={
          <ButtonLink to="/webhooks" variant="primary">
            To the webhooks
          </ButtonLink>
        }
      >
        {noun === "webhook"
          ? "It may have been deleted, or it belongs to somebody else."
          : "Finished deliveries are kept for a while and then removed, and they go when their webhook is deleted."}
      </EmptyState>
    </>
  );
}

/** In place of a page whose row could not be read. */
export function UnreadPage(props: {
  readonly noun: "webhook" | "delivery";
  readonly failure: Failure;
  onRetry(): void;
}) {
  const { noun, failure, onRetry } = props;
  if (MISSING.has(failure.code)) return <MissingWebhook noun={noun} />;
  return (
    <>
      <PageHeader title={noun === "webhook" ? "Webhook" : "Delivery"} crumbs={CRUMBS} />
      <FailureState title={`The ${noun} could not be loaded`} message={failure.message} onRetry={onRetry} />
    </>
  );
}
