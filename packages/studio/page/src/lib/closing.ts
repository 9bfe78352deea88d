// Menus close as a reader expects: at Escape, which leaves the focus on what opened them, and at a click elsewhere.

export function closing(menu: Element): () => void {
  const details = menu as HTMLDetailsElement;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary")?.focus();
  };
  const onClick = ({ target }: MouseEvent): void => {
    if (details.open && !details.contains(target as Node)) details.open = false;
  };
  addEventListener("keydown", onKey);
  addEventListener("click", onClick);
  return () => {
    removeEventListener("keydown", onKey);
    removeEventListener("click", onClick);
  };
}
