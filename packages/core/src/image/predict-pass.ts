// One way of starting a container on a node, from the start check to the answer.
import type { Gpu } from '../compat/gpu-name.ts';
import type { HostDriver } from '../compat/host-driver.ts';
import type { ImageContent } from '../compat/image-lookup.ts';
import { checksRequirement } from '../compat/injection.ts';
import type { Question } from '../compat/question.ts';
import { evaluateRequirement, isDisabled, requirementsOf, requirementTruths } from '../compat/requirement.ts';
import type { Requirement } from '../compat/requirement.ts';
import { requirementHost, requirementStep } from '../compat/situations.ts';
import { outcomeOf } from '../compat/outcome.ts';
import { toClause } from '../compat/step.ts';
import type { Step } from '../compat/step.ts';
import type { Tables } from '../compat/tables.ts';
import { compareDriver, parseDriver } from '../versions/driver.ts';
import type { ImageContents } from './contents.ts';
import type { CompatBy, Injected, Node, Prediction, ScannedImage } from './model.ts';
import { parseDockerVersion } from './node.ts';
import { libcudaCases } from './predict-cases.ts';
import type { LibcudaCase } from './predict-cases.ts';
import { ruled, rulingOf } from './predict-judge.ts';
import type { Ruling } from './predict-judge.ts';
import { capabilitiesOf, injectedBy } from './predict-start.ts';
import type { Start } from './predict-start.ts';
import type { Runnable } from './predict-programs.ts';
import type { ImageTree } from './tree.ts';

export interface PassOf {
  readonly image: ScannedImage;
  readonly contents: ImageContents;
  readonly tree: ImageTree;
  readonly tables: Tables;
  /** What is known of the image by its name, where its layers were not read. */
  readonly known: ImageContent | null;
  readonly runnables: readonly Runnable[];
  readonly node: Node;
  readonly driver: HostDriver | null;
  readonly gpu: Gpu | null;
  readonly question: Question;
}

/** What one way comes to. */
export interface Pass extends Ruling {
  readonly start: Start;
  readonly gpu: Gpu | null;
  readonly requirement: Prediction['requirement'];
  readonly starts: boolean | null;
  readonly compat: { readonly used: boolean | null; readonly by: CompatBy | null };
  readonly libcuda: Prediction['libcuda'];
  readonly injects: Injected | null;
  /** Why this is one of several. */
  readonly unsure: string | null;
}

const nothing: Pick<Pass, 'compat' | 'libcuda'> = {
  compat: { used: null, by: null },
  libcuda: { kind: null, version: null, path: null },
};

/** Every way in which one start can go: one, or several where the sources do not decide. */
export function passOf(of: PassOf, start: Start): readonly Pass[] {
  const env = envOf(of.image);
  const requirement = requirementPart(of, start, env);
  const capabilities = capabilitiesOf(env);
  const shared = { start, gpu: of.gpu, requirement, injects: injectsOf(of, start, capabilities), unsure: null };
  const refusal = refusalOf(of, start, env);
  if (refusal !== null) return [{ ...shared, ...nothing, ...refusal.ruling, starts: refusal.starts, injects: null }];
  const check = start.mode === 'none' || of.driver === null ? null : checkStep(of, start, env);
  if (check?.holds === false) {
    const outcome = outcomeOf([check], 'image-requirement', null);
    const ruling = {
      ...ruled('does-not-run', outcome.rule, outcome.message),
      errorSeen: outcome.error,
      needs: outcome.needs,
      clauses: [toClause(check)],
    };
    return [{ ...shared, ...nothing, ...ruling, starts: false, injects: null }];
  }
  const asks = asksForDevices(of, start, env);
  if (asks.undecided !== null) return [{ ...shared, ...nothing, ...asks.undecided, starts: null, injects: null }];
  const host = hostLibrary(of, start, capabilities.names);
  const cases = libcudaCases({ ...of, env, host }, start);
  // Without a driver the check has nothing to compare with.
  const checkOpen =
    (check !== null && check.holds === null) ||
    (of.driver === null && requirement.checked !== false && requirement.holds !== true);
  return cases.map((each) => {
    const ruling = rulingFor(of, start, each, check);
    const ghosts = ghostsIn(of.contents, start);
    const undecided = ghosts !== null && ruling.answer !== 'does-not-run';
    return {
      ...shared,
      ...ruling,
      ...(undecided
        ? {
            answer: 'cannot-tell' as const,
            rule: 'image/driver-ghost-files-in-image',
            message: ghosts,
            needs: 'an image without empty driver files',
          }
        : {}),
      unknown: [...new Set([...ruling.unknown, ...asks.notes, ...(ghosts === null ? [] : [ghosts])])],
      starts: checkOpen || ghosts !== null ? null : true,
      compat: { used: each.kind === 'compat', by: each.by },
      libcuda: { kind: each.kind, version: each.version, path: each.path },
      unsure: each.unsure,
    };
  });
}

/** The folder of legacy mode is that of the image's distribution, which only its layers tell. */
function injectsOf(of: PassOf, start: Start, capabilities: ReturnType<typeof capabilitiesOf>): Injected | null {
  const injected = injectedBy(start, capabilities);
  return injected !== null && start.mode === 'legacy' && of.contents.quick ? { ...injected, folder: null } : injected;
}

function envOf(image: ScannedImage): Readonly<Record<string, string>> {
  return Object.fromEntries((image.config?.env ?? []).map((each) => [each.name, each.value]));
}

function requirementsIn(of: PassOf, env: Readonly<Record<string, string>>): readonly Requirement[] | null {
  return of.image.config === null ? null : requirementsOf(env);
}

/** Whether the requirement is checked, and the truth of every term by both evaluators. */
function requirementPart(of: PassOf, start: Start, env: Readonly<Record<string, string>>): Prediction['requirement'] {
  const requirements = requirementsIn(of, env);
  const kind = start.mode === 'none' ? 'no' : checksRequirement(start.mode);
  const off = of.node.disableRequire === true || isDisabled(env);
  const checked =
    requirements === null ? (kind === 'no' || off ? false : null) : kind !== 'no' && !off && requirements.length > 0;
  if (requirements === null) return { checked, holds: null, terms: [] };
  const host = requirementHost(of.gpu, of.driver);
  const truths = requirements.map((each) => evaluateRequirement(each, host, kind === 'cuda-and-arch').holds);
  const holds = truths.includes(false) ? false : truths.includes(null) ? null : true;
  const seen = new Set<string>();
  const terms = requirements
    .flatMap((each) => requirementTruths(each, host))
    .filter((each) => !seen.has(each.term) && seen.add(each.term) !== undefined)
    .map(({ term, holds: byCli, inCsv }) => {
      if (kind === 'cuda-and-arch') return { term, holds: inCsv };
      return byCli === inCsv ? { term, holds: byCli } : { term, holds: byCli, inCsv };
    });
  return { checked, holds, terms };
}

/** The clause of the start check; null where nothing is checked. */
function checkStep(of: PassOf, start: Start, env: Readonly<Record<string, string>>): Step | null {
  if (of.driver === null || start.mode === 'none') return null;
  const content: ImageContent = {
    label: of.image.reference,
    programs: of.runnables[0]?.builds ?? [],
    compat: null,
    compatBy: 'nobody',
    requirements: requirementsIn(of, env),
    requirementVerbatim: true,
    env,
  };
  const question =
    of.node.disableRequire === undefined ? of.question : { ...of.question, disableRequire: of.node.disableRequire };
  return requirementStep(question, content, of.gpu, of.driver, start.mode);
}

interface Refusal {
  readonly starts: false | null;
  readonly ruling: Ruling;
}

/** Why the container does not start, whatever the image asks of the driver. */
function refusalOf(of: PassOf, start: Start, env: Readonly<Record<string, string>>): Refusal | null {
  const { node } = of;
  const wrong = platformOf(of);
  if (wrong !== null) return { starts: false, ruling: wrong };
  if (start.mode === 'none') return null;
  const docker = node.docker === undefined ? null : parseDockerVersion(node.docker);
  if (
    node.start === 'gpus' &&
    (start.mode === 'jit-cdi' || start.mode === 'csv') &&
    docker !== null &&
    (docker[0] ?? 0) < 29
  )
    return no(
      'container-runtime/container-toolkit-not-configured',
      `docker --gpus runs the hook itself, which mode ${start.mode} refuses`,
      'invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not supported',
      'the nvidia runtime (--runtime=nvidia) or CDI (--device nvidia.com/gpu=all)',
    );
  const { unsupported } = capabilitiesOf(env);
  if (start.mode === 'legacy' && unsupported.length > 0)
    return no(
      'container-runtime/driver-capabilities-lack-compute',
      `NVIDIA_DRIVER_CAPABILITIES names ${unsupported.join(', ')}, which the toolkit does not know`,
      `unsupported capabilities found in '${env['NVIDIA_DRIVER_CAPABILITIES'] ?? ''}'`,
      'NVIDIA_DRIVER_CAPABILITIES=compute,utility',
    );
  return filesChanged(of, start);
}

/** The driver on disk is another one than the loaded module, or the CDI file names one that is gone. */
function filesChanged(of: PassOf, start: Start): Refusal | null {
  const { node } = of;
  if (node.started === 'before' || node.driver === undefined) return null;
  const library = node.library;
  const changed = library !== undefined && different(library, node.driver);
  const onDisk = library ?? node.driver;
  if (start.mode === 'cdi' && node.cdiSpec !== undefined && different(node.cdiSpec, onDisk))
    return no(
      'container-runtime/cdi-spec-stale',
      `the CDI specification names driver ${node.cdiSpec}, on disk is ${onDisk}`,
      `libcuda.so.${node.cdiSpec}: no such file or directory`,
      'nvidia-ctk cdi generate on the node',
    );
  if (!changed) return null;
  const rule = 'driver/kmod-userspace-mismatch-after-upgrade';
  const message = `the loaded kernel module is ${node.driver}, the driver libraries on disk are ${onDisk}`;
  const needs = 'a reboot of the node, or the modules reloaded';
  if (start.mode === 'legacy')
    return no(
      rule,
      message,
      'nvidia-container-cli: initialization error: nvml error: driver/library version mismatch',
      needs,
    );
  return {
    starts: null,
    ruling: ruled('cannot-tell', rule, message, {
      needs,
      unknown: [
        start.mode === 'cdi'
          ? 'driver release that the CDI specification names'
          : `what mode ${start.mode} does with two driver releases`,
      ],
    }),
  };
}

function different(a: string, b: string): boolean {
  const [left, right] = [parseDriver(a), parseDriver(b)];
  return left !== null && right !== null && compareDriver(left, right) !== 0;
}

function no(rule: string, message: string, errorSeen: string, needs: string): Refusal {
  return { starts: false, ruling: ruled('does-not-run', rule, message, { errorSeen, needs }) };
}

/** An image of another processor. */
function platformOf(of: PassOf): Ruling | null {
  const wanted = of.node.platform ?? (of.gpu?.class === 'jetson' ? 'linux/arm64' : undefined);
  if (wanted === undefined) return null;
  const [os, architecture] = wanted.split('/');
  const [ownOs, own] = of.image.platform.split('/');
  if (os === ownOs && architecture === own) return null;
  if (own === undefined || own === 'unknown') return null;
  return ruled(
    'does-not-run',
    'image/image-wrong-platform',
    `the image is for ${of.image.platform}, the node is ${wanted}`,
    {
      errorSeen: 'exec format error',
      needs: `the image for ${wanted}`,
    },
  );
}

/** NVIDIA_VISIBLE_DEVICES of the image, where nothing else asks for devices. */
function asksForDevices(
  of: PassOf,
  start: Start,
  env: Readonly<Record<string, string>>,
): { readonly undecided: Ruling | null; readonly notes: readonly string[] } {
  if (start.mode === 'none' || of.image.config === null) return { undecided: null, notes: [] };
  const value = env['NVIDIA_VISIBLE_DEVICES'];
  const words = (value ?? '').split(',').map((word) => word.trim());
  if (value !== undefined && (words.includes('void') || words[0] === 'none' || value.trim() === ''))
    return {
      undecided: ruled(
        'cannot-tell',
        'container-runtime/visible-devices-not-set',
        `the image sets NVIDIA_VISIBLE_DEVICES=${value}: unless the start says otherwise, no GPU is passed`,
        {
          needs: 'NVIDIA_VISIBLE_DEVICES as it is when the container starts',
          unknown: ['NVIDIA_VISIBLE_DEVICES at the start'],
        },
      ),
      notes: [],
    };
  const { node } = of;
  const asked = node.start === 'gpus' || node.start === 'cdi' || node.deviceList !== undefined;
  const old = env['CUDA_VERSION'] !== undefined && env['NVIDIA_REQUIRE_CUDA'] === undefined;
  const unset = value === undefined && !asked && !old;
  return { undecided: null, notes: unset ? ['NVIDIA_VISIBLE_DEVICES at the start: the image does not set it'] : [] };
}

/** Release of the libcuda that the start brings; null where it brings none. */
function hostLibrary(of: PassOf, start: Start, capabilities: readonly string[]): string | null {
  if (start.mode === 'none' || (start.mode === 'legacy' && !capabilities.includes('compute'))) return null;
  return of.node.driver ?? '';
}

function rulingFor(of: PassOf, start: Start, libcuda: LibcudaCase, check: Step | null): Ruling {
  const steps = check === null ? [] : [check];
  const ruling = rulingOf({ ...of, start: steps }, libcuda);
  if (start.mode === 'none' && libcuda.kind !== 'none' && libcuda.kind !== 'stub' && ruling.rule !== 'cpu-only')
    return ruled(
      'does-not-run',
      'container-runtime/container-toolkit-not-configured',
      'no GPU is passed into the container',
      { errorSeen: '100', needs: 'a start that injects the driver' },
    );
  const capabilities = capabilitiesOf(envOf(of.image)).names;
  if (libcuda.kind === 'none' && start.mode === 'legacy' && !capabilities.includes('compute'))
    return {
      ...ruling,
      rule: 'container-runtime/driver-capabilities-lack-compute',
      message: 'NVIDIA_DRIVER_CAPABILITIES lacks compute: libcuda is not mounted',
      needs: 'NVIDIA_DRIVER_CAPABILITIES=compute,utility',
    };
  if (of.contents.search.musl && start.mode !== 'none' && ruling.answer !== 'does-not-run')
    return {
      ...ruling,
      answer: 'cannot-tell',
      message: 'the image has musl, the driver libraries are made for glibc',
      needs: 'an image with glibc',
    };
  return ruling;
}

/** Empty driver files of an earlier start where the driver's are to be mounted. */
function ghostsIn(contents: ImageContents, start: Start): string | null {
  if (start.folder === null) return null;
  const inside = [
    ...contents.libcuda.filter((each) => each.kind === 'ghost'),
    ...contents.hostThings.filter((each) => each.kind === 'driver-library' && each.bytes === 0),
  ];
  const found = inside.find((each) => each.path.startsWith(`${start.folder ?? ''}/`));
  return found === undefined ? null : `whether the start gets past the empty file ${found.path}`;
}
