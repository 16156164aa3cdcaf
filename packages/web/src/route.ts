import { useEffect, useState } from 'preact/hooks';

/** Where in the page the address points: `#/judge?toolkit=12.8` is view `judge` with its parameters. */
export interface Route {
  readonly view: string;
  readonly parameters: URLSearchParams;
}

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { view: path, parameters: new URLSearchParams(query) };
}

/** The route of the page's address; follows its changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(routeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
