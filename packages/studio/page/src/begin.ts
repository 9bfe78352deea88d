// The first thing that the page does.
import { askAhead, keepPageToken } from "./lib/ask.js";

keepPageToken();
askAhead(location.hash);
