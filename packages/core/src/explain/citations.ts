import type { Knowledge } from '../knowledge/knowledge.ts';

/** Documents by citation id; an address stands for itself. */
export function sourcesOf(
  knowledge: Knowledge,
  ids: readonly string[],
): readonly { readonly title: string; readonly url: string }[] {
  return ids.flatMap((id) => {
    if (id.startsWith('http')) return [{ title: '', url: id }];
    const row = knowledge.citations.find((each) => each.id === id);
    return row === undefined ? [] : [{ title: row.title, url: row.url }];
  });
}
