import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A verdict as the core writes it in HTML, with a button to copy each command. */
export function VerdictHtml({ html }: { readonly html: string }): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    for (const code of root.current?.querySelectorAll<HTMLElement>('pre > code') ?? []) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.setAttribute('aria-label', `Copy the command: ${code.textContent.slice(0, 80)}`);
      button.addEventListener('click', () => {
        void navigator.clipboard.writeText(code.textContent).then(() => {
          button.textContent = 'Copied';
          setTimeout(() => (button.textContent = 'Copy'), 2000);
        });
      });
      code.parentElement?.before(button);
    }
  }, [html]);
  // The core escapes everything that comes from the input.
  return <div ref={root} class="answer" dangerouslySetInnerHTML={{ __html: html }} />;
}
