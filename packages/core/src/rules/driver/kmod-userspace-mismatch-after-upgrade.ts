import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';

export const kmodUserspaceMismatchAfterUpgrade: Rule = defineRule({
  id: 'driver/kmod-userspace-mismatch-after-upgrade',
  summary: 'The loaded kernel module and the driver libraries are different releases',
  needs: ['driver.module', 'driver.library'],
  citations: [],
  explains: ['said.nvml-*', 'said.cuda-no-device'],
  check({ 'driver.module': module, 'driver.library': library }) {
    const seen = [...module.seen, ...library.seen];
    if (module.value === library.value) {
      return { kind: 'cleared', because: `kernel module and driver library are both ${module.value}`, seen };
    }
    return {
      kind: 'fault',
      message: `the loaded kernel module is ${module.value}, but the driver library is ${library.value}`,
      seen,
      remedies: [
        { actor: 'cluster-admin', do: 'drain the node, so that nothing holds /dev/nvidia*' },
        { actor: 'node-admin', do: 'reload the module, or reboot the node', command: 'rmmod nvidia_drm nvidia_modeset nvidia_uvm nvidia && modprobe nvidia' },
      ],
    };
  },
});
