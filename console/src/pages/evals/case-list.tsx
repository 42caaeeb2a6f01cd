import { Plus, Trash2 } from "lucide-react";
import { useDeleteRow, useInsertRow } from "../../data/changed-rows.ts";
import { type EvalCase, useEvalCases } from "../../data/eval-cases.ts";
import type { EvalDataset } from "../../data/eval-datasets.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { List } from "../../components/list-page.tsx";
import { useToast } from "../../components/toast.tsx";
import { describeExpectation, KIND_LABELS } from "./describe-expectation.ts";

export function CaseList({ dataset }: { readonly dataset: EvalDataset }) {
  const cases = useEvalCases(dataset.id);
  const remove = useRemove();
  const path = `/evals/${dataset.id}/cases`;
  const addTo = (variant: "primary" | "plain") => (
    <ButtonLink to={`${path}/new`} variant={variant} icon={<Plus />}>
      Add case
    </ButtonLink>
  );
  const columns: readonly Column<EvalCase>[] = [
    {
      title: "Case",
      width: "2fr",
      narrow: "title",
      text: ({ name }) => name,
      render: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { title: "Input", width: "3fr", render: ({ input }) => input },
    {
      title: "Kind",
      width: "9rem",
      text: ({ expectation }) => expectation.kind,
      render: ({ expectation }) => <Badge>{KIND_LABELS[expectation.kind]}</Badge>,
    },
    { title: "The answer", width: "3fr", render: ({ expectation }) => describeExpectation(expectation) },
    {
      title: "Delete",
      width: "3rem",
      narrow: "trailing",
      render: (row) => (
        <IconButton
          size="small"
          label={`Delete the case ${row.name}`}
          icon={<Trash2 />}
          onClick={() => void remove(row)}
        />
      ),
    },
  ];
  return (
    <List
      noun="cases"
      pages={cases}
      empty="A case is what an agent is asked, and what its answer has to be: a text, JSON, the call of a tool, or what another agent judges."
      emptyAction={addTo("primary")}
      tools={addTo("plain")}
      table={{
        columns,
        onOpen: { label: ({ name }) => `Edit the case ${name}`, to: ({ id }) => `${path}/${id}` },
      }}
    />
  );
}

function useRemove(): (row: EvalCase) => Promise<void> {
  const remove = useDeleteRow("eval_cases");
  const restore = useInsertRow("eval_cases");
  const toast = useToast();
  return async (row) => {
    if ((await remove.run(row.id)) === null)
      return toast({ text: `The case ${row.name} could not be deleted.`, tone: "bad" });
    const { dataset_id, name, input, expectation, position } = row;
    const undo = async () => {
      // It is a new case: results of earlier runs are not compared with it.
      if ((await restore.run({ dataset_id, name, input, expectation, position })) === null)
        toast({ text: `The case ${row.name} could not be restored.`, tone: "bad" });
    };
    toast({ text: `The case ${row.name} is deleted.`, action: { label: "Undo", run: () => void undo() } });
  };
}
