// Light or dark: as the system says, or as the reader chose, remembered in this browser.

export type Theme = "system" | "light" | "dark";

const key = "pliant-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function remembered(): Theme {
  const found = localStorage.getItem(key);
  return found === "light" || found === "dark" ? found : "system";
}

let chosen = $state<Theme>(remembered());
let systemDark = $state(dark.matches);
dark.addEventListener("change", () => {
  systemDark = dark.matches;
});

function apply(): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
apply();

export const theme = {
  get chosen() {
    return chosen;
  },
  get isDark() {
    return chosen === "system" ? systemDark : chosen === "dark";
  },
  toggle() {
    chosen = this.isDark ? "light" : "dark";
    localStorage.setItem(key, chosen);
    apply();
  },
};
