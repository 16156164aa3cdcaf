import type { SaidId } from '../model/facts.ts';
import type { Layer, Owner } from '../model/layer.ts';
import type { RuleContext } from '../model/rule.ts';
import type { NamedCode } from '../knowledge/code-names.ts';
import { codeByNumber, codeOfText, namedCodes } from '../knowledge/code-names.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import { isNeedless } from '../rules/ok/_needless.ts';
import { kernelEvents, lineOf } from './catalogue.ts';
import { decidingWords } from './deciding-words.ts';
import type { Candidate } from './verdict.ts';

const mostCandidates = 6;

/** Where the reason of a layer's failure is usually found; for messages that name no command of their own. */
const commandOfLayer: Readonly<Record<Layer, string>> = {
  hardware: "dmesg -T | grep -iE 'NVRM: Xid|AER|pcieport'",
  fabric: "systemctl status nvidia-fabricmanager; dmesg -T | grep -E 'SXid|NVRM: Xid'",
  'host-os': 'dmesg -T | tail -n 50',
  driver: 'nvidia-smi; cat /proc/driver/nvidia/version',
  'container-runtime': 'docker info | grep -i runtime; nvidia-ctk --version',
  orchestrator: 'kubectl describe pod POD',
  image: 'docker inspect IMAGE --format "{{json .Config.Env}}"',
  toolkit: 'ldd PROGRAM | grep -iE "cuda|cublas|cufft|nvrtc|nvjitlink"',
  cudnn: 'python -c "import torch; print(torch.backends.cudnn.version())"; ldconfig -p | grep cudnn',
  nccl: 'NCCL_DEBUG=INFO PROGRAM',
  network: 'ip -br addr; NCCL_DEBUG=INFO PROGRAM',
  framework: 'python -m torch.utils.collect_env',
  application: 'CUDA_LAUNCH_BLOCKING=1 PROGRAM; compute-sanitizer PROGRAM',
};

/**
 * Candidates for recognised messages that no rule spoke about: the causes of the signature table, each only `possible`,
 * with the command that tells them apart; Xids and SXids by the vendor's catalogue; where nothing else was found, also
 * messages that only carry a reason or follow from one.
 * @param covered messages that a finding already rests on
 * @param suspected those of them that only `possible` findings rest on: causes that no rule knows are added
 * @param explained true for a message that a finding explains
 * @param found the findings of rules
 */
export function candidatesOf(
  context: RuleContext,
  covered: ReadonlySet<SaidId>,
  suspected: ReadonlySet<SaidId>,
  explained: (id: SaidId) => boolean,
  found: readonly Candidate[],
): readonly Candidate[] {
  const quoted = new Set(found.flatMap((each) => each.finding.evidence.map(lineOf)));
  const events = kernelEvents(context, quoted, new Set(found.map((each) => each.finding.rule))).filter(
    (each) => each.finding.certainty === 'likely' || !explained('said.xid-line'),
  );
  const made = new Map<string, Candidate>();
  for (const fact of context.said) {
    if ((covered.has(fact.id) && !suspected.has(fact.id)) || explained(fact.id)) continue;
    if (isNeedless(fact, context)) continue;
    const row = context.knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
    if (row === undefined || row.role !== 'signature' || row.severity === 'info') continue;
    for (const [place, candidate] of ofSignature(row, fact, context, null).entries()) {
      if (
        covered.has(fact.id) &&
        (candidate.finding.cause !== row.id || row.causes.every((each) => each.cause !== null))
      )
        continue;
      if (made.size >= mostCandidates) break;
      const key = candidate.finding.rule;
      if (!made.has(key)) made.set(key, { ...candidate, weight: covered.has(fact.id) ? -10 : -1 - place });
    }
  }
  // The line itself, decoded, says more than the causes of its message.
  for (const event of events) {
    const same = made.get(event.finding.rule);
    made.set(event.finding.rule, same === undefined ? event : { ...event, weight: same.weight });
  }
  const all = [...made.values()];
  return all.length > 0 || found.length > 0 ? all : carriersOf(context);
}

/** Messages whose reason stands elsewhere, for a text in which nothing says more. */
function carriersOf(context: RuleContext): readonly Candidate[] {
  const made = new Map<string, Candidate>();
  for (const role of ['carrier', 'follow-on'] as const) {
    for (const fact of context.said) {
      if (fact.scope === 'other-host' || fact.scope === 'after-fix' || isNeedless(fact, context)) continue;
      const row = context.knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
      if (row?.role !== role || (role === 'carrier' && saysMore(fact, context))) continue;
      const code = codeOf(row, fact, context);
      for (const [place, candidate] of ofSignature(row, fact, context, code).entries()) {
        if (made.size >= mostCandidates) return [...made.values()];
        const key = candidate.finding.rule;
        if (!made.has(key))
          made.set(key, { ...candidate, symptom: role === 'carrier' && candidate.symptom, weight: -20 - place });
      }
    }
    if (made.size > 0) return [...made.values()];
  }
  return [];
}

/** A follow-on message names in the same line what a mere warning carries. */
function saysMore(fact: RuleContext['said'][number], context: RuleContext): boolean {
  const lines = new Set(fact.seen.map(lineOf));
  return (
    /-other$/.test(fact.id) &&
    context.said.some(
      (other) =>
        other !== fact &&
        context.knowledge.signatures.find((each) => `said.${each.id}` === other.id)?.role === 'follow-on' &&
        other.seen.some((each) => lines.has(lineOf(each))),
    )
  );
}

/** Library names in signature ids, as the status tables call them. */
const familyOf: Readonly<Record<string, string>> = {
  'cudnn-status': 'cudnn9',
  'cublas-status': 'cublas',
  'cufft-status': 'cufft',
  'nvrtc-status': 'nvrtc',
  'nvjitlink-status': 'nvjitlink',
  'nvml-status': 'nvml',
};

/** The status that a message names or whose text or number it prints. */
function codeOf(row: SignatureRow, fact: RuleContext['said'][number], context: RuleContext): NamedCode | null {
  const text = fact.seen[0]?.text ?? '';
  const named = namedCodes(context.knowledge, text)[0];
  if (named !== undefined) return named;
  const { code, code2, result } = fact.value.captures;
  const number = code ?? code2 ?? result;
  const family = familyOf[row.id] ?? (row.id.startsWith('nccl-') || row.id.startsWith('pt-nccl') ? 'nccl' : null);
  if (family !== null && number !== undefined) {
    const byNumber = codeByNumber(context.knowledge, family, Number(number));
    if (byNumber !== null) return byNumber;
  }
  if (family === 'nccl' || family === 'nvml') return codeOfText(context.knowledge, family, text);
  return typeof row.symbol === 'string' ? (namedCodes(context.knowledge, row.symbol)[0] ?? null) : null;
}

/**
 * What a text says that names no fault of its own: information, a harmless notice. Null where nothing is recognised.
 */
export function noticeOf(context: RuleContext): string | null {
  for (const fact of context.said) {
    const row = context.knowledge.signatures.find((each) => `said.${each.id}` === fact.id);
    if (row !== undefined && row.meaning !== '')
      return `${lower(row.meaning)} (${row.id}); by itself that is no failure of the GPU stack`;
  }
  return null;
}

function ofSignature(
  row: SignatureRow,
  fact: RuleContext['said'][number],
  context: RuleContext,
  code: NamedCode | null,
): readonly Candidate[] {
  const meaning = code === null ? lower(row.meaning) : `${code.name}: ${lower(code.meaning)}`;
  const owner: Owner = code?.owner != null && code.owner !== 'none' ? code.owner : row.owner;
  const ask = askOf(row, code);
  const noted = row.causes.find((each) => each.confirm !== '')?.confirm;
  const shared = {
    order: fact.order,
    messages: [fact.id],
    symptom: row.severity !== 'warning',
    missing: [{ fact: noted === undefined ? 'what led to it' : decidingWords(noted, row.commands), ask }],
  };
  const known = row.causes.flatMap((each) => {
    const cause = context.knowledge.causes.find((candidate) => candidate.cause === each.cause);
    return cause === undefined || cause.layer === null ? [] : [{ cause, what: each.what }];
  });
  const finding = {
    certainty: 'possible' as const,
    evidence: fact.seen,
    restsOn: [],
    explains: [],
    remedies: remediesOf(row),
  };
  // Causes without an id of their own are one candidate, by the name of the message; it stands where the first of them does.
  const unnamed = row.causes.filter((each) => each.cause === null).map((each) => lower(each.what));
  const other: Candidate = {
    ...shared,
    weight: 0,
    status: owner === 'developer' && row.layer === 'application' ? 'not-stack-fault' : 'fault',
    finding: {
      ...finding,
      rule: `${row.layer}/${row.id}`,
      layer: row.layer,
      cause: row.id,
      owner,
      message: unnamed.length === 0 ? meaning : `${meaning}: ${unnamed.join(', or ')}`,
    },
  };
  if (known.length === 0) return [other];
  const named = known.map(({ cause, what }) => ({
    ...shared,
    weight: 0,
    status: cause.status,
    finding: {
      ...finding,
      rule: `${cause.layer}/${cause.cause}`,
      layer: cause.layer!,
      cause: cause.cause,
      owner: cause.owner,
      message: lower(what),
    },
  }));
  // A status says more than the causes that it may have: it leads.
  if (code !== null) return [other, ...named];
  if (unnamed.length === 0) return named;
  return row.causes[0]?.cause === null ? [other, ...named] : [...named, other];
}

/** Commands that one question may hold. */
const mostCommands = 3;

/** What tells the causes of a message apart: where it has several, one command alone seldom does. */
function askOf(row: SignatureRow, code: NamedCode | null): string {
  // What made the other end go away stands in its own log, or in that of its node.
  if (
    code?.name === 'ncclRemoteError' ||
    (row.role === 'follow-on' && (row.layer === 'nccl' || row.layer === 'network'))
  )
    return "grep -m1 -iE 'error|killed|xid' LOG-OF-EACH-RANK; dmesg -T | tail -n 50";
  if (row.commands.length === 0) return commandOfLayer[row.layer];
  return row.causes.length > 1 ? row.commands.slice(0, mostCommands).join('; ') : row.commands[0]!;
}

/** Who does the steps of a message, by its owner and, for the operator, by where it comes from. */
function remediesOf(row: SignatureRow): Candidate['finding']['remedies'] {
  const actor =
    row.owner === 'developer'
      ? row.layer === 'image'
        ? 'image-owner'
        : 'developer'
      : row.owner === 'vendor'
        ? 'vendor'
        : row.layer === 'orchestrator'
          ? 'cluster-admin'
          : 'node-admin';
  return row.fixOrder.slice(0, 4).map((step) => ({ actor, do: step }));
}

function lower(text: string): string {
  const trimmed = text.trim().replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(trimmed) ? trimmed.charAt(0).toLowerCase() + trimmed.slice(1) : trimmed;
}
