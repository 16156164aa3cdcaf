import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const devicePluginKubeletPathWrong: Rule = defineRule({
  id: 'orchestrator/device-plugin-kubelet-path-wrong',
  summary: 'The device plugin and the kubelet do not find each other’s sockets',
  needs: [],
  anyOf: ['said.plugin-not-registered'],
  uses: ['file.exists', 'said.k8s-insufficient-gpu'],
  citations: ['k8s-device-plugins', 'k8s-device-plugin'],
  explains: [
    'said.plugin-not-registered',
    'said.k8s-insufficient-gpu',
    'said.k8s-devices-unavailable',
    'orchestrator/gpu-unallocatable',
    'orchestrator/device-plugin-not-running',
  ],
  check(_facts, context) {
    const refused = said(context, 'plugin-not-registered');
    const lead = refused[0];
    if (lead === undefined) return { kind: 'silent' };
    const sockets = own(context, 'file.exists').filter((fact) => /\/device-plugins\/kubelet\.sock$/.test(fact.value));
    const elsewhere = sockets.find((fact) => !fact.value.startsWith('/var/lib/kubelet/'));
    const usual = sockets.find((fact) => fact.value.startsWith('/var/lib/kubelet/'));
    const gone = refused.find((fact) =>
      /no such file/i.test(
        fact.value.captures['why3'] ?? fact.value.captures['why'] ?? fact.value.captures['why2'] ?? '',
      ),
    );
    if (elsewhere === undefined && usual !== undefined)
      return { kind: 'cleared', because: 'kubelet.sock is in the usual folder', seen: seen(usual) };
    return {
      kind: 'fault',
      certainty: elsewhere !== undefined ? byPrint(lead, elsewhere) : gone !== undefined ? 'likely' : 'possible',
      message:
        elsewhere === undefined
          ? 'the device plugin cannot register with the kubelet'
          : `the kubelet’s socket is ${elsewhere.value}, the device plugin looks in /var/lib/kubelet/device-plugins`,
      seen: seen(lead, gone === lead ? undefined : gone, elsewhere),
      remedies: [
        {
          actor: 'cluster-admin',
          do: 'find the folder that the kubelet uses',
          command: "find /var /run -name kubelet.sock 2>/dev/null; ps -ef | grep -o -- '--root-dir[= ][^ ]*'",
        },
        { actor: 'cluster-admin', do: 'mount that folder at /var/lib/kubelet/device-plugins in the plugin’s pod' },
        {
          actor: 'node-admin',
          do: 'where the folder is right, restart the kubelet and then the plugin',
          command: 'systemctl restart kubelet',
        },
      ],
      missing: elsewhere === undefined ? [missing('file.exists', 'find /var /run -name kubelet.sock 2>/dev/null')] : [],
      weight: 2,
    };
  },
});
