import type { Document, Evidence, Line } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { RuleContext } from '../model/rule.ts';
import { complaints, lastOf, standing } from '../rules/ok/_complaints.ts';
import type { Complaint } from '../rules/ok/_complaints.ts';
import { quiet } from '../rules/ok/_healthy.ts';
import { healthOfSeries } from './series.ts';
import { healthOfTrace } from './trace-health.ts';
import { lineOf } from './catalogue.ts';
import type { Answered } from './evaluate.ts';
import type { FactStore } from './fact-store.ts';
import type { Candidate } from './verdict.ts';
import type { Unknown } from '../model/verdict.ts';

/** Why a text is called healthy. */
export interface Health {
  readonly cause: string;
  readonly because: string;
}

/** What a healthy text shows and leaves open, as the end of the headline, and what would answer it. */
export interface NotJudged {
  readonly words: string;
  readonly unknown: Unknown;
}

/** What somebody measured. */
const ofSpeed = [
  'nccl.average-bandwidth',
  'nccl.bandwidth',
  'profile.step',
  'profile.kernels',
  'profile.metric',
  'util.finding',
  'trace.finding',
] as const;

/** Rules about errors that were made on purpose: an end of a process belongs to them. */
const onPurpose: ReadonlySet<string> = new Set(['ok/ok-injected-error']);

/**
 * Whether the text proves health. A sign of health never outweighs a failure that stands after it, on another rank or
 * without a reason; an inventory of what is there, or a notice without effect, proves health only where nothing is
 * suspected and every output in the text was understood.
 * @param ordered what may be wrong, likeliest first: none of it is more than possible
 */
export function healthOf(
  answers: readonly Answered[],
  context: RuleContext,
  store: FactStore,
  documents: readonly Document[],
  ordered: readonly Candidate[],
  working: readonly Fact<'works'>[],
): Health | null {
  // The way to the GPU is broken, or the container ended: a pod that asks for none may still be well.
  if (context.all('k8s.link').some((fact) => fact.value.state === 'broken' && fact.value.link !== 'pod')) return null;
  const ends = standing(context).filter((each) => each.end);
  const [best] = answers
    .filter((answer) => answer.rule.id.startsWith('ok/') && answer.outcome.kind === 'cleared')
    .filter((answer) => ends.length === 0 || onPurpose.has(answer.rule.id))
    .sort((a, b) => weightOf(b) - weightOf(a) || a.order - b.order);
  if (best?.outcome.kind === 'cleared' && isStrong(best, working)) {
    if (rests(best, working) && laterSuspicion(ordered, working)) return null;
    return { cause: best.rule.id.slice(3), because: best.outcome.because };
  }
  if (best === undefined && working.length > 0 && quiet(context, false)) {
    if (laterSuspicion(ordered, working)) return null;
    return { cause: 'ok-nothing-wrong', because: `nothing is wrong here: ${working[0]!.value.what}` };
  }
  const trace = healthOfTrace(context);
  if (trace !== null && !ordered.some((each) => each.symptom)) return trace;
  const series = healthOfSeries(context);
  if (series !== null && !ordered.some((each) => each.symptom)) return series;
  // A notice or an inventory answers no question of speed.
  if (ofSpeed.some((id) => context.first(id) !== undefined)) return null;
  const suspected = ordered.some((each) => each.messages.length > 0 || each.symptom);
  if (suspected || !quiet(context) || complained(documents) || unread(documents, store).length > 0) return null;
  if (best?.outcome.kind === 'cleared') return { cause: best.rule.id.slice(3), because: best.outcome.because };
  const reading = answers.find(isReading);
  if (reading?.outcome.kind !== 'cleared') return null;
  return { cause: 'ok-nothing-wrong', because: `nothing is wrong here: ${reading.outcome.because}` };
}

function weightOf(answer: Answered): number {
  return answer.outcome.kind === 'cleared' ? (answer.outcome.weight ?? 0) : 0;
}

/** More than an inventory or a notice. */
function isStrong(best: Answered, working: readonly Fact<'works'>[]): boolean {
  if (best.rule.id === 'ok/ok-benign-warning') return working.length > 0;
  return weightOf(best) >= 0;
}

/** Health that rests on what the program itself says. */
function rests(best: Answered, working: readonly Fact<'works'>[]): boolean {
  if (best.outcome.kind !== 'cleared' || working.length === 0) return false;
  const lines = new Set(working.flatMap((fact) => fact.seen.map(lineOf)));
  return best.outcome.seen.every((each: Evidence) => lines.has(lineOf(each)));
}

/** A suspicion that came after the last success counts; one before it, or beside a healthy end, does not. */
function laterSuspicion(ordered: readonly Candidate[], working: readonly Fact<'works'>[]): boolean {
  const last = Math.max(...working.map(lastOf));
  return ordered.some((each) => each.symptom && each.order > last);
}

/** A printed reading that a rule of another layer finds as it should be. */
function isReading(answer: Answered): boolean {
  return (
    answer.outcome.kind === 'cleared' &&
    answer.outcome.seen.length > 0 &&
    /^(?:hardware|fabric|driver)\//.test(answer.rule.id)
  );
}

/** Somebody says in prose that something is not well. */
function complained(documents: readonly Document[]): boolean {
  const words =
    /\b(?:slow\w{0,4}|hang\w{0,3}|hung|stuck|stall\w{0,3}|crash\w{0,3}|fail\w{0,3}|error\w{0,1}|broken|why|wrong|problem|issue|can'?t|cannot|doesn'?t|isn'?t|won'?t|missing|lost|dies|died|drops?|half)\b/i;
  return documents.some((document) => document.lines.some((line) => line.told && words.test(line.clean.slice(0, 400))));
}

/** Commands that ask others than the GPU and its driver: an inventory of these does not answer them. */
const asking =
  /^(?:sudo )?(?:ssh \S{1,80} )?(?:(?:kubectl|oc)(?! (?:\S{1,40} ){0,4}logs\b)|helm|scontrol|sinfo|squeue|sacct|srun|docker|podman|nerdctl|crictl|ctr|fi_info|ibstat\w{0,4}|ibv_\w{1,40}|ib_\w{1,40}|rdma|ethtool|iperf3?|fio|dmesg|journalctl)\b/;

/** Such commands in the text whose output was not understood at all. */
export function unread(documents: readonly Document[], store: FactStore): readonly string[] {
  const seen = new Set<string>();
  for (const fact of store.everything())
    if (fact.id !== 'program.trouble') for (const each of fact.seen) seen.add(lineOf(each));
  const unknown: string[] = [];
  for (const document of documents) {
    let command: string | null = null;
    let output = 0;
    let read = false;
    const close = (): void => {
      if (command !== null && output > 0 && !read && asking.test(command)) unknown.push(command);
    };
    for (const line of document.lines) {
      const known = seen.has(`${document.file}\u0000${line.number}`);
      if (line.prompt) {
        close();
        command = line.command;
        output = 0;
        read = known && line.command !== null;
      } else if (line.command !== null && line.clean.trim() !== '' && !line.told && !countsNone(line)) {
        output++;
        if (known) read = true;
      }
    }
    close();
  }
  return unknown;
}

/** `grep -c` or `wc -l` of a search that found nothing. */
function countsNone(line: Line): boolean {
  return line.clean.trim() === '0' && /\bgrep -\w{0,8}c\w{0,8} |\| {0,2}wc -l\b/.test(line.command ?? '');
}

/** The gravest thing that stands without a reason, for a text in which no rule knows more. */
export function unexplained(context: RuleContext): Complaint | undefined {
  const all = standing(context);
  return all.find((each) => each.end) ?? all[0] ?? complaints(context).find((each) => each.end);
}

/** Processes of one machine are hardly more. */
const mostOnOneNode = 16;

/** What health of a collective does not say: whether it is as fast as the machine could be. */
export function notJudged(context: RuleContext, store: FactStore): readonly NotJudged[] {
  const open: NotJudged[] = [];
  const [average] = context.all('nccl.average-bandwidth');
  if (average !== undefined)
    open.push({
      words: `whether ${average.value} GB/s is what this machine can do is not judged here`,
      unknown: {
        layer: 'nccl',
        missing: ['the bus bandwidth that this platform should reach'],
        ask: 'culprit diff FILE --platform NAME',
      },
    });
  const socket = context.all('nccl.net').find((fact) => /^socket$/i.test(fact.value));
  const none = context.first('said.nccl-no-ib-device');
  if (socket !== undefined && none !== undefined && ofSeveralNodes(context, store))
    open.push({
      words: 'NCCL goes over TCP sockets between the nodes, for it found no InfiniBand or RoCE device',
      unknown: {
        layer: 'network',
        missing: ['whether these nodes have adapters for RDMA, and whether the container is given them'],
        ask: 'ls /sys/class/infiniband; ibv_devinfo; fi_info -p efa',
      },
    });
  return open;
}

function ofSeveralNodes(context: RuleContext, store: FactStore): boolean {
  if (context.all('nccl.nodes').some((fact) => fact.value > 1)) return true;
  if (context.all('nccl.ranks').some((fact) => fact.value >= mostOnOneNode)) return true;
  const hosts = new Set<string>();
  for (const fact of store.everything()) {
    if (!fact.id.startsWith('nccl.') && !fact.id.startsWith('said.nccl-')) continue;
    for (const each of fact.seen) {
      const host = store.placeOf(each)?.speaker.host;
      if (host !== undefined) hosts.add(host);
    }
  }
  return hosts.size > 1;
}
