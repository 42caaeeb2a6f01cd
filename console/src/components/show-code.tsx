import { CodeXml } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button, type ButtonVariant } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Skeleton } from "./skeleton.tsx";

const Snippets = lazy(async () => ({ default: (await import("./code-snippets.tsx")).CodeSnippets }));

interface ShowCodeProps {
  /** What the code does: "Ask this swarm". */
  readonly title: string;
  /** A command with $SWARMBASE_URL, $ANON_KEY and $ACCESS_TOKEN, as `writeCurl` writes it; "" omits the tab. */
  readonly curl: string;
  /** Code that calls the client `supabase`; "" omits the tab. */
  readonly supabaseJs: string;
  readonly variant?: ButtonVariant;
}

/** A button that shows the code for what the page does. */
export function ShowCode({ title, curl, supabaseJs, variant = "plain" }: ShowCodeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} icon={<CodeXml />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Code
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        description="The API calls of this page."
        size="large"
      >
        <Suspense fallback={<Skeleton className="h-72 w-full" />}>
          <Snippets curl={curl} supabaseJs={supabaseJs} />
        </Suspense>
      </Dialog>
    </>
  );
}
