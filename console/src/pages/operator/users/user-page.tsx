import { useParams } from "react-router";
import { type UserDetails, useOperatedUser } from "../../../data/operator-users.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Facts } from "../../../components/facts.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { Link } from "../../../components/link.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { UserActions } from "./user-actions.tsx";
import { UserBadges } from "./user-badges.tsx";

const CRUMBS = [{ label: "Users", to: "/operator/users" }];

export function UserPage() {
  const { userId = "" } = useParams();
  const { rows: details, ...read } = useOperatedUser(userId);
  if (details === undefined)
    return (
      <>
        <PageHeader title="User" crumbs={CRUMBS} />
        <NotLoaded title="The user could not be loaded" read={read} />
      </>
    );
  const { user, limits } = details;
  return (
    <>
      <PageHeader
        title={user.email ?? "User without an address"}
        crumbs={CRUMBS}
        trailing={<UserBadges user={user} />}
        actions={<UserActions user={user} hasFactors={details.factors.length > 0} />}
      />
      <div className="grid grid-cols-1 gap-5">
        <Account details={details} />
        {limits !== null && <LimitsCard key={user.id} userId={user.id} limits={limits} />}
        <Sessions details={details} />
      </div>
    </>
  );
}

function Account({ details: { user } }: { readonly details: UserDetails }) {
  const tables = (table: string, column: string) =>
    `/operator/tables/public/${table}?filters=${encodeURIComponent(JSON.stringify([[column, "eq", user.id]]))}`;
  return (
    <CardSection title="Account">
      <Facts
        rows={[
          ["Name", user.name ?? "none"],
          ["Id", <span className="font-mono text-sm">{user.id}</span>],
          ["Created", <RelativeTime at={user.created_at} />],
          ["Last sign-in", user.last_sign_in_at === null ? "Never" : <RelativeTime at={user.last_sign_in_at} />],
          [
            "Rows",
            <span className="flex flex-wrap gap-x-4 gap-y-1">
              <Link to={tables("agents", "user_id")}>Agents</Link>
              <Link to={tables("swarms", "owner_id")}>Swarms</Link>
              <Link to={tables("runs", "user_id")}>Runs</Link>
              <Link to={tables("webhooks", "user_id")}>Webhooks</Link>
              <Link to={`/operator/logs?user_id=${user.id}`}>Log lines</Link>
              <Link to={`/operator/audit?subject=${user.id}`}>Audit log</Link>
            </span>,
          ],
        ]}
      />
    </CardSection>
  );
}

function Sessions({ details: { sessions } }: { readonly details: UserDetails }) {
  return (
    <CardSection title="Sessions" description={sessions.length === 0 ? "The user is signed in nowhere." : undefined}>
      {sessions.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {sessions.map(({ id, user_agent: agent, ip, last_seen_at: seenAt, aal }) => (
            <li key={id} className="grid gap-0.5 px-3 py-2.5">
              <div className="flex flex-wrap items-center gap-2">
                <span className="min-w-0 wrap-anywhere">{agent ?? "Unknown program"}</span>
                {aal === "aal2" && <Badge>Second factor</Badge>}
              </div>
              <div className="flex flex-wrap gap-x-3 text-sm text-ink-faint">
                <span className="tabular-nums">{ip ?? "unknown address"}</span>
                <span>
                  seen <RelativeTime at={seenAt} />
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}
