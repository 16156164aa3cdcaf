import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from './_container.ts';

export const toolkitLdconfigWrong: Rule = defineRule({
  id: 'container-runtime/toolkit-ldconfig-wrong',
  summary: 'The container toolkit cannot refresh the loader cache of the container',
  needs: [],
  anyOf: ['said.ncc-ldcache'],
  uses: ['container.toolkit-setting', 'os.arch'],
  citations: ['container-toolkit-config', 'libnvidia-container-source'],
  explains: ['said.ncc-*', 'said.oci-hook-failed', 'said.k8s-create-container-error', 'said.nct-*'],
  check(_facts, context) {
    const lead = said(context, 'ncc-ldcache')[0];
    if (lead === undefined) return { kind: 'silent' };
    const setting = own(context, 'container.toolkit-setting').findLast((fact) => fact.value.key === 'ldconfig');
    const { path, why, proc, code, sig } = lead.value.captures;
    const gone = /no such file/i.test(why ?? '');
    const platform = said(context, 'image-platform-wrong', 'k8s-image-arch')[0];
    if (platform !== undefined)
      return {
        kind: 'cleared',
        because: 'the image is for another CPU: its programs cannot run',
        seen: seen(platform),
      };
    return {
      kind: 'fault',
      certainty: gone
        ? byPrint(lead)
        : code === undefined && sig === undefined
          ? 'possible'
          : setting === undefined
            ? 'likely'
            : byPrint(lead, setting),
      message: gone
        ? `the container toolkit is told to run ${path ?? 'an ldconfig'} and it is not there`
        : `${proc ?? 'ldconfig'} ${code !== undefined ? `failed with code ${code}` : sig !== undefined ? `was ended by signal ${sig}` : 'failed'} while the container was made`,
      seen: seen(lead, setting),
      remedies: [
        {
          actor: 'node-admin',
          do: 'set the path of the host’s ldconfig: @/sbin/ldconfig.real on Ubuntu, @/sbin/ldconfig elsewhere (the @ means: of the host)',
          command: 'grep ldconfig /etc/nvidia-container-runtime/config.toml; ls -l /sbin/ldconfig*',
        },
        {
          actor: 'image-owner',
          do: 'where it runs and fails: see that /etc/ld.so.conf of the image is whole, and that the image is for this CPU',
          command: 'docker run --rm --runtime=runc IMAGE ldconfig -p | tail -n 3',
        },
        { actor: 'node-admin', do: 'or use CDI, which does without it' },
      ],
      missing: gone
        ? []
        : [
            missing(
              'container.toolkit-setting',
              'grep ldconfig /etc/nvidia-container-runtime/config.toml; uname -m; docker image inspect IMAGE --format "{{.Architecture}}"',
            ),
          ],
      weight: 3,
    };
  },
});
