import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Route } from './route.ts';
import { useRoute } from './route.ts';
import { views } from './views.ts';

/** The frame of the page: name, navigation, and the view that the address names. */
export function App(): JSX.Element {
  const route = useRoute();
  const view = views.find((each) => each.id === route.view) ?? views[0]!;
  const [shown, setShown] = useState<{
    readonly id: string;
    readonly component: ComponentType<{ route: Route }>;
  } | null>(null);
  useEffect(() => {
    let current = true;
    void view.load().then((component) => {
      if (current) setShown({ id: view.id, component });
    });
    document.title = view.id === '' ? 'culprit' : `culprit: ${view.title.toLowerCase()}`;
    return () => {
      current = false;
    };
  }, [view]);
  const Shown = shown?.id === view.id ? shown.component : null;
  return (
    <>
      <a class="skip" href="#main" onClick={withinView}>
        To the content
      </a>
      <header class="top">
        <a class="name" href="#/">
          culprit
        </a>
        <nav aria-label="Views">
          {views.map((each) => (
            <a key={each.id} href={`#/${each.id}`} aria-current={each === view ? 'page' : undefined}>
              {each.title}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1} onClick={withinView}>
        {Shown === null ? null : <Shown route={route} />}
      </main>
    </>
  );
}

/** Links of a verdict lead to places of the view; the address names views only. */
function withinView(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
  const to = link?.getAttribute('href') ?? '#/';
  if (to.startsWith('#/')) return;
  event.preventDefault();
  const place = document.getElementById(to.slice(1));
  if (place === null) return;
  if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
  place.scrollIntoView();
  place.focus({ preventScroll: true });
}
