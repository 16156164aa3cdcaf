/** Tells whoever looks at the page (a test, a style) that its script ran to the end. */
export function markLoaded(): void {
  document.documentElement.dataset['loaded'] = 'true';
}
