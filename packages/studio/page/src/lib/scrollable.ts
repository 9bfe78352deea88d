// What is wider or higher than its place is scrolled by the keyboard too: it takes the focus then, and only then. It fades out at the
// side where there is more.

export function scrollable(element: Element): () => void {
  const box = element as HTMLElement;
  const look = (): void => {
    const hidden = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (hidden) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    const more = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    if (more) box.dataset.more = "right";
    else delete box.dataset.more;
  };
  box.addEventListener("scroll", look, { passive: true });
  const watching = new ResizeObserver(look);
  watching.observe(box);
  for (const child of box.children) watching.observe(child);
  return () => {
    watching.disconnect();
    box.removeEventListener("scroll", look);
  };
}
