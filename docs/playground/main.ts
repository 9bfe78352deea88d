// The Studio's playground as a page of its own, which needs no server.
import { mount } from "svelte";
import "../../packages/studio/page/src/styles.css";
import "./page.css";
import Playground from "../../packages/studio/page/src/pages/Playground.svelte";

mount(Playground, { target: document.getElementById("app") as HTMLElement });

// The page around it says which colours the reader chose.
addEventListener("message", ({ data }: MessageEvent<{ theme?: string }>) => {
  if (data?.theme === "light" || data?.theme === "dark") document.documentElement.dataset.theme = data.theme;
});
