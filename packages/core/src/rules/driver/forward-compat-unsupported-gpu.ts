import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, gpusOf, installedDriver, own, saidOf, seenOf } from './_machine.ts';

export const forwardCompatUnsupportedGpu: Rule = defineRule({
  id: 'driver/forward-compat-unsupported-gpu',
  summary: 'A compat libcuda is used on a GPU that forward compatibility does not cover',
  needs: ['said.cuda-forward-compat-unsupported-hw'],
  uses: ['gpu.name', 'image.cuda', 'torch.cuda', 'driver.version', 'driver.module', 'driver.cuda', 'said.compat-libcuda-in-use'],
  citations: ['cuda-forward-compat', 'cuda-compat-faq'],
  explains: ['said.cuda-*', 'said.pt-*', 'said.tf-*', 'said.ggml-*', 'framework/*', 'driver/driver-below-toolkit-minimum', 'driver/userspace-newer-than-kernel-module', 'image/*'],
  check(_, context) {
    const errors = saidOf(context, 'cuda-forward-compat-unsupported-hw');
    const error = errors[0];
    if (error === undefined) return { kind: 'silent' };
    const gpus = gpusOf(context);
    const classes = context.knowledge.compatClasses;
    const refused = gpus.find((each) => {
      const row = classes.find((one) => one.class === each.gpu.class);
      return row !== undefined && row.status !== 'allowed' && row.error === 804;
    });
    const compat = saidOf(context, 'compat-libcuda-in-use');
    const remedies = [
      { actor: 'node-admin' as const, do: 'upgrade the driver of the host to one that serves the CUDA version of the image' },
      { actor: 'image-owner' as const, do: 'or take an image whose CUDA version the driver serves; or keep the compat directory off the loader path', command: 'echo "$LD_LIBRARY_PATH"; cat /etc/ld.so.conf.d/*.conf | grep compat' },
    ];
    const allowed = gpus.find((each) => each.gpu.class === 'data-center');
    if (refused === undefined && allowed !== undefined) {
      return { kind: 'unknown', missing: [{ fact: 'loader.resolved', ask: 'ldconfig -p | grep libcuda; ls -l /usr/local/cuda/compat; cat /proc/driver/nvidia/version' }] };
    }
    const installed = installedDriver(context);
    const certainty = refused === undefined ? 'likely' : byPrint(error, refused.fact);
    return {
      kind: 'fault',
      certainty,
      message:
        refused === undefined
          ? 'CUDA tried forward compatibility on a GPU that it does not cover: a libcuda newer than the driver is in use'
          : `a compat libcuda is used on ${refused.gpu.printed}${installed === null ? '' : ` with driver ${installed.text}`}: forward compatibility covers data-center GPUs only`,
      seen: seenOf(...errors, refused?.fact, ...(certainty === 'proved' ? [installed?.fact, ...compat].filter((fact) => fact?.told === false) : [installed?.fact, ...compat, ...own(context, 'image.cuda')])),
      remedies,
      missing: refused === undefined ? [{ fact: 'gpu.name', ask: 'nvidia-smi -L; ldconfig -p | grep libcuda' }] : [],
      weight: 3,
    };
  },
});
