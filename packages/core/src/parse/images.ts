// Which image runs, and what files that describe a container ask for.
//
// FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
// image: vllm/vllm-openai:v0.9.1
// $ docker run --gpus all nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi
import type { Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { commandWords } from './blocks.ts';
import { cudaToolkit } from './releases.ts';
import { unquoted } from './values.ts';

const reference =
  /^(?:[a-z0-9][a-z0-9.-]{0,80}(?::\d{2,5})?\/)?(?:[a-z0-9][\w.-]{0,80}\/){0,4}[a-z0-9][\w.-]{0,80}(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Adds an image and the CUDA release that the tag of an nvidia/cuda image names. */
export function addImage(text: string, line: Line, sink: FactSink, told?: boolean): void {
  const name = unquoted(text.trim()).replace(/[,;]$/, '');
  if (name.length < 3 || name.length > 300 || !reference.test(name)) return;
  const options = told === true ? { told: true } : undefined;
  sink.add('image.reference', name, line, options);
  const cuda = cudaToolkit(
    /(?:^|\/)nvidia\/cuda(?:-(?:arm64|ppc64le))?:(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)/.exec(name)?.[1],
  );
  if (cuda !== null) sink.add('image.cuda', cuda, line, options);
}

const looksLikeImage = /^(?!\/|-|\.)[^\s=]{2,300}$/;

export const images: Parser = {
  id: 'image',
  literals: [
    'from ',
    'image: ',
    'image:  ',
    '"image":',
    'docker run',
    'podman run',
    'nerdctl run',
    'docker pull',
    'base: ',
    'runtimeclassname',
    'runtime class name',
    'runtime: nvidia',
    '--container-image',
    'imported docker image',
  ],
  keep: { before: 0, after: 1 },
  parse(_document, hits, sink) {
    for (const line of hits) {
      if (line.prompt) {
        readRun(line, sink);
        continue;
      }
      if (line.told) continue;
      const text = line.clean.trim();
      const from = /^FROM (?:--platform=\S{1,60} )?([^\s]{3,300})(?: AS \S{1,60})?$/i.exec(text)?.[1];
      if (from !== undefined && text.startsWith('FROM')) {
        addImage(from, line, sink);
        continue;
      }
      const image =
        /^(?:- )?(?:image|Image|"image"|"Image"):\s{1,20}(\S{3,300})$/.exec(text)?.[1] ??
        /\bimported docker image: (\S{3,300})$/.exec(text)?.[1];
      if (image !== undefined && /[:/@]/.test(image)) addImage(image.replace('#', '/').replace('//', '/'), line, sink);
      const base = /^base(?: image)?: (\S{3,300})$/i.exec(text)?.[1];
      if (base !== undefined && /[:/]/.test(base)) addImage(base, line, sink);
    }
  },
};

/** The image of `docker run`: the first word behind the options that can be one. */
function readRun(line: Line, sink: FactSink): void {
  const command = line.command ?? '';
  const slurm = /--container-image[= ](\S{3,300})/.exec(command)?.[1];
  if (slurm !== undefined) addImage(slurm.replace('#', '/'), line, sink);
  const run = /\b(?:docker|podman|nerdctl) (?:run|pull|create)\b(.{1,2000})$/.exec(command)?.[1];
  if (run === undefined) return;
  const parts = commandWords(run);
  for (const [index, word] of parts.entries()) {
    if (!looksLikeImage.test(word) || word.startsWith('~')) continue;
    const before = parts[index - 1] ?? '';
    const isValue =
      before.startsWith('-') &&
      !before.includes('=') &&
      !/^(?:-it|-i|-t|-d|-ti|--rm|--init|--privileged|--interactive|--tty|--detach|-itd|-P)$/.test(before);
    if (isValue) continue;
    addImage(word, line, sink);
    return;
  }
}
