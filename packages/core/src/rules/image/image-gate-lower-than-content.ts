import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { gateInImage } from './_settings.ts';
import { byPrint, missing, said, seen } from '../container-runtime/_container.ts';
import { contentOf, gatesOf } from './_gate.ts';

export const imageGateLowerThanContent: Rule = defineRule({
  id: 'image/image-gate-lower-than-content',
  summary: 'The image declares a lower CUDA floor than what is in it needs',
  needs: [],
  anyOf: ['image.variable', 'image.requirement', 'env', 'said.ncc-requirement-unsatisfied'],
  uses: [
    'torch.cuda',
    'torch.version',
    'package',
    'driver.version',
    'driver.cuda',
    'said.ngc-driver-release-required',
    'image.cuda',
    'toolkit.runtime',
  ],
  citations: ['container-toolkit-require', 'cuda-minor-version-compat'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.ngc-*',
    'said.ncc-requirement-unsatisfied',
    'driver/driver-below-toolkit-minimum',
    'driver/image-require-cuda-unsatisfied',
    'driver/ptx-newer-than-driver',
    'application/application-exception',
  ],
  check(_facts, context) {
    const inventory = gateInImage(context);
    if (inventory !== null) return inventory;
    const gates = gatesOf(context);
    const gate = gates.find((each) => each.cuda !== null);
    if (gate === undefined || gate.cuda === null) return { kind: 'silent' };
    const contents = contentOf(context).filter((each) => each.fact !== gate.fact);
    const highest = [...contents].sort((a, b) => b.major - a.major)[0];
    const preflight = said(context, 'ngc-driver-release-required')[0];
    const tooOld = [
      ...said(context, 'pt-driver-too-old'),
      ...said(context, 'cuda-insufficient-driver'),
      ...said(context, 'driver-cuda-too-low'),
      ...said(context, 'driver-release-too-low'),
    ][0];
    const remedies = [
      {
        actor: 'image-owner',
        do: 'raise the declared floor to what the packages in the image need, or build them for the declared CUDA',
        command: `ENV NVIDIA_REQUIRE_CUDA="cuda>=${highest === undefined ? 'X.Y' : `${highest.major}.0`}"`,
      },
      { actor: 'cluster-admin', do: 'until then place it on nodes with a driver for the newer CUDA' },
    ] as const;
    if (highest === undefined) {
      if (tooOld === undefined || said(context, 'ncc-requirement-unsatisfied').length > 0) return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: `the image declares cuda>=${gate.text}, starts, and then finds the driver too old`,
        seen: seen(gate.fact, tooOld),
        remedies,
        missing: [
          missing(
            'torch.cuda',
            'docker run --rm --entrypoint python IMAGE -c "import torch; print(torch.__version__, torch.version.cuda)"',
          ),
        ],
      };
    }
    if (highest.major <= gate.cuda.major) {
      return {
        kind: 'cleared',
        because: `the image declares cuda>=${gate.text}, and ${highest.what} is of the same major release`,
        seen: seen(gate.fact, highest.fact),
      };
    }
    return {
      kind: 'fault',
      certainty: byPrint(gate.fact, highest.fact),
      message: `the image declares cuda>=${gate.text}, but ${highest.what} in it needs CUDA ${highest.major}`,
      seen: seen(gate.fact, highest.fact, preflight ?? tooOld),
      remedies,
      weight: 5,
    };
  },
});
