import { Ellipsis, Link2, UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { useDeleteRow, useUpdateRow } from "../../../data/changed-rows.ts";
import {
  type GivenRole,
  type Invited,
  type Member,
  type MemberCounts,
  nameOf,
  useCreateLink,
  useInvite,
} from "../../../data/members.ts";
import { Avatar } from "../../../components/avatar.tsx";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { formatCount, formatExact } from "../../../components/formats.ts";
import { DropdownMenu } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { useToast } from "../../../components/toast.tsx";
import { Tooltip } from "../../../components/tooltip.tsx";
import { ROLE_LABELS } from "../../../components/role-labels.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Field } from "../../../components/field.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { InvitedDialog } from "./invited-dialog.tsx";
import { PanelSection } from "./panel-section.tsx";

const ROLES = (["member", "viewer", "admin"] as const).map((value) => ({
  value,
  label: ROLE_LABELS[value].label,
  hint: ROLE_LABELS[value].text,
}));

export function PeoplePanel() {
  const { members, rights } = useSwarmContext();
  const [isInviting, setInviting] = useState(false);
  const { rows, counts, hasMore, loadMore, isLoadingMore } = members;
  return (
    <PanelSection
      title="People"
      count={counts && describeCounts(counts)}
      action={
        rights.canExtend && (
          <Button size="small" variant="quiet" icon={<UserPlus />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {rows === undefined && <Skeleton className="h-12" />}
      <ul className="-mx-2 grid">
        {rows?.map((member) => (
          <MemberRow key={member.id} member={member} />
        ))}
      </ul>
      {hasMore && (
        <Button size="small" isBusy={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </PanelSection>
  );
}

function describeCounts({ active, invited }: MemberCounts): string {
  return invited === 0 ? formatCount(active) : `${formatCount(active)}, ${formatCount(invited)} invited`;
}

function MemberRow({ member }: { readonly member: Member }) {
  const {
    presence: { present },
    rights,
    userId,
  } = useSwarmContext();
  const { user_id: id, role, status } = member;
  const isHere = id !== null && present.has(id);
  const isYou = id === userId;
  const name = nameOf(member);
  return (
    <li className="flex min-h-12 items-center gap-2.5 rounded-md py-1 pr-1 pl-2 hover:bg-hover">
      <span className="relative">
        <Avatar name={name} seed={id ?? member.id} size="small" />
        {isHere && (
          <span
            role="img"
            aria-label="online"
            className="absolute -right-px -bottom-px size-2.5 rounded-full bg-good ring-2 ring-surface"
          />
        )}
      </span>
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">
          {name}
          {isYou && <span className="font-normal text-ink-faint"> (you)</span>}
        </span>
        <span className="truncate text-sm text-ink-faint">{ROLE_LABELS[role].label}</span>
      </span>
      {status === "invited" && <InvitationState expiresAt={member.expires_at} />}
      {rights.canManage && role !== "owner" && !isYou && <MemberMenu member={member} name={name} />}
    </li>
  );
}

/** A new invitation replaces one that has expired. */
function InvitationState({ expiresAt }: { readonly expiresAt: string | null }) {
  if (expiresAt === null) return <Badge tone="thinking">Invited</Badge>;
  if (Date.parse(expiresAt) <= Date.now()) return <Badge tone="bad">Invitation expired</Badge>;
  return (
    <Tooltip text={`The invitation expires on ${formatExact(expiresAt)}`}>
      <span tabIndex={0} className="rounded-md">
        <Badge tone="thinking">Invited</Badge>
      </span>
    </Tooltip>
  );
}

const GIVEN = ["admin", "member", "viewer"] as const satisfies readonly GivenRole[];

function MemberMenu({ member, name }: { readonly member: Member; readonly name: string }) {
  const change = useUpdateRow<{ readonly id: string; readonly role: GivenRole }>("swarm_members");
  const remove = useDeleteRow("swarm_members");
  const create = useCreateLink();
  const [link, setLink] = useState<string | null>(null);
  const show = useToast();
  const { id, role: before, status } = member;
  const setRole = (role: GivenRole) =>
    void change.run({ id, role }).then((done) => {
      if (done === null) return show({ text: "The role could not be changed.", tone: "bad" });
      const undo = () => void (before !== "owner" && change.run({ id, role: before }));
      return show({
        text: `${name} is ${ROLE_LABELS[role].label.toLowerCase()} now.`,
        action: { label: "Undo", run: undo },
      });
    });
  const onRemove = () =>
    void remove
      .run(id)
      .then((done) =>
        show(
          done === null
            ? { text: `${name} could not be removed.`, tone: "bad" }
            : { text: status === "invited" ? "The invitation is withdrawn." : `${name} is no longer in the swarm.` },
        ),
      );
  const onNewLink = () =>
    void create.run(id).then((made) => {
      if (made === null) show({ text: "The link could not be created.", tone: "bad" });
      else setLink(made);
    });
  if (link !== null) return <InvitedDialog whom={name} link={link} isSecret onClose={() => setLink(null)} />;
  return (
    <DropdownMenu
      trigger={<IconButton size="small" label={`More about ${name}`} icon={<Ellipsis />} />}
      groups={[
        GIVEN.filter((role) => role !== before).map((role) => ({
          label: `Make ${ROLE_LABELS[role].label.toLowerCase()}`,
          onSelect: () => setRole(role),
        })),
        [
          ...(status === "invited" && member.user_id === null
            ? [{ label: "Create new link", icon: <Link2 />, onSelect: onNewLink }]
            : []),
          {
            label: status === "invited" ? "Withdraw invitation" : "Remove from swarm",
            icon: <UserMinus />,
            isDangerous: true,
            onSelect: onRemove,
          },
        ],
      ]}
    />
  );
}

function InviteDialog({ onClose }: { onClose(): void }) {
  const { swarm } = useSwarmContext();
  const [whom, setWhom] = useState("");
  const [role, setRole] = useState<GivenRole>("member");
  const [invited, setInvited] = useState<(Invited & { readonly whom: string }) | null>(null);
  const invite = useInvite(swarm.id);
  const { errors, failure } = invite;
  const atField = errors["email"] ?? errors["user_id"] ?? errors["invited_email"];
  const run = async () => {
    const done = whom.trim() === "" ? null : await invite.run({ whom, role });
    if (done === null) return;
    setInvited({ ...done, whom: whom.trim() });
    setWhom("");
  };
  if (invited !== null) return <InvitedDialog {...invited} onMore={() => setInvited(null)} onClose={onClose} />;
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Invite a user"
      description="They receive a mail and see the invitation on their home page. They join the swarm when they accept."
      action="Invite"
      isDisabled={whom.trim() === ""}
      isBusy={invite.isBusy}
      isForm
      onAction={() => void run()}
    >
      {failure !== null && atField === undefined && (
        <Banner tone="bad">{failure.status === 409 ? "They are already a member or invited." : failure.message}</Banner>
      )}
      <Field label="E-mail or user id" error={atField}>
        <TextInput {...typed(whom, setWhom)} autoComplete="off" spellCheck={false} placeholder="bob@example.com" />
      </Field>
      <RadioGroup label="Role" value={role} choices={ROLES} onChange={(value) => setRole(value)} />
    </ActionDialog>
  );
}
