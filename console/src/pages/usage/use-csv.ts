import { useCallback, useState } from "react";
import { toFailure } from "../../data/failure.ts";
import { useUser } from "../../data/session.ts";
import { readUsageNames } from "../../data/usage-names.ts";
import { MAX_USAGE_ROWS, readUsageRows } from "../../data/usage-rows.ts";
import { formatCount } from "../../components/formats.ts";
import { saveFile } from "../../components/save-file.ts";
import { useToast } from "../../components/toast.tsx";
import { writeCsv } from "./usage-csv.ts";

/** Saves the usage since a day as a CSV file. */
export function useCsv(since: string): { save(): void; readonly isBusy: boolean } {
  const { id } = useUser();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const save = useCallback(() => {
    const run = async (): Promise<void> => {
      setBusy(true);
      try {
        const rows = await readUsageRows(id, since);
        const csv = writeCsv(rows, await readUsageNames(rows));
        saveFile(`usage-since-${since}.csv`, new Blob([csv], { type: "text/csv;charset=utf-8" }));
        const isCut = rows.length >= MAX_USAGE_ROWS;
        toast(
          isCut
            ? {
                text: `Only the first ${formatCount(rows.length)} rows are in the file. Choose fewer days.`,
                tone: "bad",
              }
            : { text: `Saved ${formatCount(rows.length)} rows.` },
        );
      } catch (error) {
        toast({ text: (await toFailure(error)).message, tone: "bad" });
      } finally {
        setBusy(false);
      }
    };
    void run();
  }, [id, since, toast]);
  return { save, isBusy };
}
