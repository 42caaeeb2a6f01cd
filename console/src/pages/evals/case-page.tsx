import { EVAL_EXPECTATION_KINDS, FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import {
  type EvalCase,
  type EvalCaseDraft,
  type SuggestedCase,
  useCreateEvalCase,
  useEvalCase,
} from "../../data/eval-cases.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { type EvalDataset, useEvalDataset } from "../../data/eval-datasets.ts";
import { Card } from "../../components/card.tsx";
import { bindForm, SelectField, TextAreaField, TextField } from "../../components/form-fields.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { type RowForm, useRowForm } from "../../components/row-form.tsx";
import { type CaseForm, EMPTY_CASE, formOf, formOfSuggestion, renderCase } from "./case-draft.ts";
import { KIND_LABELS } from "./describe-expectation.ts";
import { ExpectationFields } from "./expectation-fields.tsx";

const KINDS = EVAL_EXPECTATION_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));

interface CasePageProps {
  readonly datasetId: string;
  /** Null for a new case. */
  readonly caseId: string | null;
}

export function CasePage({ datasetId, caseId }: CasePageProps) {
  const dataset = useEvalDataset(datasetId);
  const existing = useEvalCase(caseId ?? "", caseId !== null);
  if (dataset.rows === undefined) return <PageNotLoaded noun="dataset" read={dataset} />;
  if (caseId !== null && existing.rows === undefined) return <PageNotLoaded noun="case" read={existing} />;
  return <Form dataset={dataset.rows} existing={existing.rows ?? null} />;
}

function Form({ dataset, existing }: { readonly dataset: EvalDataset; readonly existing: EvalCase | null }) {
  const suggested = useSuggestion();
  // The form is filled once, from this row.
  const [base] = useState(existing);
  const create = useCreateEvalCase();
  const save = useSaveEdit<EvalCase, EvalCaseDraft>("eval_cases");
  const write = base === null ? create : save;
  const [kind] = useState(() => caseForm(suggested));
  const { fields, render, frame } = useRowForm(kind, base, write);
  const navigate = useNavigate();
  const path = `/evals/${dataset.id}`;
  const title = existing === null ? "New case" : existing.name;
  const bind = bindForm(fields);
  const finish = async (saved: Pick<EvalCase, "id"> | null) => {
    if (saved !== null) await navigate(path, { state: SAVED });
  };
  const submit = () => {
    const draft = render();
    if (draft === null) return;
    const written = base === null ? create.run({ datasetId: dataset.id, draft }) : save.run({ base, change: draft });
    void written.then(finish);
  };
  return (
    <>
      <PageHeader
        title={title}
        crumbs={[
          { label: "Evals", to: "/evals" },
          { label: dataset.name, to: path },
        ]}
      />
      <FormFrame
        label={title}
        action={existing === null ? "Add case" : "Save"}
        {...frame}
        isBusy={write.isBusy || write.isDone}
        onSubmit={submit}
        onResolve={(choice) => void save.resolve(choice).then(finish)}
        onCancel={() => void navigate(path)}
      >
        <Card className="grid gap-4">
          <TextField
            label="Name"
            maxLength={FIELD_BOUNDS["eval_cases.name"].max}
            autoComplete="off"
            {...bind("name")}
          />
          <TextAreaField
            label="Input"
            hint="What the agent is asked, in a conversation of its own."
            maxLength={FIELD_BOUNDS["eval_cases.input"].max}
            {...bind("input")}
          />
          <SelectField label="Expectation" choices={KINDS} {...bind("kind")} error={fields.errors["expectation"]} />
          <ExpectationFields {...fields} />
        </Card>
      </FormFrame>
    </>
  );
}

function caseForm(suggested: SuggestedCase | null): RowForm<EvalCase, CaseForm, EvalCaseDraft> {
  return {
    formOf: (row) => {
      if (row !== null) return formOf(row);
      return suggested === null ? EMPTY_CASE : formOfSuggestion(suggested);
    },
    render: renderCase,
    // The service reports all members of the expectation as one field.
    columnsOf: (field) => (field === "name" || field === "input" ? [field] : [field, "expectation"]),
  };
}

/** What another page passes to the form of a new case. */
function useSuggestion(): SuggestedCase | null {
  const state = useLocation().state as { readonly suggested?: SuggestedCase } | null;
  return state?.suggested ?? null;
}
