import { EVAL_EXPECTATION_KINDS, FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import {
  type EvalCase,
  type SuggestedCase,
  useCreateEvalCase,
  useEvalCase,
  useSaveEvalCase,
} from "../../data/eval-cases.ts";
import { type EvalDataset, useEvalDataset } from "../../data/eval-datasets.ts";
import { Card } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { type FormFailure, FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Select } from "../../components/select.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { type CaseForm, EMPTY_CASE, formOf, formOfSuggestion, renderCase } from "./case-draft.ts";
import { KIND_LABELS } from "./describe-expectation.ts";
import { ExpectationFields } from "./expectation-fields.tsx";

const KINDS = EVAL_EXPECTATION_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));

export interface CasePageProps {
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
  const [initial] = useState(() =>
    existing !== null ? formOf(existing) : suggested !== null ? formOfSuggestion(suggested) : EMPTY_CASE,
  );
  const [form, setForm] = useState<CaseForm>(initial);
  // One object for each submission: with a new one, the frame moves the focus.
  const [found, setFound] = useState<FormFailure | null>(null);
  const create = useCreateEvalCase();
  const save = useSaveEvalCase();
  const write = base === null ? create : save;
  const { errors, touch } = useFreshErrors(found?.fields ?? write.errors);
  const navigate = useNavigate();
  const path = `/evals/${dataset.id}`;
  const title = existing === null ? "New case" : existing.name;
  const change = (changed: Partial<CaseForm>) => {
    for (const field of Object.keys(changed)) touch(field);
    // The service reports all members of the expectation as one field.
    if (!("name" in changed || "input" in changed)) touch("expectation");
    setForm({ ...form, ...changed });
  };
  const finish = async (saved: Pick<EvalCase, "id"> | null) => {
    if (saved !== null) await navigate(path, { state: SAVED });
  };
  const submit = () => {
    const rendered = renderCase(form);
    setFound("faults" in rendered ? { message: "", fields: rendered.faults } : null);
    if ("faults" in rendered) return;
    const { draft } = rendered;
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
        action={existing === null ? "Add the case" : "Save"}
        isBusy={write.isBusy || write.isDone}
        isDirty={form !== initial}
        failure={found ?? write.failure}
        errors={errors}
        onSubmit={submit}
        onResolve={(choice) => void save.resolve(choice).then(finish)}
        onCancel={() => void navigate(path)}
      >
        <Card className="grid gap-4">
          <Field label="Name" error={errors["name"]}>
            <TextInput
              {...typed(form.name, (name) => change({ name }))}
              maxLength={FIELD_BOUNDS["eval_cases.name"].max}
              autoComplete="off"
            />
          </Field>
          <Field label="Input" hint="What the agent is asked, in a conversation of its own." error={errors["input"]}>
            <TextArea
              {...typed(form.input, (input) => change({ input }))}
              maxLength={FIELD_BOUNDS["eval_cases.input"].max}
            />
          </Field>
          <Field label="Expectation" error={errors["expectation"]}>
            <Select value={form.kind} choices={KINDS} onChange={(kind) => change({ kind })} />
          </Field>
          <ExpectationFields form={form} errors={errors} onChange={change} />
        </Card>
      </FormFrame>
    </>
  );
}

/** What another page passes to the form of a new case. */
function useSuggestion(): SuggestedCase | null {
  const state = useLocation().state as { readonly suggested?: SuggestedCase } | null;
  return state?.suggested ?? null;
}
