// Mistakes of Dockerfiles and compose files that would show only on a node.
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Verdict } from '../../model/verdict.ts';
import { baseImageOf, inheritedEnv } from './base-image.ts';
import type { ComposeFile } from './compose-rules.ts';
import { composeNotices } from './compose-rules.ts';
import { finalChain, readDockerfile } from './dockerfile.ts';
import { dockerfileNotices } from './dockerfile-rules.ts';
import { lintVerdict } from './finding.ts';

/** A build file. */
export type BuildFile =
  | { readonly kind: 'dockerfile'; readonly file: string; readonly text: string }
  | { readonly kind: 'compose'; readonly compose: ComposeFile };

/**
 * The verdict on build files. Only what stands in them counts: what a base image holds is known by its name alone.
 * @param platform of the nodes; null where it is not given
 */
export function lintBuildFiles(files: readonly BuildFile[], platform: string | null, knowledge: Knowledge): Verdict {
  const left: string[] = [];
  const notices = files.flatMap((each) => {
    if (each.kind === 'compose') return composeNotices(each.compose, platform);
    const parsed = readDockerfile(each.text, inheritedEnv);
    left.push(...parsed.left.map((text) => `${each.file}: ${text}`));
    if (parsed.stages.length === 0) left.push(`${each.file}: no FROM, so it is no Dockerfile`);
    for (const { from } of parsed.stages)
      if (from.text === '') left.push(`${each.file}, line ${from.line}: FROM names no image`);
    return dockerfileNotices(parsed, each.file, platform);
  });
  const names = files.map((each) => (each.kind === 'compose' ? each.compose.file : each.file));
  return lintVerdict(notices, names, left, knowledge);
}

/** Is what a Dockerfile builds meant for a GPU, as far as its base tells? */
export function isGpuDockerfile(text: string): boolean {
  const [first] = finalChain(readDockerfile(text, inheritedEnv));
  return first?.image != null && baseImageOf(first.image).kind !== 'other';
}
