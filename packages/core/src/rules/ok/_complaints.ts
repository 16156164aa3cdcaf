import type { Fact, FactId, FactValue } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { isNeedless } from './_needless.ts';

/** Something in the text that is not well, whether or not a rule knows its cause. */
export interface Complaint {
  readonly fact: Fact;
  /** What it says, as the end of a sentence. */
  readonly words: string;
  /** A process, a job or a pod ended or hangs; else a reading or a state that is not as it should be. */
  readonly end: boolean;
}

type Judge<Id extends FactId> = (value: FactValue<Id>, context: RuleContext) => string | null;

/** Scopes in which a failure does not speak of the subject itself. */
export function elsewhere(fact: Fact): boolean {
  return fact.scope === 'other-host' || fact.scope === 'after-fix';
}

/** Clock reasons of a GPU that is too hot or has too little power. */
const sick = /^(?:HW Slowdown|HW Thermal Slowdown|SW Thermal Slowdown|HW Power Brake(?: Slowdown)?)$/;
const failedPod = /^(?:Pending|Failed|Unknown|Error|Evicted|OOMKilled|.{0,40}(?:BackOff|Error|ImagePull\w{0,20}))$/;
/** Reasons of warnings that keep a pod from running; a probe that failed once does not. */
const unfinished =
  /^(?:Failed\w{0,40}|BackOff|Evicted|OOM\w{0,20}|NodeNotReady|ErrImage\w{0,20}|\w{0,20}AdmissionError)$/;
const failedJob = /^(?:FAILED|NODE_FAIL|OUT_OF_ME\w{0,6}|TIMEOUT|BOOT_FAIL|DEADLINE)/;

/** Readings and states that are not as they should be, by fact. */
const states: { readonly [Id in FactId]?: Judge<Id> } = {
  'gpu.row-remap': ({ pending, failed }) =>
    failed === true ? 'a row remap failed' : pending === true ? 'a row remap waits for a reset' : null,
  'gpu.retired-pages': ({ pending }) => (pending === true ? 'a page waits to be retired' : null),
  'gpu.ecc-errors': ({ volatileUncorrected, sramThresholdExceeded }) =>
    sramThresholdExceeded === true
      ? 'the SRAM error threshold was exceeded'
      : (volatileUncorrected ?? 0) > 0
        ? `${volatileUncorrected} uncorrectable ECC errors since the driver was loaded`
        : null,
  'gpu.recovery-action': ({ action }) => (/^(?:None|N\/A)$/i.test(action) ? null : `the driver asks for: ${action}`),
  'gpu.clock-reasons': ({ active }) => {
    const reason = active.find((each) => sick.test(each));
    return reason === undefined ? null : `the clocks are held down: ${reason}`;
  },
  'gpu.power': ({ limit, defaultLimit }) =>
    limit !== null && defaultLimit !== null && limit < defaultLimit - 1
      ? `the power limit of ${limit} W is below the default of ${defaultLimit} W`
      : null,
  'gpu.temperature': ({ now, slowdown, margin }) =>
    (now !== null && slowdown !== null && now >= slowdown) || (margin !== null && margin <= 0)
      ? 'the GPU is at its slowdown temperature'
      : null,
  'gpu.licence': ({ status }) => (/^unlicensed/i.test(status) ? 'the vGPU has no licence' : null),
  'gpu.fabric': ({ health, status }) => {
    const [field] = Object.entries(health);
    if (field !== undefined) return `the GPU fabric reports ${field[0]}: ${field[1]}`;
    return status === null || /^(?:success|n\/a)$/i.test(status) ? null : `the GPU fabric reports ${status}`;
  },
  'gpu.nvlink-state': ({ state, link }) => (state === 'down' ? `NVLink ${link} is down` : null),
  'gpu.nvlink': ({ gpu, link, gigabytesPerSecond }, context) =>
    gigabytesPerSecond === null &&
    context.all('gpu.nvlink').some((fact) => fact.value.gpu === gpu && fact.value.gigabytesPerSecond !== null)
      ? `NVLink ${link} of GPU ${gpu} is inactive, others of it are not`
      : null,
  'gpu.expected': ({ expected, found }) =>
    found !== null && found < expected ? `${found} of ${expected} GPUs are there` : null,
  'fabric.imex': ({ what, state }) => (/^(?:UP|READY)$/i.test(state) ? null : `IMEX ${what} is ${state}`),
  'framework.devices': (value, context) =>
    value === 0 && context.first('program.wish') === undefined ? 'the program counts no GPU' : null,
  'nccl.wrong': (value) => (value > 0 ? `nccl-tests found ${value} wrong values` : null),
  'dcgm.test': ({ status, test }) => (status === 'fail' ? `DCGM's test ${test} failed` : null),
  'dcgm.health': ({ status, system }) => (/^healthy$/i.test(status) ? null : `DCGM calls ${system} ${status}`),
  'os.service': ({ unit, state }) => (state === 'failed' ? `the service ${unit} failed` : null),
  'k8s.condition': ({ kind, type, status, name }) =>
    kind === 'Node' && type === 'Ready' && status !== 'True' ? `node ${name ?? ''} is not ready` : null,
  'slurm.reason': ({ of, name, reason }) =>
    of === 'node' && !/^none$/i.test(reason) ? `node ${name} is out of use: ${reason}` : null,
};

/** Ends and hangs of processes, jobs and pods, by fact. */
const ends: { readonly [Id in FactId]?: Judge<Id> } = {
  'job.end': ({ exit, signal, reason, rank, node, by }) => {
    if (reason === null && signal === null && (exit === null || exit === 0)) return null;
    const who = rank === null ? (node === null ? 'a process' : `a process on ${node}`) : `rank ${rank}`;
    if (reason !== null) return `${by} ended ${who}: ${reason}`;
    return signal === null ? `${who} ended with exit code ${exit}` : `${who} was ended by signal ${signal}`;
  },
  'job.collective': ({ kind, sequence, operation }) =>
    kind === 'waits' ? `ranks wait in collective ${sequence}${operation === null ? '' : ` (${operation})`}` : null,
  'program.exit': ({ code }) => (code === 0 ? null : `a program ended with exit code ${code}`),
  'program.hang': () => 'the program stands still',
  'k8s.pod': ({ name, phase }) => (failedPod.test(phase) ? `pod ${name} is in ${phase}` : null),
  'k8s.container': ({ name, state, reason, exit, last }) =>
    !last && ((state === 'terminated' && (exit ?? 0) !== 0) || (state === 'waiting' && failedPod.test(reason ?? '')))
      ? `container ${name} is ${state}${reason === null ? '' : ` (${reason})`}`
      : null,
  'k8s.event': ({ type, reason }) =>
    type === 'Warning' && unfinished.test(reason) ? `Kubernetes warns: ${reason}` : null,
  'slurm.job': ({ id, state }) => (failedJob.test(state) ? `job ${id} is ${state}` : null),
  'program.trouble': () => null,
};

/** Words of a runtime or a kernel for a process that did not end by itself. */
const abrupt =
  /\bterminate called\b|\bsegmentation fault\b|\bcore dumped\b|^fatal python error\b|\bkernel panic\b|^aborted\b|^killed$|^[^:]{1,200}: line \d{1,6}: {1,6}\d{1,9} (?:killed|bus error|aborted|terminated|illegal instruction)\b|\bbus error\b|\bthread '.{1,80}' panicked\b|^\S{1,40}\s{1,40}(?:failed|node_fail|out_of_me\w{0,6}|timeout)\+?\s{1,20}\d{1,3}:\d{1,3}\b/i;

/** Only that something else failed: severe, and never a cause. */
function followOn(fact: Fact<`said.${string}`>, context: RuleContext): string | null {
  const row = context.knowledge.signatures.find((each) => each.id === fact.value.signature);
  if (row === undefined || row.role !== 'follow-on') return null;
  if (row.severity === 'info' || row.severity === 'warning') return null;
  return row.meaning.charAt(0).toLowerCase() + row.meaning.slice(1).replace(/\.$/, '');
}

const kept = new WeakMap<RuleContext, readonly Complaint[]>();

/** Everything in the text that is not well and that no known message names, in the order of the input. */
export function complaints(context: RuleContext): readonly Complaint[] {
  const known = kept.get(context);
  if (known !== undefined) return known;
  const found: Complaint[] = [];
  const judge = (table: typeof states, end: boolean): void => {
    for (const [id, say] of Object.entries(table) as [FactId, Judge<FactId>][]) {
      for (const fact of context.all(id)) {
        if (elsewhere(fact) || isNeedless(fact, context)) continue;
        const words = say(fact.value, context);
        if (words !== null) found.push({ fact, words, end });
      }
    }
  };
  judge(states, false);
  found.push(...slower(context));
  judge(ends, true);
  for (const fact of context.all('program.trouble')) {
    const text = fact.seen[0]?.text.trim() ?? '';
    if (!elsewhere(fact) && abrupt.test(text))
      found.push({ fact, words: `a process died: ${text.slice(0, 120)}`, end: true });
  }
  for (const fact of context.said) {
    if (elsewhere(fact)) continue;
    const words = followOn(fact, context);
    if (words !== null) found.push({ fact, words, end: true });
    if (fact.id === 'said.plugin-daemonset' && Number(fact.value.captures['ready'] ?? 1) === 0)
      found.push({ fact, words: `${fact.value.captures['set'] ?? 'a daemonset'} runs on no node`, end: false });
  }
  const harmless = new Set(
    context.said
      .filter((fact) => context.knowledge.signatures.find((row) => row.id === fact.value.signature)?.role === 'benign')
      .flatMap((fact) => fact.seen.map((each) => `${each.file}:${each.line}`)),
  );
  const grave = found.filter((each) => !each.fact.seen.every((seen) => harmless.has(`${seen.file}:${seen.line}`)));
  grave.sort((a, b) => a.fact.order - b.fact.order);
  kept.set(context, grave);
  return grave;
}

/** A GPU that works as hard as the others of its list at a much lower clock. */
function slower(context: RuleContext): readonly Complaint[] {
  const busy = new Set(
    context
      .all('gpu.state')
      .filter((fact) => (fact.value.utilization ?? 0) >= 80)
      .map((fact) => String(fact.value.index)),
  );
  const clocks = context
    .all('gpu.clocks')
    .filter((fact) => !elsewhere(fact) && fact.value.sm !== null && busy.has(String(fact.value.gpu)));
  const highest = Math.max(...clocks.map((fact) => fact.value.sm ?? 0));
  return clocks
    .filter((fact) => clocks.length > 1 && (fact.value.sm ?? highest) < 0.8 * highest)
    .map((fact) => ({
      fact,
      words: `GPU ${fact.value.gpu} runs at ${fact.value.sm} MHz, others under the same load at ${highest} MHz`,
      end: false,
    }));
}

/** Where a fact was last met. */
export function lastOf(fact: Fact): number {
  return fact.last ?? fact.order;
}

/**
 * What in the text shows that an end or a state is over: the same speaker works later by the same command, a job or a
 * pod is said to have come to its end.
 */
export function settledBy(fact: Fact, context: RuleContext): Fact | undefined {
  const later = (other: Fact): boolean => lastOf(other) > lastOf(fact) && !other.told && !elsewhere(other);
  const over = context
    .all('works')
    .find(
      (other) =>
        later(other) &&
        other.command === fact.command &&
        (other.value.layer === 'application' || fact.id !== 'job.end') &&
        (sameSpeaker(other, fact) || /to its end/.test(other.value.what)),
    );
  if (over !== undefined) return over;
  if (fact.id === 'program.exit') {
    const runs = runsAgain(fact, context);
    if (runs !== undefined) return runs;
  }
  if (/^(?:job\.|slurm\.|program\.exit|said\.slurm)/.test(fact.id))
    return context.all('health.sign').find((other) => later(other) && /exit code 0/.test(other.value.what));
  if (fact.id.startsWith('k8s.'))
    return context
      .all('k8s.pod')
      .find((other) => later(other) && /^(?:Running|Succeeded|Completed)$/.test(other.value.phase));
  return undefined;
}

/** The container that a last state speaks of, where it runs again and its pod is ready. */
export function runsAgain(fact: Fact, context: RuleContext): Fact | undefined {
  const lines = new Set(fact.seen.map((each) => `${each.file}:${each.line}`));
  const containers = context.all('k8s.container');
  const ended = containers.find(
    ({ value, seen }) => value.last && seen.some((each) => lines.has(`${each.file}:${each.line}`)),
  );
  if (ended === undefined) return undefined;
  const { pod, name } = ended.value;
  const ready = context
    .all('k8s.condition')
    .some(
      ({ value }) => value.kind === 'Pod' && value.name === pod && value.type === 'Ready' && value.status === 'True',
    );
  return ready
    ? containers.find(
        ({ value }) => !value.last && value.pod === pod && value.name === name && value.state === 'running',
      )
    : undefined;
}

/** Another rank that goes on says nothing of the one that failed. */
function sameSpeaker(success: Fact, failure: Fact): boolean {
  const { rank, unit } = failure.origin;
  // Steps that nobody signs are those of the job.
  const same = <Name>(own: Name | undefined, other: Name | undefined): boolean =>
    own === undefined || other === undefined || own === other;
  return same(rank, success.origin.rank) && same(unit, success.origin.unit);
}

/** Complaints that nothing later in the text settles. */
export function standing(context: RuleContext): readonly Complaint[] {
  return complaints(context).filter((each) => settledBy(each.fact, context) === undefined);
}
