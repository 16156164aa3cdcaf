// How a container was started, where the command stands in the text.
//
// $ docker run -d -v ollama:/root/.ollama -p 11434:11434 --name ollama ollama/ollama
// $ podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi
// $ apptainer exec --nv train.sif python train.py
import type { Parser } from './parser.ts';

const start =
  /^(?:sudo )?(?:[A-Z_]{1,40}=\S{0,200} ){0,4}(?:docker|podman|nerdctl)(?: container)? (?:run|create) (?<rest>.{1,2000})$/;
/** What gives a container GPUs: a request, a device, the runtime. */
const asks =
  /(?:^|\s)(?:--gpus[= ]|--runtime[= ]['"]?nvidia|--device[= ]['"]?(?:nvidia\.com\/gpu|\/dev\/nvidia)|-e[= ]?['"]?NVIDIA_VISIBLE_DEVICES=|--env[= ]['"]?NVIDIA_VISIBLE_DEVICES=|--privileged\b)/;

/** Apptainer and Singularity: options stand before the image, and what comes after it goes to the program. */
const apptainer =
  /^(?:(?:sudo|srun|mpirun|time)(?: -\S{1,80}){0,8} )?(?:[A-Z_]{1,40}=\S{0,200} ){0,4}(?:apptainer|singularity)(?: -\S{1,40}){0,4} (?:exec|run|shell|instance start) (?<rest>.{1,2000})$/;
const image = /(?:^|\s)(?!-)\S{0,300}(?:\.(?:sif|simg|img|sqsh)(?=\s|$)|:\/\/\S{1,300})/;
const native = /(?:^|\s)(?:--nv|--nvccli|--rocm)(?=\s|$)/;

/** Whether Apptainer was asked for the GPUs; null where its command shows no image. */
function apptainerAsks(rest: string): boolean | null {
  const at = image.exec(rest);
  return at === null ? null : native.test(rest.slice(0, at.index));
}

export const containerStarts: Parser = {
  id: 'container-starts',
  literals: [
    'docker run',
    'docker create',
    'docker container',
    'podman run',
    'podman create',
    'nerdctl run',
    'apptainer ',
    'singularity ',
  ],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      if (!line.prompt || line.command === null) continue;
      const own = apptainer.exec(line.command)?.groups?.['rest'];
      const asked = own === undefined || own.endsWith('\\') ? null : apptainerAsks(own);
      if (asked !== null) sink.add('container.started', { name: null, gpus: asked }, line);
      const rest = start.exec(line.command)?.groups?.['rest'];
      // A line that goes on below is not read whole.
      if (rest === undefined || rest.endsWith('\\')) continue;
      const name = /(?:^|\s)--name[= ]['"]?([\w.-]{1,100})/.exec(rest)?.[1] ?? null;
      sink.add('container.started', { name, gpus: asks.test(rest) }, line);
    }
  },
};
