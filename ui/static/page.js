// Liveness and comfort; the page works without it.
"use strict";

/** Fetch a page and replace the parts that both have, keeping what a person is typing. */
async function swap(address, ids) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return false;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of ids) {
    const before = document.getElementById(id);
    const after = fresh.getElementById(id);
    if (before && !after) { if (!isBusy(before)) before.remove(); continue; }
    if (!before || !after || isBusy(before) || before.isEqualNode(after)) continue;
    keepOpen(before, after);
    before.replaceWith(document.adoptNode(after));
  }
  document.title = fresh.title;
  return true;
}

/** Say if a part has a form that a person has begun to fill in, or a box that they have ticked. */
function isBusy(part) {
  if (part.querySelector("input:checked")) return true;
  const active = document.activeElement;
  if (part.contains(active) && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName)) return true;
  return [...part.querySelectorAll("textarea, .gate input:not([type=hidden])")].some((one) => one.value !== one.defaultValue);
}

/** Keep details as the person has opened or closed them. */
function keepOpen(before, after) {
  const known = new Map([...before.querySelectorAll("details")].map((one) => [one.firstElementChild.textContent, one.open]));
  for (const one of after.querySelectorAll("details")) {
    const open = known.get(one.firstElementChild.textContent);
    if (open !== undefined) one.open = open;
  }
}

const PARTS = ["run-head", "drawing", "timeline", "panel"];

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const address = link.getAttribute("href");
  const path = address.split("#")[0];
  if (await swap(path, PARTS)) {
    history.pushState(null, "", address);
    const again = document.querySelector(`a[href="${CSS.escape(address)}"]`);
    (again || document.getElementById("panel")).focus({ preventScroll: true });
    if (window.innerWidth < 1100) document.getElementById("panel").scrollIntoView();
  } else {
    location.assign(address);
  }
});

window.addEventListener("popstate", () => swap(location.pathname + location.search, PARTS));

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
});
for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.metaKey || event.ctrlKey || event.altKey) return;
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = way && document.querySelector(`#panel a[rel="${way}"]`);
  if (link) { event.preventDefault(); link.click(); }
});

/** Follow the events of this page, and fetch it again after each change. */
function follow() {
  const live = document.querySelector("[data-live]:not([data-live=''])");
  if (!live) return;
  const events = new EventSource(live.dataset.live);
  let stamp = null;
  let again = false;
  let busy = false;
  events.onmessage = async (event) => {
    const first = stamp === null;
    if (event.data === stamp) return;
    stamp = event.data;
    if (first) return;
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      const ids = [...document.querySelectorAll("[data-live]")].map((one) => one.id);
      await swap(location.pathname + location.search, ids);
    } while (again);
    busy = false;
  };
}
follow();

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-wait]");
  if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) link.textContent = link.dataset.wait;
});
