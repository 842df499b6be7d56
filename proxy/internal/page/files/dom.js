// Elements of the page. Whatever a run says enters the page here, as text and never as markup.

// h makes an element. Members of attributes that begin with "on" are listeners; children are elements or texts.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else element.setAttribute(key, String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

export const $ = (id) => document.getElementById(id);

let timer;
export function notice(text) {
  $("notice").textContent = text;
  $("notice").classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => $("notice").classList.remove("shown"), 4000);
}

// duration is a time in milliseconds for people.
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
