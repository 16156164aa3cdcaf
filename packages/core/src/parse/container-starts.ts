// How a container was started, where the command stands in the text.
//
// $ docker run -d -v ollama:/root/.ollama -p 11434:11434 --name ollama ollama/ollama
// $ podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi
import type { Parser } from './parser.ts';

const start =
  /^(?:sudo )?(?:[A-Z_]{1,40}=\S{0,200} ){0,4}(?:docker|podman|nerdctl)(?: container)? (?:run|create) (?<rest>.{1,2000})$/;
/** What gives a container GPUs: a request, a device, the runtime. */
const asks =
  /(?:^|\s)(?:--gpus[= ]|--runtime[= ]['"]?nvidia|--device[= ]['"]?(?:nvidia\.com\/gpu|\/dev\/nvidia)|-e[= ]?['"]?NVIDIA_VISIBLE_DEVICES=|--env[= ]['"]?NVIDIA_VISIBLE_DEVICES=|--privileged\b)/;

export const containerStarts: Parser = {
  id: 'container-starts',
  literals: ['docker run', 'docker create', 'docker container', 'podman run', 'podman create', 'nerdctl run'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 200)) {
      if (!line.prompt || line.command === null) continue;
      const rest = start.exec(line.command)?.groups?.['rest'];
      // A line that goes on below is not read whole.
      if (rest === undefined || rest.endsWith('\\')) continue;
      const name = /(?:^|\s)--name[= ]['"]?([\w.-]{1,100})/.exec(rest)?.[1] ?? null;
      sink.add('container.started', { name, gpus: asks.test(rest) }, line);
    }
  },
};
