// "Try your own table": reads a table, trains under requirements and shows the Studio's verdict, in one page that asks nobody.
import { mount } from "svelte";
import "../../packages/studio/page/src/styles.css";
import App from "./App.svelte";

mount(App, { target: document.getElementById("app") as HTMLElement });
