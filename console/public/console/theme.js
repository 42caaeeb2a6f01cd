// Runs before anything is painted, so that a chosen theme does not flash up in the other one.
try {
  const theme = localStorage.getItem("swarmbase.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage, no choice: the system's theme holds.
}
