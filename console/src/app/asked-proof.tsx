import { lazy, Suspense, useEffect } from "react";
import { declineProof, useAskedProof } from "../data/proof.ts";

const ProofDialog = lazy(async () => ({ default: (await import("./proof-dialog.tsx")).ProofDialog }));

/** The dialog of a call that needs a proof of the user. It is declined when the user signs out. */
export function AskedProof() {
  const asked = useAskedProof();
  useEffect(() => {
    return declineProof;
  }, []);
  return <Suspense>{asked !== null && <ProofDialog onSettled={asked.settle} />}</Suspense>;
}
