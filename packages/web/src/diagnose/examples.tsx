import type { JSX } from 'preact';

/** Inputs to try, as the repository's folder of examples has them; each is fetched when it is clicked. */
const texts = import.meta.glob<string>('../../../../examples/*.{txt,log}', { query: '?raw', import: 'default' });

/** What each shows; the files without words are parts of a comparison. */
const words: Readonly<Record<string, string>> = {
  'new-gpu-old-wheel.txt': 'a wheel that has no code for the GPU',
  'upgrade-under-load.txt': 'a driver that was upgraded under a running job',
  'one-gpu-lost.log': 'a kernel log after a GPU was lost',
  'healthy-dump.txt': 'a healthy node',
};

interface Example {
  readonly name: string;
  readonly shows: string;
  readonly text: () => Promise<string>;
}

/** The examples in the order in which they are offered. */
const examples: readonly Example[] = Object.entries(words).flatMap(([name, shows]) => {
  const text = texts[`../../../../examples/${name}`];
  return text === undefined ? [] : [{ name, shows, text }];
});

/** What the page does, in three sentences, and inputs to try. */
export function Examples({ take }: { readonly take: (text: string) => void }): JSX.Element {
  return (
    <>
      <p>
        The answer names the layer at fault, the lines of your own text that prove it, the published rule, and the fix
        in order. Where the text does not tell, it names the one command to run next. <a href="#/judge">Judge</a>{' '}
        answers before anything fails: does this run on that?
      </p>
      <p class="examples">
        Try:{' '}
        {examples.map((example) => (
          <button key={example.name} type="button" class="link" onClick={() => void example.text().then(take)}>
            {example.shows}
          </button>
        ))}
      </p>
    </>
  );
}
