import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";

export function ToolGone() {
  return (
    <>
      <PageHeader title="No such tool" crumbs={[{ label: "Tools", to: "/tools" }]} />
      <EmptyState picture="lost" title="Tool not found" action={<ButtonLink to="/tools">All tools</ButtonLink>}>
        It was deleted, or its owner does not share it with you.
      </EmptyState>
    </>
  );
}
