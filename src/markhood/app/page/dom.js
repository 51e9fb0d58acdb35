// Create elements. Text is always inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);

// Properties: "onclick" and the like are listeners, true is an attribute without a value, and
// false, null and undefined are left out.
export function h(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  fill(made, ...children);
  return made;
}

// Replace the content; lists are joined, and false, null and undefined are left out.
export function fill(parent, ...children) {
  parent.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
}

export const button = (text, onclick, properties = {}) =>
  h("button", { type: "button", onclick, ...properties }, text);

export function announce(text) {
  byId("status").textContent = text;
}

export function select(options, chosen, onchange, properties = {}) {
  const made = h("select", properties);
  for (const [value, label] of options)
    made.append(h("option", { value, selected: value === chosen }, label));
  if (onchange) made.addEventListener("change", () => onchange(made.value));
  return made;
}

export function copyButton(text) {
  const made = button("Copy", async () => {
    await copied(text);
    made.textContent = "Copied";
    announce("Copied to the clipboard.");
    setTimeout(() => (made.textContent = "Copy"), 2000);
  });
  return made;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { "aria-label": "Text to copy" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function download(name, text, type = "text/plain") {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const whole = (number) => Number(number).toLocaleString("en");

export function duration(seconds) {
  if (seconds < 1.5) return "a second";
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return `${(seconds / 3600).toFixed(1)} hours`;
}
