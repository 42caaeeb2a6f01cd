/* Theme, copy buttons, and the section in view. The pages can be read without it. */
import { addSearch, element } from "./search.js";

const STORAGE_KEY = "swarmbase.theme";

/* Theme */

function addThemeSwitch() {
  const button = document.querySelector(".theme-switch");
  const { dataset } = document.documentElement;
  const isDark = () =>
    dataset.theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : dataset.theme === "dark";
  button.hidden = false;
  button.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(STORAGE_KEY, dataset.theme);
    } catch {
      // Without storage the theme is kept until the page is left.
    }
  });
}

/* Copy buttons */

/** Of a terminal session, only the commands. */
function textToCopy(figure) {
  const text = figure.querySelector("code").textContent;
  if (figure.dataset.language !== "console") return text;
  const commands = [];
  let isContinued = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("$ ")) commands.push(line.slice(2));
    else if (isContinued) commands.push(line);
    isContinued = (line.startsWith("$ ") || isContinued) && line.endsWith("\\");
  }
  return commands.length === 0 ? text : commands.join("\n");
}

function addCopyButton(figure) {
  const button = element("button", { type: "button", textContent: "Copy" });
  const show = (word) => {
    button.textContent = word;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  };
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(textToCopy(figure)).then(
      () => show("Copied"),
      () => show("Not copied"),
    );
  });
  figure.querySelector("figcaption").append(button);
}

/* Links to parts of the service that may be turned off */

async function showServiceLinks() {
  const response = await fetch("/console.json");
  if (!response.ok) return;
  const { reference } = await response.json();
  document.querySelector('[data-link="console"]').hidden = false;
  document.querySelector('[data-link="reference"]').hidden = reference === undefined;
}

/* The section in view */

function followReader() {
  const links = new Map([...document.querySelectorAll(".outline a")].map((link) => [link.hash.slice(1), link]));
  if (links.size === 0) return;
  const headings = [...document.querySelectorAll("article h2[id], article h3[id]")];
  const update = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4);
    const current = links.get((passed.at(-1) ?? headings[0])?.id);
    for (const link of links.values()) {
      if (link === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    current?.scrollIntoView({ block: "nearest" });
  };
  let isWaiting = false;
  document.addEventListener(
    "scroll",
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        update();
      });
    },
    { passive: true },
  );
  update();
}

addThemeSwitch();
addSearch();
followReader();
if (navigator.clipboard !== undefined)
  for (const figure of document.querySelectorAll("figure.code")) addCopyButton(figure);
document.querySelector('.menu [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
showServiceLinks().catch(() => {});
