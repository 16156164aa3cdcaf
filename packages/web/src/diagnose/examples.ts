/** Inputs to try, as the repository's folder of examples has them; each is fetched when it is clicked. */
const texts = import.meta.glob<string>('../../../../examples/*.{txt,log}', { query: '?raw', import: 'default' });

/** What each shows; the files without words are parts of a comparison. */
const words: Readonly<Record<string, string>> = {
  'new-gpu-old-wheel.txt': 'a wheel that has no code for the GPU',
  'upgrade-under-load.txt': 'a driver that was upgraded under a running job',
  'one-gpu-lost.log': 'a kernel log after a GPU was lost',
  'healthy-dump.txt': 'a healthy node',
};

export interface Example {
  readonly name: string;
  readonly shows: string;
  readonly text: () => Promise<string>;
}

/** The examples in the order in which they are offered. */
export const examples: readonly Example[] = Object.entries(words).flatMap(([name, shows]) => {
  const text = texts[`../../../../examples/${name}`];
  return text === undefined ? [] : [{ name, shows, text }];
});
