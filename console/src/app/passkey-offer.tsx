import { endPasskeyOffer } from "../data/passkey-offer.ts";
import { useAddPasskey, usePasskeys } from "../data/passkeys.ts";
import { useUser } from "../data/session.ts";
import { useSignInWays } from "../data/sign-in-ways.ts";
import { Banner } from "../components/banner.tsx";
import { Button } from "../components/button.tsx";
import { useToast } from "../components/toast.tsx";

/** Offers a passkey after a sign-in with a password, if the user has none. */
export function PasskeyOffer() {
  const { id } = useUser();
  const hasPasskeys = useSignInWays()?.hasPasskeys === true;
  const { rows: passkeys } = usePasskeys(hasPasskeys);
  const add = useAddPasskey();
  const toast = useToast();
  if (!hasPasskeys || passkeys === undefined || (passkeys.length > 0 && !add.isDone)) return null;
  const run = async () => {
    if ((await add.run()) === null) return;
    toast({ text: "The passkey is added. You can sign in with it." });
    endPasskeyOffer(id);
  };
  return (
    <div className="px-4 pt-3 sm:px-8">
      <Banner tone="note">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="flex-1 basis-64">
            {add.failure?.message ??
              "Next time, sign in with your fingerprint, face or PIN instead of the password: add a passkey."}
          </span>
          <Button size="small" isBusy={add.isBusy} onClick={() => void run()}>
            Add passkey
          </Button>
          <Button size="small" onClick={() => endPasskeyOffer(id)}>
            Not now
          </Button>
        </div>
      </Banner>
    </div>
  );
}
