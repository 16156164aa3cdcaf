import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const hugepagesMissing: Rule = defineRule({
  id: 'host-os/hugepages-missing',
  summary: 'No huge pages are free for a program that needs them',
  needs: [],
  anyOf: ['said.hugepages-none'],
  uses: ['os.hugepages'],
  citations: ['kernel-hugetlb'],
  explains: ['application/application-exception', 'said.nccl-*'],
  check(_facts, context) {
    const lead = said(context, 'hugepages-none')[0];
    if (lead === undefined) return { kind: 'silent' };
    const pages = own(context, 'os.hugepages');
    const free = pages.find((fact) => fact.value.free !== null && fact.value.free > 0);
    if (free !== undefined)
      return { kind: 'cleared', because: `${free.value.free} huge pages are free`, seen: seen(free) };
    const none = pages.find((fact) => fact.value.total === 0 || fact.value.free === 0);
    const fatal = own(context, 'said.hugepages-none').some((fact) =>
      fact.seen.some((each) => !/EAL: No (?:free|available)/.test(each.text)),
    );
    return {
      kind: 'fault',
      certainty: none !== undefined ? byPrint(lead, none) : fatal ? 'likely' : 'possible',
      message:
        none?.value.total === 0 ? 'no huge pages are reserved on this host' : 'no huge pages are free on this host',
      seen: seen(lead, none),
      remedies: [
        {
          actor: 'node-admin',
          do: 'reserve huge pages at boot, on each NUMA node',
          command: 'sysctl -w vm.nr_hugepages=1024; grep -i huge /proc/meminfo',
        },
        { actor: 'developer', do: 'in Kubernetes ask for hugepages-2Mi and mount an emptyDir with medium HugePages' },
      ],
      ...(none === undefined
        ? {
            missing: [
              missing(
                'os.hugepages',
                'grep -i huge /proc/meminfo; cat /sys/devices/system/node/node*/hugepages/hugepages-*/free_hugepages',
              ),
            ],
          }
        : {}),
      weight: 1,
    };
  },
});
