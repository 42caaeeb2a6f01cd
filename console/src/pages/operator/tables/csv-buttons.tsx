import { Download, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { type DescribedTable, type TableQuery, useExportTable, useImportTable } from "../../../data/operator-tables.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { saveFile } from "../../../components/save-file.ts";
import { useToast } from "../../../components/toast.tsx";

interface CsvButtonsProps {
  readonly table: DescribedTable;
  readonly query: TableQuery;
}

export function CsvButtons({ table, query }: CsvButtonsProps) {
  const download = useExportTable(table);
  const toast = useToast();
  const save = async () => {
    const file = await download.run(query);
    if (file === null) toast({ text: "The rows could not be downloaded.", tone: "bad" });
    else saveFile(`${table.schema}.${table.name}.csv`, file);
  };
  return (
    <>
      {table.is_insertable && <ImportButton table={table} />}
      <Button icon={<Download />} isBusy={download.isBusy} onClick={() => void save()}>
        Download as CSV
      </Button>
    </>
  );
}

/** A file is checked by the service first, so that the person sees what would happen. */
function ImportButton({ table }: Pick<CsvButtonsProps, "table">) {
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<{ readonly text: string; readonly rows: number | null } | null>(null);
  const load = useImportTable(table);
  const toast = useToast();
  const close = () => {
    setChosen(null);
    load.reset();
  };
  const check = async (file: File | undefined) => {
    if (file === undefined) return;
    const text = await file.text();
    const tried = await load.run({ text, isTrial: true });
    setChosen({ text, rows: tried?.rows ?? null });
  };
  const store = async (text: string) => {
    const stored = await load.run({ text, isTrial: false });
    if (stored === null) return;
    toast({ text: `Imported ${stored.rows} rows.` });
    close();
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".csv,text/csv"
        className="hidden"
        aria-label="CSV file"
        onChange={({ target }) => {
          void check(target.files?.[0]);
          target.value = "";
        }}
      />
      <Button icon={<Upload />} isBusy={load.isBusy && chosen === null} onClick={() => picker.current?.click()}>
        Import CSV
      </Button>
      {chosen !== null && (
        <Dialog
          isOpen
          onClose={close}
          size="small"
          title={`Import into ${table.name}`}
          footer={
            <>
              <Button onClick={close}>Cancel</Button>
              {chosen.rows !== null && (
                <Button variant="primary" isBusy={load.isBusy} onClick={() => void store(chosen.text)}>
                  Import {chosen.rows} rows
                </Button>
              )}
            </>
          }
        >
          {load.failure === null ? (
            <p>All {chosen.rows} rows are valid. They are imported together, or none of them.</p>
          ) : (
            <p role="alert" className="wrap-anywhere text-bad">
              {load.failure.message}
            </p>
          )}
        </Dialog>
      )}
    </>
  );
}
