// What pages do: search, light and dark, the menu on small screens, copying code.
const root = document.documentElement;
const base = root.dataset.root;

const themeButton = document.querySelector("button.theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const nameTheme = () => {
  themeButton.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
};
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("pliant-theme", root.dataset.theme);
  } catch {
    // Then it lasts as long as the page.
  }
  for (const frame of document.querySelectorAll("iframe"))
    frame.contentWindow.postMessage({ theme: root.dataset.theme }, "*");
  nameTheme();
});
nameTheme();

const menu = document.querySelector("button.menu");
menu.addEventListener("click", () => {
  const open = menu.getAttribute("aria-expanded") !== "true";
  menu.setAttribute("aria-expanded", String(open));
  root.classList.toggle("menu-open", open);
});
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code").textContent;
    const copied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    );
    if (!copied) {
      // A page from a disk may not be allowed to: then the text is chosen, ready for the keys.
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    }
    button.textContent = copied ? "Copied" : "Chosen";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
}

const box = document.querySelector(".search input");
const list = document.querySelector("#found");
let index;

const script = (name) =>
  new Promise((done, failed) => {
    const element = document.createElement("script");
    element.src = `${base}/theme/${name}`;
    element.onload = done;
    element.onerror = failed;
    document.head.append(element);
  });

/** The index is fetched when it is first wanted. */
const opened = () => {
  index ??= Promise.all([script("minisearch.js"), script("search-index.js")]).then(() => {
    const { settings, index: stored } = globalThis.pliantIndex;
    return globalThis.MiniSearch.loadJS(stored, settings);
  });
  return index;
};

/** The words around the first that was found. */
function around(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length ? start : 0;
  return (from > 0 ? "…" : "") + text.slice(from, from + 110) + (text.length > from + 110 ? "…" : "");
}

function option({ id, heading, page, text, terms }, i) {
  const item = document.createElement("li");
  item.id = `found-${i}`;
  item.role = "option";
  item.dataset.href = `${base}/${id}`;
  const title = document.createElement("strong");
  title.textContent = heading;
  const where = document.createElement("small");
  where.textContent = page === heading ? "" : page;
  const words = document.createElement("span");
  words.textContent = around(text, terms);
  item.append(title, where, words);
  item.addEventListener("mousedown", (event) => {
    event.preventDefault();
    go(item);
  });
  return item;
}

const go = (item) => {
  location.href = item.dataset.href;
  close();
};

function choose(item) {
  for (const each of list.children) each.setAttribute("aria-selected", String(each === item));
  if (item) box.setAttribute("aria-activedescendant", item.id);
  else box.removeAttribute("aria-activedescendant");
  item?.scrollIntoView({ block: "nearest" });
}

function close() {
  list.hidden = true;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

box.addEventListener("focus", opened);
box.addEventListener("input", async () => {
  const engine = await opened();
  const words = box.value.trim();
  if (!words) return close();
  // What was written to be read comes before what was listed.
  const boostDocument = (id) => (id.startsWith("api/") ? 0.4 : 1);
  const options = {
    boostDocument,
    prefix: true,
    fuzzy: 0.15,
    boost: { heading: 4, page: 2 },
    combineWith: "AND",
  };
  const found = engine.search(words, options).slice(0, 10);
  list.replaceChildren(...found.map(option));
  if (found.length === 0) {
    const none = document.createElement("li");
    none.role = "option";
    none.setAttribute("aria-disabled", "true");
    none.textContent = "Nothing found";
    list.append(none);
  } else choose(list.firstElementChild);
  list.hidden = false;
  box.setAttribute("aria-expanded", "true");
});
box.addEventListener("keydown", (event) => {
  const items = [...list.querySelectorAll("[data-href]")];
  const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "Escape") close();
  else if (event.key === "Enter" && at >= 0 && !list.hidden) go(items[at]);
  else if (event.key === "ArrowDown" && items.length) choose(items[(at + 1) % items.length]);
  else if (event.key === "ArrowUp" && items.length) choose(items.at(at - 1));
  else return;
  event.preventDefault();
});
box.addEventListener("blur", close);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea")) return;
  event.preventDefault();
  box.focus();
});
