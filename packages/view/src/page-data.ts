/** The data that a page carries (`htmlPage` of core puts it there); null where it has none. */
export function pageData(): unknown {
  const element = document.querySelector('script[type="application/json"]');
  return element === null ? null : (JSON.parse(element.textContent) as unknown);
}
