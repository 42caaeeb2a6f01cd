/** A page with one sentence. One that says what has failed offers to load the page again. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <main className="notice">
      <p>{text}</p>
      {text.endsWith("…") || <button onClick={() => location.reload()}>Try again</button>}
    </main>
  );
}
