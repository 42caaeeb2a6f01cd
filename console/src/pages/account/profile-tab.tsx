import { useState } from "react";
import { useProfile, useRename } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { Avatar } from "../../components/avatar.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Field } from "../../components/field.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { typed } from "../../components/typed.ts";
import { Appearance } from "./appearance.tsx";
import { DeleteCard } from "./delete-card.tsx";
import { EmailCard } from "./email-card.tsx";
import { ExportCard } from "./export-card.tsx";
import { NotificationsCard } from "./notifications-card.tsx";
import { Preferences } from "./preferences.tsx";
import { SaveCard } from "./save-card.tsx";

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
