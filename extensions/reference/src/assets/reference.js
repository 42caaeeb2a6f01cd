/* Search, copying, and where the reader is. The page can be read without it. */
const search = document.querySelector("#search");
const box = search.closest("label");
const entries = [...document.querySelectorAll("[data-search]")];
const groups = [...document.querySelectorAll(".group")];
const links = new Map([...document.querySelectorAll("[data-for]")].map((item) => [item.dataset.for, item]));
const nothing = document.querySelector(".nothing");
const menu = document.querySelector(".menu");
const isNarrow = matchMedia("(max-width: 60rem)");

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const entry of entries) {
    const isHit = words.every((word) => entry.dataset.search.includes(word));
    entry.hidden = !isHit;
    const link = links.get(entry.id);
    if (link !== undefined) link.hidden = !isHit;
    if (isHit) found += 1;
  }
  for (const group of groups) {
    const parts = [...group.querySelectorAll("[data-search]")];
    if (parts.length > 0) group.hidden = parts.every((part) => part.hidden);
  }
  for (const list of menu.querySelectorAll("nav details")) {
    const items = [...list.querySelectorAll("[data-for]")];
    list.hidden = items.every((item) => item.hidden);
    if (words.length > 0) list.open = !list.hidden;
  }
  nothing.hidden = found > 0;
}

function addCopying(figure) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  };
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(figure.querySelector("code").textContent).then(
      () => say("Copied"),
      () => say("Not copied"),
    );
  });
  figure.querySelector("figcaption").append(button);
}

function followReader() {
  const seen = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (!isIntersecting) continue;
        document.querySelector("[data-for].here")?.classList.remove("here");
        const item = links.get(target.id);
        item?.classList.add("here");
        if (!isNarrow.matches) item?.scrollIntoView({ block: "nearest" });
      }
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  for (const entry of entries) if (links.has(entry.id)) seen.observe(entry);
}

box.hidden = false;
search.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === "Escape" && event.target === search) {
    search.value = "";
    filter();
    search.blur();
  }
});
const fitMenu = () => {
  menu.open = !isNarrow.matches;
};
fitMenu();
isNarrow.addEventListener("change", fitMenu);
menu.addEventListener("click", (event) => {
  if (isNarrow.matches && event.target.closest("a") !== null) menu.open = false;
});
if (navigator.clipboard !== undefined)
  for (const figure of document.querySelectorAll("figure.code")) addCopying(figure);
followReader();
