// Which layer and which instruction brought a thing.
import type { Origin } from './contents.ts';
import type { ScannedImage } from './model.ts';

/** Origins of the layers of an image, lowest first. */
export function originsOf(image: ScannedImage): readonly Origin[] {
  const made = (image.config?.history ?? []).filter((each) => !each.empty);
  // Where the two lists differ in length nobody can say which instruction made which layer.
  const paired = made.length === image.layers.length;
  return image.layers.map((layer, at) => ({
    layer: at,
    digest: layer.digest ?? layer.diffId,
    instruction: paired ? instructionOf(made[at]?.createdBy ?? '') : null,
  }));
}

/** `/bin/sh -c #(nop) COPY …` and `RUN /bin/sh -c …` as they stand in a Dockerfile. */
function instructionOf(text: string): string | null {
  const flat = text.slice(0, 4000).split(/\s+/).join(' ').trim();
  for (const shell of ['/bin/sh -c #(nop) ', '/bin/bash -c #(nop) '])
    if (flat.startsWith(shell)) return flat.slice(shell.length);
  if (flat.startsWith('/bin/sh -c ') || flat.startsWith('/bin/bash -c '))
    return `RUN ${flat.slice(flat.indexOf('-c ') + 3)}`;
  return flat === '' ? null : flat.replace('RUN /bin/sh -c ', 'RUN ');
}
