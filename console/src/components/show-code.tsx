import { CodeXml } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ButtonSize, ButtonVariant } from "./button.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Skeleton } from "./skeleton.tsx";

const Snippets = lazy(async () => ({ default: (await import("./code-snippets.tsx")).CodeSnippets }));

export interface ShowCodeProps {
  /** What the code does: "Ask this swarm". */
  readonly title: string;
  readonly description?: string;
  /** With $SWARMBASE_URL, $ANON_KEY and $ACCESS_TOKEN, as `writeCurl` writes it; "" leaves the tab out. */
  readonly curl: string;
  /** With `supabase` for the client; "" leaves the tab out. */
  readonly supabaseJs: string;
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
}

/** A button that shows how to do from code what is on the screen. */
export function ShowCode(props: ShowCodeProps) {
  const { title, description, curl, supabaseJs, variant = "plain", size = "medium" } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} size={size} icon={<CodeXml />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Code
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        description={description ?? "What the console does here, any program can do."}
        size="large"
      >
        <Suspense fallback={<Skeleton className="h-72 w-full" />}>
          <Snippets curl={curl} supabaseJs={supabaseJs} />
        </Suspense>
      </Dialog>
    </>
  );
}
