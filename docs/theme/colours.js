// Before anything is drawn: the colours that the reader chose last.
try {
  const chosen = localStorage.getItem("pliant-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing shows what the system asks for.
}
