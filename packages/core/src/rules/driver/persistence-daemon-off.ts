import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const persistenceDaemonOff: Rule = defineRule({
  id: 'driver/persistence-daemon-off',
  summary: 'Without persistence mode the driver starts anew for every program and forgets its settings',
  needs: [],
  anyOf: ['gpu.persistence-mode', 'said.persistence-warned', 'said.dcgm-persistence-off'],
  uses: ['said.cuda-start-slow'],
  citations: ['driver-persistence'],
  check(_facts, context) {
    const off = own(context, 'gpu.persistence-mode').find((fact) => !fact.value.on);
    const on = own(context, 'gpu.persistence-mode').find((fact) => fact.value.on);
    const warned = said(context, 'persistence-warned')[0] ?? said(context, 'dcgm-persistence-off')[0];
    const slow = said(context, 'cuda-start-slow').find((fact) => {
      const text = fact.value.captures['seconds'] ?? fact.value.captures['real']?.replace(',', '.');
      // Of a bare `time`, only that of nvidia-smi says something of the driver's start.
      if (
        fact.value.captures['real'] !== undefined &&
        !/nvidia-smi|cuInit|is_available|deviceQuery/.test(fact.command ?? '')
      )
        return false;
      return text !== undefined && Number(text) >= 2;
    });
    const remedies = [
      { actor: 'node-admin', do: 'run the persistence daemon', command: 'systemctl enable --now nvidia-persistenced' },
      { actor: 'node-admin', do: 'where there is none, switch the mode on at every boot', command: 'nvidia-smi -pm 1' },
    ] as const;
    if (slow !== undefined && off === undefined && warned === undefined && on !== undefined)
      return { kind: 'cleared', because: 'persistence mode is on', seen: seen(on) };
    const proof = off ?? warned;
    if (proof === undefined) return { kind: 'silent' };
    if (slow === undefined) {
      return warned === undefined
        ? { kind: 'silent' }
        : { kind: 'unknown', missing: [missing('said.cuda-start-slow', 'time nvidia-smi; time nvidia-smi')] };
    }
    return {
      kind: 'fault',
      certainty: off === undefined ? 'likely' : byPrint(slow, off),
      message: 'persistence mode is off, so the driver starts anew for every program that comes first',
      seen: seen(slow, proof),
      remedies,
      weight: 2,
    };
  },
});
