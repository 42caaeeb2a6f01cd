import type { Failure } from "../../data/failure.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

const CRUMBS = [{ label: "Webhooks", to: "/webhooks" }];
/** Error codes for a missing row or an invalid id. */
const MISSING: ReadonlySet<string> = new Set(["WEBHOOK_NOT_FOUND", "PGRST116", "22P02"]);

export function MissingWebhook({ noun = "webhook" }: { readonly noun?: "webhook" | "delivery" }) {
  return (
    <>
      <PageHeader title={`No such ${noun}`} crumbs={CRUMBS} />
      <EmptyState
        picture="lost"
        title={noun === "webhook" ? "Webhook not found" : "Delivery not found"}
        action={
          <ButtonLink to="/webhooks" variant="primary">
            All webhooks
          </ButtonLink>
        }
      >
        {noun === "webhook"
          ? "It was deleted, or it belongs to another user."
          : "Finished deliveries are deleted after a retention period, and when their webhook is deleted."}
      </EmptyState>
    </>
  );
}

/** Shown when the row of a page could not be read. */
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
