import { Plus } from "lucide-react";
import { useState } from "react";
import { type Program, useDeleteProgram, usePrograms } from "../../../data/operator-programs.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import type { DataTableProps } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { List } from "../../../components/list-page.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { toProgramName } from "../../../components/program-name.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { SigningSecret } from "../../../components/signing-secret.tsx";
import { TakeBackButton } from "../../../components/take-back-button.tsx";
import { ProgramDialog } from "./program-dialog.tsx";

const MAKERS = { manual: "An operator", dynamic: "Itself", document: "Its document" } as const;
const nameOf = ({ client_name: name }: Program) => toProgramName(name);
const COLUMNS: DataTableProps<Program>["columns"] = [
  { title: "Program", narrow: "title", render: nameOf },
  { title: "Client id", width: "2fr", render: ({ client_id: id }) => <bdi className="font-mono text-sm">{id}</bdi> },
  { title: "Registered by", render: ({ registration_type: type }) => MAKERS[type] },
  { title: "Access", render: (program) => <DeleteProgram program={program} /> },
  { title: "Since", narrow: "trailing", render: ({ created_at: at }) => <RelativeTime at={at} /> },
];

/** The programs that may ask people for access. */
export function ProgramList() {
  const programs = usePrograms();
  const [opened, setOpened] = useState<Program | "new" | null>(null);
  const [saved, setSaved] = useState<Program | null>(null);
  return (
    <>
      <PageHeader
        title="Programs"
        description="OAuth clients: programs that may ask people for access to what is theirs."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setOpened("new")}>
            New program
          </Button>
        }
      />
      {saved?.client_secret !== undefined && (
        <div className="mb-4 grid grid-cols-1 gap-2">
          <Banner tone="warning">Copy the secret of {nameOf(saved)} now. It is not shown again.</Banner>
          <SigningSecret secret={saved.client_secret} />
        </div>
      )}
      <List
        noun="programs"
        pages={programs}
        empty={
          <EmptyState picture="tools" title="There are no programs">
            Those that a document describes are listed when a person has let them in. Register others here.
          </EmptyState>
        }
        table={{
          label: "Programs",
          columns: COLUMNS,
          keyOf: ({ client_id: id }: Program) => id,
          onOpen: { label: nameOf, open: (program: Program) => setOpened(program) },
        }}
      />
      {opened !== null && (
        <ProgramDialog
          program={opened === "new" ? null : opened}
          onClose={() => setOpened(null)}
          onDone={(program) => {
            setSaved(program);
            setOpened(null);
          }}
        />
      )}
    </>
  );
}

function DeleteProgram({ program }: { readonly program: Program }) {
  const remove = useDeleteProgram(program.client_id);
  return (
    <TakeBackButton
      label="Delete"
      name={nameOf(program)}
      write={remove}
      done="The program is deleted."
      failed="The program could not be deleted."
    >
      It loses all access that people have given to it, at once.
    </TakeBackButton>
  );
}
