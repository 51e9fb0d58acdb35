// Create elements. Text is always inserted as text, never as markup.

export function byId(id) {
  return document.getElementById(id);
}

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// A name that may be broken after its separators.
export function breakable(name) {
  return name.split(/(?<=[_.:/])/).flatMap((part, k) => (k ? [element("wbr"), part] : [part]));
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
