import type { Document, Evidence } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import type { Finding } from '../model/verdict.ts';

// States that a later reading of the same text takes back, and repairs after which the same thing is tried another way.

/**
 * A later reading of the very state that a finding accuses: a row remap that no longer waits, a node that Slurm took
 * back, a pod that was placed after all and is ready.
 * @returns the later reading; undefined where the state was not read again, or the inputs have no common order
 */
export function overByLaterReading(
  finding: Finding,
  context: RuleContext,
  documents: readonly Document[],
): Fact | undefined {
  if (documents.length !== 1) return undefined;
  const last = Math.max(...finding.evidence.map((each) => each.line));
  const later = (fact: Fact): boolean => !fact.told && fact.seen.length > 0 && fact.seen.every((at) => at.line > last);
  switch (finding.cause) {
    case 'row-remap-pending-needs-reset':
      return remapDone(finding.evidence, context, later);
    case 'slurm-node-drained':
    case 'slurm-gres-count-mismatch':
      return backInService(finding.evidence, context);
    case 'vgpu-licence-missing':
      return (
        context.all('health.sign').find((fact) => later(fact) && /licence was acquired/.test(fact.value.what)) ??
        context.all('gpu.licence').findLast((fact) => later(fact) && /^licensed/i.test(fact.value.status))
      );
    default:
      return placedLater(finding.evidence, context, last) ?? podReady(finding.evidence, context);
  }
}

/** The controller took the node back, and did not take it out again. */
function backInService(evidence: readonly Evidence[], context: RuleContext): Fact | undefined {
  const accused = [
    ...context.said.filter((fact) => fact.id.startsWith('said.slurm-')),
    ...context.all('slurm.node'),
    ...context.all('slurm.reason'),
  ].filter((fact) => fact.seen.some((at) => evidence.some((each) => each.line === at.line)));
  const end = Math.max(...accused.map((fact) => fact.last ?? fact.order));
  const text = evidence.map((each) => each.text).join('\n');
  return context.all('health.sign').find((fact) => {
    const node = /^node (\S{1,80}) is back in service$/.exec(fact.value.what)?.[1];
    if (node === undefined || fact.told || accused.length === 0 || (fact.last ?? fact.order) <= end) return false;
    const named = text.indexOf(node);
    return named >= 0 && !/[\w-]/.test(text.charAt(named + node.length));
  });
}

function remapDone(
  evidence: readonly Evidence[],
  context: RuleContext,
  later: (fact: Fact) => boolean,
): Fact | undefined {
  const readings = context.all('gpu.remapped-rows');
  const accused = readings.filter((fact) => fact.seen.some((at) => evidence.some((each) => each.line === at.line)));
  if (accused.length === 0 || accused.some(({ value }) => value.failed === true)) return undefined;
  const again = accused.map((each) =>
    readings.findLast((fact) => later(fact) && fact.value.gpu === each.value.gpu && fact.scope === each.scope),
  );
  return again.every((fact) => fact !== undefined && fact.value.pending === false && fact.value.failed !== true)
    ? again[0]
    : undefined;
}

/** A pod could not be placed, and a later event of the same table places it. */
function placedLater(evidence: readonly Evidence[], context: RuleContext, last: number): Fact | undefined {
  const events = context.all('k8s.event').filter((fact) => !fact.told);
  const waited = events.filter(
    (fact) =>
      fact.value.reason === 'FailedScheduling' &&
      fact.seen.some((at) => evidence.some((each) => each.line === at.line)),
  );
  if (
    waited.length === 0 ||
    !evidence.every((each) => waited.some((fact) => fact.seen.some((at) => at.line === each.line)))
  )
    return undefined;
  return events.find(
    (fact) =>
      fact.value.reason === 'Scheduled' &&
      fact.seen.every((at) => at.line > last) &&
      waited.every((each) => each.value.object === fact.value.object) &&
      events.some((other) => other.value.reason === 'Started' && other.value.object === fact.value.object),
  );
}

/** An event kept a pod waiting, and the description of the same pod has it ready. */
function podReady(evidence: readonly Evidence[], context: RuleContext): Fact | undefined {
  const events = context
    .all('k8s.event')
    .filter((fact) => fact.seen.some((at) => evidence.some((each) => each.line === at.line)));
  if (
    events.length === 0 ||
    !evidence.every((each) => events.some((fact) => fact.seen.some((at) => at.line === each.line)))
  )
    return undefined;
  const ready = events.map(({ value }) => {
    const name = /^pod\/(\S{1,250})$/.exec(value.object ?? '')?.[1];
    const said = context
      .all('k8s.condition')
      .some(
        (fact) =>
          fact.value.kind === 'Pod' &&
          fact.value.type === 'Ready' &&
          fact.value.status === 'True' &&
          fact.value.name === name,
      );
    return name === undefined || !said
      ? undefined
      : context.all('k8s.pod').find((fact) => fact.value.name === name && fact.value.phase === 'Running');
  });
  return ready.every((fact) => fact !== undefined) ? ready[0] : undefined;
}

/** Commands that ask another machine or a container. */
const otherMachines = /^(?:sudo )?(?:ssh|pdsh|clush|pssh|salt|ansible|srun)\b/;
const containers = /^(?:sudo )?(?:kubectl|oc|docker|podman|nerdctl|apptainer|singularity|enroot)\b/;

/** True for a command that asks another machine. */
export function asksElsewhere(command: string | null): boolean {
  return command !== null && otherMachines.test(command);
}

function isHere(command: string | null): boolean {
  return command === null || (!otherMachines.test(command) && !containers.test(command));
}

const here: ReadonlySet<string> = new Set(['unknown', 'host']);

/** Layers of one machine, which answer for each other once they were repaired. */
const ofMachine: ReadonlySet<string> = new Set(['driver', 'host-os', 'fabric']);

/**
 * After a repair of the machine the driver answers, or a program counts its GPUs, by whatever command. A repair in a
 * container, or an answer from one, is another matter.
 */
export function answersAfterRepair(
  layer: string,
  failed: readonly Fact[],
  context: RuleContext,
  repaired: (until: number) => boolean,
): Fact | undefined {
  if (!ofMachine.has(layer) || !failed.every((fact) => here.has(fact.scope) && isHere(fact.command))) return undefined;
  const end = Math.max(...failed.map((fact) => fact.last ?? fact.order));
  const answers: readonly Fact[] = [
    ...context.all('torch.cuda-available').filter((fact) => fact.value),
    // A driver that answers says nothing of the fabric above it.
    ...(layer === 'fabric' ? [] : [...context.all('driver.answers'), ...context.all('works')]),
  ];
  return answers.find(
    (fact) =>
      (fact.last ?? fact.order) > end &&
      !fact.told &&
      here.has(fact.scope) &&
      fact.command !== null &&
      isHere(fact.command) &&
      repaired(fact.last ?? fact.order),
  );
}

/** How a program only shows what it found. */
const shows = / (?:-L|--list-gpus|-q|--query(?:-gpu)?=\S{1,200}|--format=\S{1,80})(?= |$)/g;

/** The same command, whatever way it was asked to show its answer. */
export function isSameTry(failed: string | null, worked: string | null): boolean {
  if (failed === null || worked === null) return false;
  const plain = (text: string): string => {
    const one = text.trim().replace(/\s+/g, ' ');
    return /\bnvidia-smi\b/.test(one) ? one.replace(shows, '') : one;
  };
  return plain(failed) === plain(worked);
}

const launchers =
  /^(?:python[\d.]{0,5}|torchrun|accelerate|deepspeed|srun|mpirun|mpiexec|bash|sh|uv|poetry|numactl|nohup|time|timeout|run|launch|env)$/;

/**
 * The same program with other arguments: the same script, or the same command of a tool with the same first argument. One
 * that runs only with a variable set for this run is not mended: the next run fails again.
 */
export function isSameProgram(failed: string | null, worked: string | null): boolean {
  const [a, b] = [programOf(failed), programOf(worked)];
  if (a === null || a !== b) return false;
  const before = new Set(variablesOf(failed!));
  return variablesOf(worked!).every((each) => before.has(each));
}

function variablesOf(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => /^[A-Z][A-Z0-9_]{1,80}=/.test(word));
}

function programOf(command: string | null): string | null {
  if (command === null || command.length > 2000 || /[;&|]/.test(command)) return null;
  const words = command
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w{1,80}=/.test(word) && word !== 'sudo');
  const script = words.find((word) => /^[\w./~-]{1,200}\.(?:py|sh)$/.test(word));
  if (script !== undefined) return script;
  if (words[0] === undefined || launchers.test(words[0])) return null;
  const plain = words.filter((word) => !word.startsWith('-'));
  return plain.length < 2 ? null : plain.slice(0, 3).join(' ');
}
