import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import type { ShownNote, ToastNote } from "./toast-note.ts";

type ShowToast = (note: ToastNote) => void;

const ToastContext = createContext<ShowToast>(() => {});
const ToastList = lazy(async () => ({ default: (await import("./toast-list.tsx")).ToastList }));

export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** The files that show a note are loaded with the first one. */
export function ToastRoot({ children }: { readonly children: ReactNode }) {
  const [notes, setNotes] = useState<readonly ShownNote[] | null>(null);
  const show = useCallback<ShowToast>((note) => {
    setNotes((shown) => [...(shown ?? []), { ...note, id: crypto.randomUUID() }]);
  }, []);
  const drop = useCallback((id: string) => setNotes((shown) => (shown ?? []).filter((note) => note.id !== id)), []);
  return (
    <ToastContext value={show}>
      {children}
      {notes !== null && (
        <Suspense>
          <ToastList notes={notes} onDrop={drop} />
        </Suspense>
      )}
    </ToastContext>
  );
}
