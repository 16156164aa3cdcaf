import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, own, said, seen } from './_container.ts';

const hostRun =
  /(?:^|\s)(?:-v|--volume|--mount|--container-mounts|-B|--bind)[= ]\S{0,200}?\/run(?:\/?:|\/nvidia-persistenced)/;

export const persistencedSocketInTheWay: Rule = defineRule({
  id: 'container-runtime/persistenced-socket-in-the-way',
  summary: 'The container tool cannot put the socket of the persistence daemon into the container',
  needs: ['said.ncc-socket-mount'],
  uses: ['driver.answers', 'container.mount'],
  citations: ['libnvidia-container-source'],
  explains: [
    ...noGpuConsequences,
    'said.ncc-socket-mount',
    'said.ncc-other-stage',
    'said.pyxis-*',
    'container-runtime/container-toolkit-not-installed',
  ],
  check(_facts, context) {
    const lead = said(context, 'ncc-socket-mount')[0];
    if (lead === undefined) return { kind: 'silent' };
    const why = lead.value.captures['why'] ?? '';
    const later = own(context, 'driver.answers').find((fact) => fact.order > lead.order && fact.scope === 'container');
    if (later !== undefined)
      return { kind: 'cleared', because: 'the container starts now, and nvidia-smi answers in it', seen: seen(later) };
    if (/no such file/i.test(why))
      return {
        kind: 'unknown',
        missing: [missing('whether the persistence daemon runs', 'systemctl status nvidia-persistenced')],
      };
    const taken = /no such device/i.test(why);
    const mounted =
      hostRun.test(lead.command ?? '') ||
      own(context, 'container.mount').some((fact) => /^(?:\/var)?\/run\/?$/.test(fact.value.path));
    return {
      kind: 'fault',
      certainty: taken && mounted ? byPrint(lead) : 'likely',
      message: taken
        ? `the socket of the persistence daemon is in the container already${mounted ? ': its /run is that of the host' : ', most likely by a mount of /run'}`
        : 'the container tool may not mount the socket of the persistence daemon',
      seen: seen(lead),
      remedies: taken
        ? [
            {
              actor: 'developer',
              do: 'mount only what the program needs of /run, not all of it, and no /run/nvidia-persistenced',
              command: 'docker run -v /run/NAME:/run/NAME …',
            },
            {
              actor: 'node-admin',
              do: 'with enroot: take /run out of its mounts; or stop the daemon where nothing needs it',
              command: 'grep -r run /etc/enroot/mounts.d; systemctl status nvidia-persistenced',
            },
          ]
        : [
            {
              actor: 'cluster-admin',
              do: 'let the tool leave the socket out, where it runs within a pod (98-nvidia.sh of enroot)',
              command: 'nvidia-container-cli configure --no-persistenced …',
            },
          ],
      missing:
        taken && mounted
          ? []
          : [
              missing(
                'container.mount',
                'docker inspect CONTAINER --format "{{json .Mounts}}"; cat /etc/enroot/mounts.d/*',
              ),
            ],
      weight: 3,
    };
  },
});
