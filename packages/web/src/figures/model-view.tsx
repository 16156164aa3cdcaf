import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Route } from '../route.ts';
import { Later } from './later.tsx';
import { LaunchFigures } from './launch-figures.tsx';
import './figures.css';

/** Figures that are fetched when they come into view, in the order of the page. */
const later: readonly { readonly id: string; readonly title: string; readonly load: () => Promise<ComponentType> }[] = [
  {
    id: 'memories',
    title: 'Memories, unified memory, pinned and pageable copies',
    load: async () => (await import('./memory-figures.tsx')).MemoryFigures,
  },
  {
    id: 'order',
    title: 'Streams, the default stream, events and graphs',
    load: async () => (await import('./stream-figure.tsx')).StreamFigure,
  },
  {
    id: 'container',
    title: 'Which libcuda a container ends up with',
    load: async () => (await import('./libcuda-figure.tsx')).LibcudaFigure,
  },
  {
    id: 'told-apart',
    title: 'Three mismatches, told apart',
    load: async () => (await import('./mismatch-figure.tsx')).MismatchFigure,
  },
];

/** How a GPU works, in figures that the core computes from its tables. */
export function ModelView({ route }: { readonly route: Route }): JSX.Element {
  const [gpus, setGpus] = useState<readonly string[]>([]);
  useEffect(() => {
    void ask('choices', {}).then((choices) => setGpus(choices.gpus));
  }, []);
  const wanted = route.parameters.get('figure');
  useEffect(() => {
    if (wanted !== null) document.getElementById(wanted)?.scrollIntoView();
  }, [wanted]);
  return (
    <>
      <h1>How it works</h1>
      <p class="soft">Every picture is computed from the tables that the verdicts rest on. Change the numbers.</p>
      <nav aria-label="Figures">
        <ul class="contents">
          <li>
            <a href="#/model?figure=launch">A launch, its occupancy, waves and utilisation</a>
          </li>
          {later.map(({ id, title }) => (
            <li key={id}>
              <a href={`#/model?figure=${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div id="launch" class="launch">
        <LaunchFigures gpus={gpus} />
      </div>
      {later.map((figure) => (
        <Later key={figure.id} {...figure} />
      ))}
    </>
  );
}
