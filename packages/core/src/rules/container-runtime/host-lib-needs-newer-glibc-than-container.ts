import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { own, saidOf, seenOf } from '../driver/_machine.ts';
import { glibcNeeds } from '../host-os/_glibc.ts';

export const hostLibNeedsNewerGlibcThanContainer: Rule = defineRule({
  id: 'container-runtime/host-lib-needs-newer-glibc-than-container',
  summary: 'A library of the host was bound into a container with an older C library',
  needs: ['said.glibc-symbol-version'],
  uses: ['os.glibc', 'container.inside', 'said.container-command', 'os.name'],
  citations: ['glibc-loader', 'apptainer-gpu'],
  explains: [
    'said.ld-glibc',
    'said.ld-glibcxx',
    'said.glibc-symbol-version',
    'said.nvml-*',
    'said.cuda-*',
    'said.pt-*',
    'framework/*',
    'host-os/host-glibc-too-old',
    'application/*',
  ],
  check(_, context) {
    const needs = glibcNeeds(context);
    const bound = needs.filter((each) => each.kind === 'host-library');
    const lead = bound[0];
    const inside = own(context, 'container.inside')[0];
    const container = needs.some((each) => each.fact.scope === 'container') || inside !== undefined;
    const remedies = [
      {
        actor: 'image-owner' as const,
        do: 'base the image on a distribution that is no older than the host',
        command: 'ldd --version | head -n 1',
      },
      {
        actor: 'node-admin' as const,
        do: 'or bind the driver libraries only: the nvidia-container-cli way in place of the list of all graphics libraries',
        command: 'apptainer exec --nvccli IMAGE COMMAND',
      },
    ];
    if (lead !== undefined) {
      const proper = /\.singularity\.d|\/usr\/local\/nvidia|\/host|\/run\/nvidia/.test(lead.by ?? '');
      return {
        kind: 'fault',
        // A driver library as such is built for far older systems: it stumbles in a container only.
        certainty: lead.fact.told || (!proper && !container) ? 'likely' : 'proved',
        message: `${lead.by?.split('/').at(-1) ?? 'a library'} of the host needs glibc ${lead.need}, which the container does not have`,
        seen: seenOf(...bound.map((each) => each.fact), ...(inside?.told === false ? [inside] : [])),
        remedies,
        weight: 5,
      };
    }
    const command = saidOf(context, 'container-command')[0];
    const open = needs.find((each) => each.kind === 'program' && each.fact.scope === 'container');
    if (open !== undefined && open.by === null) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `something in the container needs glibc ${open.need}: a library bound in from the host may be it`,
        seen: seenOf(open.fact, command),
        remedies,
        missing: [{ fact: 'loader.resolved', ask: 'ldd COMMAND; ls /.singularity.d/libs; ldd --version | head -n 1' }],
        weight: 1,
      };
    }
    const image = needs.find((each) => each.kind !== 'host-library' && each.by !== null);
    return image === undefined
      ? { kind: 'silent' }
      : {
          kind: 'cleared',
          because: `the file that needs the newer C library is ${image.by ?? ''}, none of the host`,
          seen: image.fact.seen,
        };
  },
});
