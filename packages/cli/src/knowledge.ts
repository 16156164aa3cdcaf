import type { Knowledge } from '@culprit/core/knowledge/knowledge';

/** The tables to judge by. */
export async function knowledgeOf(folder: string | undefined): Promise<Knowledge> {
  if (folder !== undefined) return (await import('./knowledge-folder.ts')).readKnowledge(folder);
  return (await import('@culprit/core/knowledge/knowledge')).defaultKnowledge;
}
