import { compareDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import { compatOfDriver, compatOfPackage, forwardCompatSteps } from './forward-compat.ts';
import type { CompatInUse } from './forward-compat.ts';
import { capabilityText } from './gpu-name.ts';
import type { Gpu } from './gpu-name.ts';
import { formatCudaMinor } from '../versions/cuda.ts';
import { driverLabel } from './host-driver.ts';
import type { HostDriver } from './host-driver.ts';
import {
  checksRequirement,
  compatChoice,
  parseContainerToolkit,
  possibleModes,
  toolkitGenerations,
} from './injection.ts';
import type { RealMode } from './injection.ts';
import type { ImageContent } from './image-lookup.ts';
import type { Question } from './question.ts';
import { evaluateRequirement, isDisabled } from './requirement.ts';
import type { RequirementHost } from './requirement.ts';
import { fails, holds, isOpen } from './step.ts';
import type { Step } from './step.ts';
import type { Tables } from './tables.ts';

/** One way in which the program can meet the host: what the container start does, and which libcuda is loaded. */
export interface Situation {
  readonly steps: readonly Step[];
  /** The compat libcuda in use; null: the host's own libcuda. */
  readonly compat: CompatInUse | null;
  /** What would change if compat were switched on, for `needs`. */
  readonly hint: string | null;
  /** Which libcuda is loaded cannot be told: nothing that rests on it is judged. */
  readonly opaque?: boolean;
  /** What tells this situation from the others, for `unknown`. */
  readonly name: string | null;
}

const plain: Situation = { steps: [], compat: null, hint: null, name: null };

/** The situations that the question leaves possible. Outside containers there is one. */
export function situationsOf(
  question: Question,
  content: ImageContent | null,
  gpu: Gpu | null,
  driver: HostDriver | null,
  tables: Tables,
): readonly Situation[] {
  const typed = compatTyped(question, tables);
  if (typed === 'unread') {
    const text = question.compatPackage ?? question.compatDriver ?? '';
    const step = isOpen('forward-compat', `${text} is no compat package or driver that is known`, [], {
      as: 'cannot-tell',
      needs: 'the name of the compat package',
      missing: text,
    });
    return [{ ...plain, steps: [step], opaque: true }];
  }
  if (typed !== null) {
    return [{ ...plain, compat: typed, steps: driver === null ? [] : forwardCompatSteps(typed, gpu, driver, tables) }];
  }
  if (content === null || driver === null) return [plain];
  const toolkit = question.containerToolkit === undefined ? null : parseContainerToolkit(question.containerToolkit);
  const modes = possibleModes(question.injectionMode, toolkit);
  const toolkits = toolkit === null ? toolkitGenerations : [toolkit];
  const situations: Situation[] = [];
  for (const mode of modes) {
    for (const version of toolkits) {
      if (question.injectionMode === 'auto' && toolkit === null && (mode === 'legacy') !== isBefore118(version))
        continue;
      // jit-cdi came with 1.18; before it a container that was not legacy was started from a CDI file.
      if (question.injectionMode === undefined && mode !== 'legacy' && (mode === 'jit-cdi') === isBefore118(version))
        continue;
      const name = `${mode}, container toolkit ${version.join('.')}`;
      situations.push(...containerSituations(question, content, gpu, driver, mode, version, name, tables));
    }
  }
  return distinct(situations);
}

function isBefore118(version: readonly number[]): boolean {
  return (version[0] ?? 0) === 1 && (version[1] ?? 0) < 18;
}

/** The compat libcuda that the question says is in use. */
function compatTyped(question: Question, tables: Tables): CompatInUse | null | 'unread' {
  if (question.compatPackage === undefined && question.compatDriver === undefined) return null;
  const byPackage = question.compatPackage === undefined ? null : compatOfPackage(question.compatPackage);
  const byDriver = question.compatDriver === undefined ? null : compatOfDriver(question.compatDriver, tables);
  if (byPackage === null && byDriver === null) return 'unread';
  const base =
    byPackage === null
      ? (byDriver as CompatInUse)
      : { ...byPackage, driver: byDriver?.driver ?? null, note: byDriver?.note ?? null };
  return question.compatNote === undefined ? base : { ...base, note: question.compatNote };
}

function containerSituations(
  question: Question,
  content: ImageContent,
  gpu: Gpu | null,
  driver: HostDriver,
  mode: RealMode,
  toolkit: readonly number[],
  name: string,
  tables: Tables,
): readonly Situation[] {
  const check = requirementStep(question, content, gpu, driver, mode);
  const steps = check === null ? [] : [check];
  if (check?.holds === false) return [{ ...plain, steps, name }];
  const uses = compatUse(question, content, gpu, driver, mode, toolkit, tables);
  return uses.map((use) => ({
    steps: [...steps, ...use.steps],
    compat: use.compat,
    hint: use.hint,
    name,
  }));
}

interface Use {
  readonly compat: CompatInUse | null;
  readonly steps: readonly Step[];
  readonly hint: string | null;
}

/** Is the image's compat libcuda in front? Two answers where the sources do not decide. */
function compatUse(
  question: Question,
  content: ImageContent,
  gpu: Gpu | null,
  driver: HostDriver,
  mode: RealMode,
  toolkit: readonly number[],
  tables: Tables,
): readonly Use[] {
  const compat = content.compat;
  const inside = compat === null ? null : insideDriver(compat, tables);
  const host: Use = { compat: null, steps: [], hint: null };
  if (compat === null || inside === null || driver.branch === null || driver.windows) return [host];
  const used = (): Use => ({ compat, steps: forwardCompatSteps(compat, gpu, driver, tables), hint: null });
  if (content.compatBy === 'entrypoint') {
    if (question.entrypoint === 'replaced')
      return [{ ...host, hint: 'the entrypoint kept (it switches the compat libraries on)' }];
    if (compareDriver(inside, driver.version) <= 0 || inside.branch === driver.branch.branch) return [host];
    // The entrypoint tries the compat libraries and leaves them off where the GPU or the base refuses.
    const steps = forwardCompatSteps(compat, gpu, driver, tables);
    if (steps.some((step) => step.holds === false)) return [host];
    return steps.every((step) => step.holds === true) ? [used()] : [{ ...used(), steps: [] }, host];
  }
  const supported = tables.matrix
    .get(compat.package ?? '')
    ?.bases.some((base) => base.branch === driver.branch?.branch && base.pairing === 'compatible');
  const note = compat.note ?? (supported === true ? [driver.branch.branch] : undefined);
  const choice = compatChoice(toolkit, mode, inside, driver.version, note);
  const hint =
    choice.used === false && inside.branch > driver.branch.branch
      ? 'container toolkit 1.17.7 or newer (it uses the compat libraries of the image)'
      : null;
  if (choice.used === true) return [used()];
  return choice.used === false ? [{ ...host, hint }] : [used(), host];
}

function insideDriver(compat: CompatInUse, tables: Tables): DriverVersion | null {
  if (compat.driver !== null) return compat.driver;
  const branch = tables.toolkits.get(formatCudaMinor(compat.cuda))?.branch;
  return branch === undefined ? null : { branch, parts: [branch], partial: true, text: String(branch) };
}

/** Does the start check let the container through? Null where nothing is checked. */
export function requirementStep(
  question: Question,
  content: ImageContent,
  gpu: Gpu | null,
  driver: HostDriver,
  mode: RealMode,
): Step | null {
  const rule = 'image-requirement';
  const sources = ['container-toolkit-constraints', 'container-toolkit-source'];
  const kind = checksRequirement(mode);
  if (kind === 'no') return null;
  if (question.disableRequire === true || isDisabled(content.env))
    return holds(rule, 'NVIDIA_DISABLE_REQUIRE skips the start check', sources);
  if (content.requirements === null) {
    const cuda = content.programs[0]?.cuda ?? null;
    const serves = driver.serves;
    if (cuda === null) return null;
    if (
      cuda !== null &&
      serves !== null &&
      (serves.major > cuda.high.major ||
        (serves.major === cuda.high.major && (serves.minor ?? 0) >= (cuda.high.minor ?? 0)))
    )
      return null;
    return isOpen(rule, `the start requirement of ${content.label} is in no table`, sources, {
      as: 'cannot-tell',
      needs: 'NVIDIA_REQUIRE_CUDA of the image: docker image inspect',
      missing: `NVIDIA_REQUIRE_CUDA of ${content.label}`,
    });
  }
  const host = requirementHost(gpu, driver);
  for (const requirement of content.requirements) {
    const result = evaluateRequirement(requirement, host, kind === 'cuda-and-arch');
    if (result.holds === true) continue;
    if (result.holds === false && result.invalid)
      return fails(
        rule,
        `the start check refuses: it cannot read ${requirement.name}=${requirement.text.slice(0, 200)}`,
        sources,
        'invalid expression',
        `terms like cuda>=12.4 in ${requirement.name}, or NVIDIA_DISABLE_REQUIRE=1`,
      );
    if (result.holds === false) {
      const branch = branchFor(result.quoted);
      const needs = `${branch === null ? 'a newer driver' : branch}, or NVIDIA_DISABLE_REQUIRE=1${requirement.name === 'CUDA_VERSION' ? ', or NVIDIA_REQUIRE_CUDA set in the image' : ''}`;
      return fails(
        rule,
        `the start check refuses: ${requirement.name} asks for ${result.quoted}, ${driverLabel(driver)} does not meet it`,
        sources,
        `unsatisfied condition: ${result.quoted}`,
        needs,
      );
    }
    return isOpen(
      rule,
      `whether ${driverLabel(driver)} passes the start check of ${content.label} depends on what is not given`,
      sources,
      {
        as: 'cannot-tell',
        needs: gpu === null ? 'the GPU model' : 'the full driver version and the GPU model',
        missing: gpu === null ? 'GPU model' : 'driver version or GPU brand',
      },
    );
  }
  return holds(
    rule,
    content.requirements.length === 0 ? 'the image states no requirement' : 'the start check passes',
    sources,
  );

  function branchFor(quoted: string): string | null {
    const match = /^cuda>=(\d{1,2}\.\d{1,2})/i.exec(quoted);
    return match === null ? null : `a driver that serves CUDA ${match[1]}`;
  }
}

/** What the start check compares with on this host. */
export function requirementHost(gpu: Gpu | null, driver: HostDriver | null): RequirementHost {
  return {
    cuda: driver?.serves == null ? null : formatCudaMinor(driver.serves),
    driver: driver?.version.text ?? null,
    driverIsBranch: driver?.version.partial ?? false,
    arch: gpu === null ? null : capabilityText(gpu.sm),
    brands: gpu === null ? [] : brandsOf(gpu),
  };
}

/** NVML brands that a class of GPU can report. */
function brandsOf(gpu: Gpu): readonly string[] {
  switch (gpu.class) {
    case 'data-center':
      return ['tesla', 'nvidia'];
    case 'geforce':
      return ['geforce', 'geforcertx'];
    case 'titan':
      return ['titan', 'titanrtx'];
    case 'workstation':
      return ['quadro', 'quadrortx', 'nvidiartx'];
    case 'jetson':
    case 'integrated':
      return ['nvidia', 'unknown'];
    case null:
      return ['tesla', 'nvidia', 'geforce', 'geforcertx', 'titan', 'titanrtx', 'quadro', 'quadrortx', 'nvidiartx'];
  }
}

/** Drops situations that say the same. */
function distinct(situations: readonly Situation[]): readonly Situation[] {
  const seen = new Set<string>();
  return situations.filter((one) => {
    const key = `${one.compat?.package ?? ''}|${one.hint ?? ''}|${one.steps.map((step) => `${step.rule}${String(step.holds)}${step.message}`).join('|')}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
