import { formatCudaMinor } from '../versions/cuda.ts';
import { codeNeeded, codeOn, impossibleTarget, jitReads, toolkitReach } from './binary-arch.ts';
import { rangeText } from './cuda-range.ts';
import type { Relation } from './floors.ts';
import { compatThatHelps } from './forward-compat.ts';
import { gpuLabel } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import type { Program } from './program.ts';
import type { Question } from './question.ts';
import type { Situation } from './situations.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

const contentsNeeded = 'machine code (SASS) for this GPU in the program, and no call that only newer drivers have';

/** Everything that one pass needs; each part may be unknown. */
export interface Setting {
  readonly question: Question;
  readonly gpu: Gpu | null;
  readonly driver: HostDriver | null;
  readonly program: Program | null;
  readonly situation: Situation;
  readonly tables: Tables;
}

/** Is there code for the GPU, or PTX that the driver can compile? */
export function codeSteps(
  program: Program,
  relation: Relation,
  loaded: HostDriver | null,
  setting: Setting,
): readonly Step[] {
  const { gpu, tables } = setting;
  const label = gpu === null ? 'the GPU' : gpuLabel(gpu);
  const restsOn = ['blackwell-compatibility-guide', ...program.restsOn];
  const stale = onlyNewPtx(program, loaded, tables);
  if (stale !== null && gpu === null) return [stale];
  if (gpu === null) {
    if (setting.question.gpu !== undefined || setting.question.computeCapability !== undefined) return [];
    if (program.code !== null || program.codeUnknown !== null) {
      return [
        isOpen('binary-arch', `which GPU it is is not known, and the code in ${program.label} decides`, restsOn, {
          as: 'cannot-tell',
          needs: 'the GPU model or compute capability',
          missing: 'GPU model',
        }),
      ];
    }
    return relation === 'minor-version' ? [contentsOpen(program, restsOn)] : [];
  }
  if (program.minSm !== null && gpu.sm < program.minSm) {
    return [
      fails(
        'binary-arch',
        `${program.label} supports GPUs from ${Math.floor(program.minSm / 10)}.${program.minSm % 10} on; ${label} is older`,
        program.restsOn,
        '209',
        'an older release or a build for this GPU',
      ),
    ];
  }
  if (program.code === null) {
    if (program.codeUnknown !== null) {
      return [
        isOpen('binary-arch', program.codeUnknown, restsOn, {
          as: 'cannot-tell',
          needs: 'the architecture list of the build: torch.cuda.get_arch_list()',
          missing: `architectures of ${program.label}`,
        }),
      ];
    }
    return unknownContents(program, relation, gpu, restsOn, tables);
  }
  const impossible =
    program.kind === 'binary' && program.cuda !== null ? impossibleTarget(program.code, program.cuda, tables) : null;
  if (impossible !== null) {
    return [
      isOpen(
        'binary-arch',
        `CUDA ${program.cuda === null ? '' : rangeText(program.cuda)} does not make ${impossible}`,
        restsOn,
        { as: 'cannot-tell', needs: 'toolkit and targets that belong together', missing: `toolkit of ${impossible}` },
      ),
    ];
  }
  const verdict = codeOn(program.code, gpu, program.cuda, loaded?.serves ?? null, tables);
  switch (verdict.kind) {
    case 'sass':
      return [
        confirmedCode(
          program,
          relation,
          holds('binary-arch', `${verdict.target} in ${program.label} runs on ${label}`, restsOn),
        ),
      ];
    case 'ptx':
      return [
        confirmedCode(
          program,
          'ptx-jit',
          holds('ptx-jit', `the driver compiles ${verdict.target} of ${program.label} for ${label} at first start`, [
            ...restsOn,
            'cuda-minor-version-compat',
          ]),
        ),
      ];
    case 'ptx-too-new': {
      const serving =
        program.cuda === null ? undefined : tables.toolkits.get(formatCudaMinor(program.cuda.high))?.branch;
      const compat =
        program.cuda === null || setting.driver === null
          ? null
          : compatThatHelps(program.cuda.high, gpu, setting.driver, tables);
      const ways = [
        `sm_${gpu.sm} code`,
        serving === undefined ? 'a newer driver' : `driver ${serving} or newer`,
        ...(compat === null ? [] : [compat]),
      ];
      return [
        fails(
          'ptx-jit',
          `no machine code for ${label}, and ${verdict.target} made by CUDA ${program.cuda === null ? '' : rangeText(program.cuda)} is too new for the JIT of ${loaded === null ? 'the driver' : driverLabel(loaded)}`,
          [...restsOn, 'cuda-minor-version-compat'],
          '222',
          ways.join(', or '),
        ),
      ];
    }
    case 'open':
      return [
        isOpen('binary-arch', verdict.message, restsOn, {
          as: 'cannot-tell',
          needs: verdict.needs,
          missing: verdict.message,
        }),
      ];
    case 'none':
      return [noCode(program, gpu, restsOn, tables)];
  }
}

/** Nothing but PTX that the driver cannot compile runs on no GPU of it, whichever that is. */
function onlyNewPtx(program: Program, loaded: HostDriver | null, tables: Tables): Step | null {
  const { code, cuda } = program;
  if (code === null || code.sass.length > 0 || code.ptx.length === 0 || cuda === null || loaded?.serves == null)
    return null;
  if (jitReads(cuda.low, loaded.serves, tables) !== false) return null;
  return fails(
    'ptx-jit',
    `${program.label} holds PTX only, which is too new for the JIT of ${driverLabel(loaded)}`,
    ['blackwell-compatibility-guide', 'cuda-minor-version-compat', ...program.restsOn],
    '222',
    `machine code for the GPU, or a driver that serves CUDA ${rangeText(cuda)}`,
  );
}

function confirmedCode(program: Program, rule: Relation | 'ptx-jit' | 'none', step: Step): Step {
  if (program.code?.confirmed !== false) return step;
  return isOpen(step.rule, `${step.message}, by a list that was not confirmed`, step.restsOn, {
    as: 'runs-if',
    rule: rule === null || rule === 'none' ? 'binary-arch' : rule,
    needs: 'machine code (SASS) for this GPU in the wheel: torch.cuda.get_arch_list()',
    missing: `confirmed architectures of ${program.label}`,
  });
}

function noCode(program: Program, gpu: Gpu, restsOn: readonly string[], tables: Tables): Step {
  const list = program.code?.sass.map((name) => `sm_${name}`).join(', ') ?? '';
  const others = program.otherBuilds
    .filter((other) => codeOn(other.code, gpu, null, null, tables).kind === 'sass')
    .map((other) => other.label);
  const needs =
    others.length > 0
      ? `the ${others.join(' or ')} wheel`
      : program.kind === 'wheel'
        ? `a build with ${codeNeeded(gpu)}`
        : codeNeeded(gpu);
  const what = list === '' ? 'no machine code' : `code for ${list}`;
  if (program.code?.confirmed === false) {
    return isOpen(
      'binary-arch',
      `by a list that was not confirmed, ${program.label} holds ${what}, none for ${gpuLabel(gpu)}`,
      restsOn,
      { as: 'cannot-tell', needs, missing: `confirmed architectures of ${program.label}` },
    );
  }
  return fails(
    'binary-arch',
    `${program.label} holds ${what}: none runs on ${gpuLabel(gpu)}, and no PTX serves it`,
    restsOn,
    '209',
    needs,
  );
}

/** Contents not given: what the toolkit could have made decides, then minor version compatibility asks for machine code. */
function unknownContents(
  program: Program,
  relation: Relation,
  gpu: Gpu,
  restsOn: readonly string[],
  tables: Tables,
): readonly Step[] {
  if (program.cuda === null || !program.cuda.known) return [];
  const reach = toolkitReach(program.cuda, gpu, tables);
  const cuda = rangeText(program.cuda);
  const row = gpu.row;
  if (reach === 'nothing') {
    const last = row?.lastToolkit ?? '';
    return [
      fails(
        'binary-arch',
        `CUDA ${cuda} makes no code for ${gpuLabel(gpu)}; ${last} is the last that does`,
        [...restsOn, ...(row?.sources ?? [])],
        '209',
        `a CUDA ${last.split('.')[0] ?? ''}.x build`,
      ),
    ];
  }
  if (reach === 'ptx-only') {
    return [
      isOpen(
        'ptx-jit',
        `CUDA ${cuda} makes no machine code for ${gpuLabel(gpu)}: only plain PTX in the program helps`,
        restsOn,
        {
          as: 'runs-if',
          needs: `plain PTX (without a or f) in the program, or a build with CUDA ${row?.firstToolkit ?? ''} or newer`,
        },
      ),
    ];
  }
  return relation === 'minor-version' ? [contentsOpen(program, restsOn)] : [];
}

function contentsOpen(program: Program, restsOn: readonly string[]): Step {
  return isOpen(
    'binary-arch',
    `what is inside ${program.label} is not given`,
    [...restsOn, 'cuda-minor-version-compat'],
    { as: 'runs-if', rule: 'minor-version', needs: contentsNeeded },
  );
}
