// Small helpers for making and finding elements. Text is always set as text.

export const $ = (id) => document.getElementById(id);

/** Makes an element: `el("button.chip", {type: "button"}, "文字", child)`. */
export function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A round face with the first character of a name; the colour goes with the name. */
export function face(shown, sign) {
  // Cards in private groups begin with the seat's number.
  const name = shown.replace(/^\d+号\s*/, "");
  const made = el("span.face", { "aria-hidden": "true" }, sign ?? [...name][0] ?? "？");
  let hue = 0;
  for (const character of name) hue = (hue * 31 + character.codePointAt(0)) % 360;
  made.style.setProperty("--hue", hue);
  return made;
}

/** Says something for a moment. */
export function toast(words) {
  const made = el("p.toast", {}, words);
  $("toasts").append(made);
  setTimeout(() => made.remove(), 3200);
}

/** Makes the ✕ and the backdrop of all dialogs close them. */
export function wireDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
}
