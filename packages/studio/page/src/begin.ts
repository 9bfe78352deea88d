// The first thing that the page does.
import { askAhead } from "./lib/ask.js";

askAhead(location.hash);
