import { useState } from "react";
import { Download, Trash2 } from "lucide-react";
import { useChangeEmail, useDeleteAccount, useProfile, useRename } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { turnNotificationsOff, turnNotificationsOn, useNotificationState } from "../../data/notifications.ts";
import { useAccountExport } from "../../data/account-export.ts";
import { Avatar } from "../../components/avatar.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Field } from "../../components/field.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { typed } from "../../components/typed.ts";
import { CardSection } from "../../components/card.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { setTheme, type Theme, useTheme } from "../../components/theme.ts";
import { Button } from "../../components/button.tsx";
import { Banner } from "../../components/banner.tsx";
import { saveFile } from "../../components/save-file.ts";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { Preferences } from "./preferences.tsx";
import { SaveCard } from "./save-card.tsx";

const NOTIFICATION_STATES = {
  unsupported: "This browser has no notifications.",
  blocked:
    "This browser blocks notifications of this site. Allow them in its settings for this site, then reload the page.",
  off: "Off. Your browser asks for your permission when you turn them on.",
  on: "On. A notification appears when the console is open in a tab that you do not look at.",
} as const;

export function ProfileTab() {
  const { rows: profile, ...read } = useProfile();
  if (profile === undefined)
    return <NotLoaded title="Your profile could not be loaded" read={read} skeleton={<PageSkeleton />} />;
  return (
    <div className="grid gap-5">
      <NameCard saved={profile.full_name ?? ""} />
      <EmailCard />
      <Appearance />
      <Preferences />
      <NotificationsCard />
      <ExportCard />
      <DeleteCard />
    </div>
  );
}

const NAME_LENGTH = 200;

function NameCard({ saved }: { readonly saved: string }) {
  const { id, email = "" } = useUser();
  const [name, setName] = useState(saved);
  const rename = useRename();
  const toast = useToast();
  const isChanged = name.trim() !== saved;
  const save = async () => {
    if ((await rename.run(name.trim())) === null) return;
    toast({
      text: "Your name is saved.",
      action: {
        label: "Undo",
        run: () => {
          setName(saved);
          void rename.run(saved);
        },
      },
    });
  };
  return (
    <SaveCard
      title="Profile"
      description="Others see your name in the swarms that you share with them."
      action="Save"
      isBusy={rename.isBusy}
      isReady={isChanged}
      failure={rename.failure}
      onSubmit={() => void save()}
    >
      <div className="flex items-start gap-4">
        <div className="pt-6">
          <Avatar name={name.trim() === "" ? email : name} seed={id} size="large" />
        </div>
        <div className="min-w-0 flex-1">
          <Field label="Name" isOptional error={rename.errors["full_name"]} hint="Your avatar shows the initials.">
            <TextInput autoComplete="name" maxLength={NAME_LENGTH} {...typed(name, setName)} />
          </Field>
        </div>
      </div>
    </SaveCard>
  );
}

function Appearance() {
  const theme = useTheme();
  return (
    <CardSection title="Appearance" description="For this browser.">
      <SegmentedControl<Theme>
        label="Theme"
        value={theme}
        onChange={setTheme}
        choices={[
          { value: "system", label: "System" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
    </CardSection>
  );
}

function NotificationsCard() {
  const state = useNotificationState();
  return (
    <CardSection
      title="Notifications"
      description="For this browser: a notification when a tool call of one of your agents waits for your decision."
    >
      <div className="grid justify-items-start gap-4">
        <p className="text-ink-soft">{NOTIFICATION_STATES[state]}</p>
        {state === "off" && <Button onClick={() => void turnNotificationsOn()}>Turn on notifications</Button>}
        {state === "on" && <Button onClick={turnNotificationsOff}>Turn off notifications</Button>}
      </div>
    </CardSection>
  );
}

function ExportCard() {
  const download = useAccountExport();
  const toast = useToast();
  const run = async () => {
    const file = await download.run();
    if (file === null) return;
    saveFile(`account-export-${new Date().toISOString().slice(0, 10)}.json`, file);
    toast({ text: "Your data is in your downloads." });
  };
  return (
    <CardSection
      title="Your data"
      description="One JSON file with your agents, tools, swarms, messages, runs, webhooks, usage and settings. It contains no secrets."
    >
      <div className="grid justify-items-start gap-4">
        {download.failure !== null && <Banner tone="bad">{download.failure.message}</Banner>}
        <Button icon={<Download />} isBusy={download.isBusy} onClick={() => void run()}>
          Download your data
        </Button>
      </div>
    </CardSection>
  );
}

function DeleteCard() {
  const { email = "" } = useUser();
  const [isAsking, setAsking] = useState(false);
  const deletion = useDeleteAccount();
  return (
    <CardSection
      title="Delete your account"
      description="Deletes your agents, tools, swarms, webhooks, usage and settings at once. Your messages in swarms of others stay."
    >
      <div className="grid justify-items-start gap-4">
        {deletion.failure !== null && <Banner tone="bad">{deletion.failure.message}</Banner>}
        <Button variant="danger" icon={<Trash2 />} isBusy={deletion.isBusy} onClick={() => setAsking(true)}>
          Delete your account …
        </Button>
      </div>
      <ConfirmByName
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete your account"
        name={email === "" ? "delete" : email}
        action="Delete everything"
        onConfirm={() => {
          setAsking(false);
          void deletion.run();
        }}
      >
        Everything that you own is deleted, also for the other members of your swarms. Download your data first if you
        want to keep it. This cannot be undone.
      </ConfirmByName>
    </CardSection>
  );
}

function EmailCard() {
  const { email: saved = "", new_email: waiting = "" } = useUser();
  const [email, setEmail] = useState(saved);
  const [unconfirmed, setUnconfirmed] = useState(waiting);
  const change = useChangeEmail();
  const toast = useToast();
  const newEmail = email.trim();
  const save = async () => {
    setUnconfirmed("");
    const user = await change.run(newEmail);
    if (user === null) return;
    if (user.email?.toLowerCase() === newEmail.toLowerCase()) toast({ text: "Your e-mail address is changed." });
    else setUnconfirmed(newEmail);
  };
  return (
    <SaveCard
      title="E-mail address"
      description="You sign in with it and receive links and codes at it."
      action="Change address"
      isBusy={change.isBusy}
      isReady={newEmail !== "" && newEmail !== saved}
      failure={change.failure}
      onSubmit={() => void save()}
    >
      {unconfirmed !== "" && (
        <Banner tone="note">
          Open the link in the mail to {unconfirmed}. Until then you sign in with {saved}.
        </Banner>
      )}
      <Field label="E-mail" error={change.errors["email"]}>
        <TextInput type="email" autoComplete="email" {...typed(email, setEmail)} />
      </Field>
    </SaveCard>
  );
}
