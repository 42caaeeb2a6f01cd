import type { Session } from "@supabase/supabase-js";
import { useEffect, useState } from "react";
import { Notice } from "./notice.tsx";
import { prepareRoom } from "./prepare-room.ts";
import { Room } from "./room.tsx";
import { SignIn } from "./sign-in.tsx";
import { supabase } from "./supabase.ts";

export function App() {
  const session = useSession();
  if (session === undefined) return <Notice text="Loading…" />;
  return session === null ? <SignIn /> : <Home key={session.user.id} userId={session.user.id} />;
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

function Home({ userId }: { readonly userId: string }) {
  const [swarmId, setSwarmId] = useState<string>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    prepareRoom(userId).then(setSwarmId, setError);
  }, [userId]);
  if (error !== undefined) return <Notice text={`The room cannot be opened: ${error.message}`} />;
  return swarmId === undefined ? <Notice text="Setting the table…" /> : <Room swarmId={swarmId} userId={userId} />;
}
