import type { Fact } from '../../model/facts.ts';
import type { Outcome, Rule, RuleContext } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { floorOf, relationOf } from '../../compat/floors.ts';
import { driverLabel } from '../../compat/host-driver.ts';
import { tablesOf } from '../../compat/tables.ts';
import type { CudaVersion } from '../../versions/cuda.ts';
import { formatCudaMinor, parseCuda } from '../../versions/cuda.ts';
import { driverAtLeast, parseDriver } from '../../versions/driver.ts';
import type { Wanted } from './_machine.ts';
import {
  captured,
  installedDriver,
  newer,
  noGpuSeen,
  own,
  saidOf,
  seenOf,
  servedCuda,
  wantedCuda,
  works,
} from './_machine.ts';

type Fault = Extract<Outcome, { kind: 'fault' }>;

/** Messages with which a program refuses the driver as too old. */
const refusals: readonly string[] = [
  'cuda-insufficient-driver',
  'pt-driver-too-old',
  'cuda-call-requires-newer-driver',
  'driver-cuda-too-low',
  'driver-release-too-low',
  'nccl-rma-driver',
];

/** CUDA version that the driver serves, as a refusal of the program itself prints it. */
function foundByProgram(context: RuleContext): { readonly cuda: CudaVersion; readonly fact: Fact } | null {
  const found = captured(saidOf(context, 'pt-driver-too-old'), 'found');
  const digits = found === undefined ? null : Number(found.value);
  if (found !== undefined && digits !== null && digits >= 7000 && digits < 100_000) {
    return {
      cuda: { major: Math.floor(digits / 1000), minor: Math.floor((digits % 1000) / 10), patch: null },
      fact: found.fact,
    };
  }
  const have = captured(saidOf(context, 'driver-cuda-too-low'), 'have');
  const cuda = have === undefined ? null : parseCuda(have.value);
  return have === undefined || cuda === null ? null : { cuda, fact: have.fact };
}

/** Does the driver run programs of this CUDA version? Null: not known. */
function runs(
  context: RuleContext,
  wanted: CudaVersion,
): { readonly answer: boolean | null; readonly facts: readonly Fact[]; readonly have: string } {
  const tables = tablesOf(context.knowledge);
  const installed = installedDriver(context);
  const program = foundByProgram(context);
  const served = program ?? servedCuda(context);
  if (installed !== null && !(installed.driver.serves === null)) {
    const relation = relationOf(wanted, installed.driver, tables);
    const have = `${driverLabel(installed.driver)} serves CUDA ${formatCudaMinor(installed.driver.serves)}`;
    if (relation !== null) {
      // A libcuda of another release (compat, or a driver inside a container) can serve more than the branch says.
      const printed = own(context, 'driver.cuda').find((fact) => {
        const cuda = parseCuda(fact.value);
        return cuda !== null && newer(wanted, cuda) === false;
      });
      if (relation === 'none' && printed !== undefined && program === null)
        return { answer: null, facts: [installed.fact, printed], have };
      return { answer: relation !== 'none', facts: [installed.fact], have };
    }
  }
  if (served === null) return { answer: null, facts: [], have: '' };
  const have = `the driver serves CUDA ${formatCudaMinor(served.cuda)}`;
  if (newer(wanted, served.cuda) === false) return { answer: true, facts: [served.fact], have };
  if (wanted.major !== served.cuda.major)
    return { answer: wanted.major < served.cuda.major, facts: [served.fact], have };
  const floor = floorOf(wanted, false, tables);
  return { answer: floor === null ? null : floor.perMajor, facts: [served.fact], have };
}

/** libcuda lacks a call that the program looks for: its file name is the release of the driver. */
function olderLibcuda(context: RuleContext): Fault | null {
  const [said] = saidOf(context, 'libcuda-lacks-call');
  if (said === undefined || works(context)) return null;
  const { have, call } = said.value.captures;
  return {
    kind: 'fault',
    certainty: said.told ? 'likely' : 'proved',
    message: `the program looks for ${call ?? 'a call'}, and libcuda of driver ${have ?? 'here'} does not have it`,
    seen: seenOf(said),
    remedies: [],
    weight: 3,
  };
}

/** A solver that knows the CUDA of the driver as a virtual package. */
function solverNeeds(context: RuleContext): Fault | null {
  for (const said of saidOf(context, 'conda-cuda-needed')) {
    const need = parseCuda(said.value.captures['need'] ?? '');
    const named = parseCuda(said.value.captures['have'] ?? '');
    const served = named === null ? servedCuda(context) : { cuda: named, fact: said };
    if (need === null || served === null || newer(need, served.cuda) !== true) continue;
    return {
      kind: 'fault',
      certainty: said.told || served.fact.told ? 'likely' : 'proved',
      message: `the package needs a driver for CUDA ${need.minor === null ? need.major : formatCudaMinor(need)}, and this one serves CUDA ${formatCudaMinor(served.cuda)}`,
      seen: seenOf(said, served.fact),
      remedies: [],
      weight: 3,
    };
  }
  return null;
}

function floorText(context: RuleContext, wanted: CudaVersion): string {
  const floor = floorOf(wanted, installedDriver(context)?.driver.windows ?? false, tablesOf(context.knowledge));
  return floor === null ? '' : `, which needs driver ${floor.driver} or newer`;
}

export const driverBelowToolkitMinimum: Rule = defineRule({
  id: 'driver/driver-below-toolkit-minimum',
  summary: 'The driver is older than the CUDA version of the program allows',
  needs: [],
  anyOf: [
    'said.cuda-call-failed',
    'said.cuda-insufficient-driver',
    'said.pt-driver-too-old',
    'said.cuda-call-requires-newer-driver',
    'said.driver-cuda-too-low',
    'said.driver-release-too-low',
    'said.conda-cuda-needed',
    'said.libcuda-lacks-call',
    'torch.cuda',
    'toolkit.runtime',
  ],
  uses: [
    'driver.module',
    'driver.version',
    'driver.cuda',
    'torch.version',
    'torch.cuda-available',
    'image.cuda',
    'image.reference',
    'package',
    'driver.library',
    'said.newer-driver-helped',
    'said.compat-libcuda-in-use',
    'said.ngc-compat-enabled',
  ],
  citations: ['cuda-release-notes', 'cuda-minor-version-compat'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'said.jax-*',
    'said.ggml-*',
    'said.driver-*',
    'said.vllm-*',
    'said.cupy-*',
    'said.numba-*',
    'said.libcuda-lacks-call',
    'said.lib-symbol-missing',
    'said.conda-*',
    'said.package-solver-failed',
    'toolkit/cublaslt-older-shadow',
    'framework/*',
    'image/image-gate-lower-than-content',
    'application/*',
  ],
  check(_, context) {
    const said = saidOf(context, ...refusals);
    const blind = noGpuSeen(context);
    const wanted = wantedCuda(context);
    const need = captured(saidOf(context, 'driver-cuda-too-low'), 'need');
    const needCuda = need === undefined ? null : parseCuda(need.value);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade the driver to a branch that serves this CUDA version',
        command: 'nvidia-smi --query-gpu=driver_version,name --format=csv',
      },
      {
        actor: 'developer' as const,
        do: 'or install a build of the framework for the CUDA version that the driver serves',
      },
      {
        actor: 'image-owner' as const,
        do: 'or, on data-center GPUs, add the cuda-compat package of the CUDA version to the image',
      },
    ];
    // The program names both versions itself.
    if (needCuda !== null && need !== undefined) {
      const program = foundByProgram(context);
      if (program !== null && newer(needCuda, program.cuda) === true) {
        const printed = servedCuda(context);
        const ofDriver =
          said.some((fact) => /driver/i.test(fact.seen[0]?.text ?? '')) ||
          (printed !== null && newer(needCuda, printed.cuda) === true);
        return {
          kind: 'fault',
          certainty: ofDriver && !program.fact.told ? 'proved' : 'likely',
          message: `the program needs CUDA ${formatCudaMinor(needCuda)}, and the driver serves CUDA ${formatCudaMinor(program.cuda)}`,
          seen: seenOf(...said, ...(installedDriver(context) === null ? [] : [installedDriver(context)!.fact])).filter(
            (each) => !each.text.startsWith('# '),
          ),
          remedies,
          weight: 3,
        };
      }
    }
    const older = olderLibcuda(context) ?? solverNeeds(context);
    if (older !== null) return { ...older, remedies };
    const release = saidOf(context, 'driver-release-too-low')[0];
    if (release !== undefined) {
      const have = parseDriver(release.value.captures['have'] ?? '');
      const least = parseDriver(release.value.captures['need'] ?? '');
      if (have !== null && least !== null && driverAtLeast(have, least) === false) {
        return {
          kind: 'fault',
          certainty: release.told ? 'likely' : 'proved',
          message: `the program needs driver ${least.text}, and ${have.text} is installed`,
          seen: seenOf(release),
          remedies,
          weight: 3,
        };
      }
    }
    const short = wanted
      .map((each) => ({ each, judged: runs(context, each.cuda) }))
      .find(({ judged }) => judged.answer === false);
    const refused = said.filter(
      (fact) => fact.id !== 'said.driver-cuda-too-low' && fact.id !== 'said.driver-release-too-low',
    );
    const failing = refused.length > 0 || blind !== undefined;
    if (short !== undefined && (failing || !works(context))) {
      const { each, judged } = short;
      const basis: readonly Fact[] = [each.fact, ...judged.facts];
      // An image tag or a told version says what is there, not what the program loads.
      const decided =
        failing && basis.every((fact) => !fact.told) && (refused.some((fact) => !fact.told) || blind?.told === false);
      return {
        kind: 'fault',
        certainty: decided ? 'proved' : 'likely',
        message: `${judged.have}, but ${each.what} is built with CUDA ${formatCudaMinor(each.cuda)}${floorText(context, each.cuda)}`,
        seen: decided
          ? seenOf(...refused.filter((fact) => !fact.told), blind, ...basis)
          : seenOf(...refused, blind, ...basis),
        remedies,
        missing: failing
          ? []
          : [
              {
                fact: 'torch.cuda-available',
                ask: 'python -c "import torch; print(torch.version.cuda, torch.cuda.is_available())"',
              },
            ],
        // An image that declares what it needs is judged by that first.
        weight: own(context, 'image.requirement').length > 0 ? 1 : 3,
      };
    }
    const fits = wanted
      .map((each) => ({ each, judged: runs(context, each.cuda) }))
      .find(({ judged }) => judged.answer === true);
    const newest: Wanted | undefined = wanted[0];
    const program = foundByProgram(context);
    if (refused.length > 0 && program !== null && !(fits !== undefined && program === null)) {
      return {
        kind: 'fault',
        certainty: 'likely',
        message: `the program refuses the driver as too old: it serves CUDA ${formatCudaMinor(program.cuda)}`,
        seen: seenOf(...refused),
        remedies,
        missing:
          newest === undefined
            ? [
                {
                  fact: 'torch.cuda',
                  ask: 'python -c "import torch; print(torch.__version__, torch.version.cuda)"; nvidia-smi --query-gpu=driver_version --format=csv,noheader',
                },
              ]
            : [],
        weight: 2,
      };
    }
    if (fits !== undefined) {
      const call = saidOf(context, 'cuda-call-requires-newer-driver')[0];
      if (call !== undefined) {
        return {
          kind: 'fault',
          certainty: 'likely',
          message: `${fits.judged.have} and runs CUDA ${formatCudaMinor(fits.each.cuda)}, but not the newer call that the program makes`,
          seen: seenOf(call, fits.each.fact, ...fits.judged.facts),
          remedies,
          weight: 2,
        };
      }
      return {
        kind: 'cleared',
        because: `${fits.judged.have}: programs of CUDA ${formatCudaMinor(fits.each.cuda)} run on it`,
        seen: seenOf(fits.each.fact, ...fits.judged.facts),
      };
    }
    const lead = refused[0];
    if (lead === undefined) return { kind: 'silent' };
    // Without the compute capability the container has no libcuda at all, and the error is the same.
    const capabilities = own(context, 'env').find((fact) => fact.value.name === 'NVIDIA_DRIVER_CAPABILITIES');
    const noLibcuda =
      (capabilities !== undefined && !/compute|all|^$/.test(capabilities.value.value)) ||
      own(context, 'driver.cuda-missing').length > 0;
    const helped = context.all('said.newer-driver-helped');
    const installed = installedDriver(context);
    const names =
      lead.id === 'said.pt-driver-too-old' ||
      lead.id === 'said.cuda-call-requires-newer-driver' ||
      helped.length > 0 ||
      (lead.id === 'said.cuda-insufficient-driver' && installed !== null);
    return {
      kind: 'fault',
      certainty: names && !noLibcuda ? 'likely' : 'possible',
      message:
        installed === null
          ? 'the driver is older than the CUDA runtime of the program, or there is none'
          : `the program refuses driver ${installed.text} as too old for its CUDA runtime`,
      seen: seenOf(...refused, installed?.fact, ...helped.slice(0, 1)),
      remedies,
      missing: [
        installed === null
          ? {
              fact: 'driver.version',
              ask: 'nvidia-smi --query-gpu=driver_version --format=csv,noheader; cat /proc/driver/nvidia/version',
            }
          : {
              fact: 'toolkit.runtime',
              ask: 'python -c "import torch; print(torch.version.cuda)"; ldconfig -p | grep libcudart',
            },
      ],
      weight: 2,
    };
  },
});
