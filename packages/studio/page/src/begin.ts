// The first thing that the page does.
import { askAhead, keepPageToken } from "./lib/ask.js";

keepPageToken();
// The printed address, opened in a tab that was here before: listeners that come after this one read the address without the token.
addEventListener("hashchange", keepPageToken);
askAhead(location.hash);
