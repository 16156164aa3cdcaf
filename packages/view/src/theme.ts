import { element } from './dom.ts';

const dark = window.matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark now: as its reader chose, or else as the system is. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === undefined ? dark.matches : chosen === 'dark';
}

/** Options of a listener that ends when what it serves is taken out of the page. */
export function untilGone(gone: AbortSignal | undefined): AddEventListenerOptions {
  return gone === undefined ? {} : { signal: gone };
}

/**
 * A button that switches between light and dark; `changed` is called after each change, the system's own too.
 * @param gone is aborted when the button is taken out of the page
 */
export function themeButton(changed: () => void, gone?: AbortSignal): HTMLButtonElement {
  const button = element('button', { type: 'button' });
  const show = (): void => {
    button.textContent = isDark() ? 'light' : 'dark';
    button.setAttribute('aria-label', `switch to ${isDark() ? 'light' : 'dark'} colours`);
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset['theme'] = isDark() ? 'light' : 'dark';
    show();
    changed();
  });
  dark.addEventListener(
    'change',
    () => {
      show();
      changed();
    },
    untilGone(gone),
  );
  show();
  return button;
}

/** A colour of the page's style, by the name of its property: `--ink`. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
