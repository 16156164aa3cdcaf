import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import { LaunchFigures } from './launch-figures.tsx';

/** How a GPU works, in figures that the core computes from its tables. */
export function ModelView(): JSX.Element {
  const [gpus, setGpus] = useState<readonly string[]>([]);
  useEffect(() => {
    void ask('choices', {}).then((choices) => setGpus(choices.gpus));
  }, []);
  return (
    <>
      <h1>How it works</h1>
      <p class="soft">Every picture is computed from the tables that the verdicts rest on. Change the numbers.</p>
      <LaunchFigures gpus={gpus} />
    </>
  );
}
