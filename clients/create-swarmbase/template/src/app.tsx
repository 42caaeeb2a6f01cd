import type { Session } from "@supabase/supabase-js";
import { useEffect, useState } from "react";
import { Desk } from "./desk.tsx";
import { Notice } from "./notice.tsx";
import { SignIn } from "./sign-in.tsx";
import { supabase } from "./supabase.ts";

export function App() {
  const session = useSession();
  if (session === undefined) return <Notice text="Loading…" />;
  return session === null ? <SignIn /> : <Desk key={session.user.id} userId={session.user.id} />;
}

/** The session, null when nobody is signed in, or undefined until that is known. */
function useSession(): Session | null | undefined {
  const [session, setSession] = useState<Session | null>();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, changed) => setSession(changed));
    return () => data.subscription.unsubscribe();
  }, []);
  return session;
}
