import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byWords, loadedLibcuda } from './_loads.ts';
import { byPrint, gpusOf, installedDriver, noGpuSeen, own, saidOf, seenOf, works } from './_machine.ts';

export const forwardCompatUnsupportedGpu: Rule = defineRule({
  id: 'driver/forward-compat-unsupported-gpu',
  summary: 'A compat libcuda is used on a GPU that forward compatibility does not cover',
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'said.cuda-forward-compat-unsupported-hw',
    'said.compat-libcuda-in-use',
    'said.ngc-compat-enabled',
    'loader.loads',
  ],
  uses: [
    'gpu.name',
    'torch.cuda-available',
    'said.cuda-unknown-error',
    'said.cuda-no-device',
    'image.cuda',
    'torch.cuda',
    'driver.version',
    'driver.module',
    'driver.cuda',
    'said.compat-libcuda-in-use',
  ],
  citations: ['cuda-forward-compat', 'cuda-compat-faq'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.ggml-*',
    'framework/*',
    'driver/driver-below-toolkit-minimum',
    'driver/userspace-newer-than-kernel-module',
    'image/*',
  ],
  check(_, context) {
    const errors = saidOf(context, 'cuda-forward-compat-unsupported-hw');
    const gpus = gpusOf(context);
    const classes = context.knowledge.compatClasses;
    const refused = gpus.find((each) => {
      const row = classes.find((one) => one.class === each.gpu.class);
      return row !== undefined && row.status !== 'allowed' && row.error === 804;
    });
    const never = classes.some((one) => one.class === refused?.gpu.class && one.status === 'not-allowed');
    const compat = saidOf(context, 'compat-libcuda-in-use', 'ngc-compat-enabled');
    const error = errors[0];
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade the driver of the host to one that serves the CUDA version of the image',
      },
      {
        actor: 'image-owner' as const,
        do: 'or take an image whose CUDA version the driver serves; or keep the compat directory off the loader path',
        command: 'echo "$LD_LIBRARY_PATH"; cat /etc/ld.so.conf.d/*.conf | grep compat',
      },
    ];
    const allowed = gpus.find((each) => each.gpu.class === 'data-center');
    const loaded = loadedLibcuda(context);
    const ahead = loaded?.load.value.kind === 'compat' && loaded.order === 'newer' ? loaded : null;
    if (ahead !== null && refused !== undefined && error === undefined && !works(context))
      return {
        kind: 'fault',
        // Some workstation boards are covered.
        certainty: !ahead.sure ? 'possible' : never ? byPrint(ahead.load, refused.fact) : 'likely',
        message: `a process takes the compat libcuda ${ahead.version} (${ahead.path}) ${byWords(ahead.load)} on ${refused.gpu.printed}, which forward compatibility does not cover`,
        seen: seenOf(ahead.load, ahead.module, refused.fact),
        remedies,
        weight: 3,
      };
    if (ahead !== null && allowed !== undefined && refused === undefined && error === undefined)
      return {
        kind: 'cleared',
        because: `the compat libcuda ${ahead.version} is newer than the driver ${ahead.module.value}, and forward compatibility covers ${allowed.gpu.printed}`,
        seen: seenOf(ahead.load, allowed.fact),
      };
    if (refused === undefined && allowed !== undefined) {
      return error === undefined
        ? { kind: 'silent' }
        : {
            kind: 'cleared',
            because: `forward compatibility covers ${allowed.gpu.printed}`,
            seen: seenOf(allowed.fact),
          };
    }
    if (error === undefined) {
      const symptoms = saidOf(
        context,
        'cuda-unknown-error',
        'cuda-no-device',
        'cuda-initialization-error',
        'pt-driver-init-failed',
      );
      const blind = noGpuSeen(context);
      if (refused === undefined || works(context) || (symptoms.length === 0 && blind === undefined))
        return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `a compat libcuda is in use on ${refused.gpu.printed}, which forward compatibility does not cover`,
        seen: seenOf(...compat, refused.fact, ...symptoms, blind),
        remedies,
        missing: [
          { fact: 'said.cuda-forward-compat-unsupported-hw', ask: 'python -c "import torch; torch.cuda.init()"' },
        ],
        weight: 2,
      };
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
      seen: seenOf(
        ...errors,
        refused?.fact,
        ...(certainty === 'proved'
          ? [installed?.fact, ...compat].filter((fact) => fact?.told === false)
          : [installed?.fact, ...compat, ...own(context, 'image.cuda')]),
      ),
      remedies,
      missing: refused === undefined ? [{ fact: 'gpu.name', ask: 'nvidia-smi -L; ldconfig -p | grep libcuda' }] : [],
      weight: 3,
    };
  },
});
