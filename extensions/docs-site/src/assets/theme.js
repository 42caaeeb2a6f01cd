// Runs before the first paint, so that the page does not flash in another theme. The console uses the same key.
try {
  const theme = localStorage.getItem("swarmbase.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system theme applies.
}
