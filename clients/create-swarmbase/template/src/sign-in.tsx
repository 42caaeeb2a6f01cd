import { type FormEvent, useState } from "react";
import { supabase } from "./supabase.ts";

export function SignIn() {
  const [isNew, setIsNew] = useState(true);
  const [message, setMessage] = useState("");
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const read = (name: string) => {
      const value = fields.get(name);
      return typeof value === "string" ? value : "";
    };
    const account = { email: read("email"), password: read("password") };
    setIsBusy(true);
    setMessage("");
    const { data, error } = isNew
      ? await supabase.auth.signUp({ ...account, options: { data: { full_name: read("name") } } })
      : await supabase.auth.signInWithPassword(account);
    setIsBusy(false);
    if (error !== null) setMessage(error.message);
    else if (data.session === null) setMessage("Look into your mailbox and confirm your address.");
  }

  return (
    <main className="sign-in">
      <h1>
        <img src="/icon.svg" alt="" /> Corner shop
      </h1>
      <p>Ask our support. Nobody else reads what you write.</p>
      <form onSubmit={(event) => void submit(event)}>
        {isNew && (
          <label>
            Name
            <input name="name" autoComplete="name" required maxLength={80} />
          </label>
        )}
        <label>
          E-mail
          <input name="email" type="email" autoComplete="email" required />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autoComplete={isNew ? "new-password" : "current-password"}
            required
            minLength={8}
          />
        </label>
        <button className="primary" disabled={isBusy}>
          {isNew ? "Create account" : "Sign in"}
        </button>
        <p role="alert">{message}</p>
      </form>
      <button className="link" onClick={() => setIsNew(!isNew)}>
        {isNew ? "I have an account" : "I am new here"}
      </button>
    </main>
  );
}
