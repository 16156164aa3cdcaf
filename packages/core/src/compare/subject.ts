import type { Document, Evidence, Line } from '../model/document.ts';
import type { Fact } from '../model/facts.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import { examine } from '../diagnose/diagnose.ts';
import { evidenceOf } from '../text/evidence.ts';
import { detached } from './detach.ts';
import type { Feature } from './features.ts';
import { featuresOf, hostFeature, isSaid } from './features.ts';
import { lineClass } from './normalise.ts';
import { ignored } from './shapes.ts';

/** Something to be compared: a node, a rank, a job, with all texts of it. */
export interface SubjectInput {
  readonly name: string;
  readonly documents: readonly Document[];
}

export interface SeenLine {
  readonly text: string;
  readonly evidence: Evidence;
  readonly order: number;
}

/** A subject as it is compared. */
export interface Subject {
  readonly name: string;
  /** Values of each feature, by its id. */
  readonly features: ReadonlyMap<string, ReadonlyMap<string | number, Feature>>;
  /** Kinds of input that it has, so that what is not in them is known to be absent. */
  readonly spaces: ReadonlySet<string>;
  readonly verdict: Verdict;
  /** Findings that lead or stand for themselves, short of those that are only possible. */
  readonly faults: readonly Finding[];
  /** Rules that lacked a fact. */
  readonly unsure: ReadonlySet<string>;
  /** Classes of the lines that NCCL printed. */
  readonly classes: ReadonlyMap<string, SeenLine>;
  readonly bandwidth: readonly Fact<'nccl.bandwidth'>[];
  readonly wrong: readonly Fact<'nccl.wrong'>[];
  readonly changes: readonly Fact<'package.change'>[];
  /** All facts, for what is told of the platform. */
  readonly facts: readonly Fact[];
  readonly empty: boolean;
}

const mostClasses = 600;
const fewestClasses = 20;
const classesInAll = 40_000;
const fewestPackages = 8;
const fewestVariables = 6;
const fewestLines = 3;

/**
 * Reads a subject: facts, verdict, and what kinds of input there are. The texts are not held on to.
 * @param among how many subjects are read: of many, less is kept of each
 */
export function subjectOf(input: SubjectInput, knowledge: Knowledge, among: number = 2): Subject {
  const { store, answers, verdict } = examine(input.documents, knowledge);
  const facts = store.everything();
  const hosts = hostsOf(input);
  const most = Math.max(fewestClasses, Math.min(mostClasses, Math.floor(classesInAll / Math.max(1, among))));
  const scan = scanLines(input.documents, hosts, most);
  const benign = benignOf(knowledge.signatures);
  const features = new Map<string, Map<string | number, Feature>>();
  const put = (feature: Feature): void => {
    let values = features.get(feature.id);
    if (values === undefined) features.set(feature.id, (values = new Map()));
    if (!values.has(feature.value)) values.set(feature.value, feature);
  };
  for (const fact of facts) {
    if (fact.told || fact.scope === 'other-host' || fact.scope === 'after-fix') continue;
    if (ignored.has(fact.id) || (isSaid(fact) && benign.has(fact.id))) continue;
    for (const feature of featuresOf(fact, hosts, spaceOf)) put(feature);
  }
  const [first] = facts;
  for (const host of hosts) if (first !== undefined) put(hostFeature(host, first.seen[0]!));
  const explained = new Set(verdict.findings.flatMap((finding) => (standing(finding) ? finding.explains : [])));
  const faults = verdict.findings.filter(
    (finding) => standing(finding) && ![...explained].some((pattern) => fits(pattern, finding.rule)),
  );
  return detached({
    name: input.name,
    features,
    spaces: new Set([...scan.spaces, ...factSpaces(facts)]),
    verdict,
    faults: faults.length > 0 ? faults : verdict.findings.filter(standing).slice(0, 1),
    unsure: new Set(answers.filter((answer) => answer.outcome.kind === 'unknown').map((answer) => answer.rule.id)),
    classes: scan.classes,
    bandwidth: store.all('nccl.bandwidth'),
    wrong: store.all('nccl.wrong'),
    changes: store.all('package.change'),
    facts,
    empty: !scan.filled,
  });
}

function standing(finding: Finding): boolean {
  return finding.certainty !== 'possible';
}

function fits(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}

const benignCache = new WeakMap<readonly SignatureRow[], ReadonlySet<string>>();

/** Messages that mean nothing wrong wherever they stand, and those that only carry facts. */
function benignOf(signatures: readonly SignatureRow[]): ReadonlySet<string> {
  let found = benignCache.get(signatures);
  if (found === undefined) {
    found = new Set(
      signatures.filter((row) => row.role === 'benign' || row.role === 'info').map((row) => `said.${row.id}`),
    );
    benignCache.set(signatures, found);
  }
  return found;
}

const ncclHost = /^([A-Za-z][\w.-]{1,63}):\d{1,9}:\d{1,9} \[/;
const promptHost = /^(?:\[?[a-z_][\w.-]{0,31})@([A-Za-z][\w.-]{1,63})[: \]]/;
const common: ReadonlySet<string> = new Set(['text', 'host', 'container', 'node', 'image', 'localhost', 'snapshot']);

/** Names that the subject's machine goes by in its own text. */
function hostsOf(input: SubjectInput): ReadonlySet<string> {
  const hosts = new Set<string>();
  const note = (name: string | undefined): void => {
    if (name !== undefined && hosts.size < 64 && name.length > 2 && !common.has(name)) hosts.add(name);
  };
  for (const document of input.documents) {
    note(document.subject);
    for (const line of document.lines) {
      note(line.origin.host);
      if (line.prompt) note(promptHost.exec(line.text)?.[1]);
      else if (line.clean.includes('] NCCL ')) note(ncclHost.exec(line.clean)?.[1]);
    }
  }
  return hosts;
}

interface Scan {
  readonly spaces: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, SeenLine>;
  readonly filled: boolean;
}

/** Kinds of input that the lines are of, and the classes of NCCL's lines. */
function scanLines(documents: readonly Document[], hosts: ReadonlySet<string>, most: number): Scan {
  const counts = new Map<string, number>();
  const classes = new Map<string, SeenLine>();
  let order = 0;
  let filled = false;
  for (const document of documents) {
    for (const line of document.lines) {
      if (line.told || line.prompt || line.clean.trim() === '') continue;
      filled = true;
      const kind = kindOf(line.clean, line, document.source);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (kind === 'NCCL' && classes.size < most) noteClass(classes, document, line, hosts, order++);
    }
  }
  const spaces = new Set<string>();
  for (const [kind, count] of counts) if (kind !== 'log' || count >= fewestLines) spaces.add(`said ${kind}`);
  if (counts.has('NCCL')) spaces.add('env NCCL');
  return { spaces, classes, filled };
}

function noteClass(
  classes: Map<string, SeenLine>,
  document: Document,
  line: Line,
  hosts: ReadonlySet<string>,
  order: number,
): void {
  const at = line.clean.indexOf('NCCL ');
  const text = lineClass(line.clean.slice(at), hosts);
  if (!classes.has(text)) classes.set(text, { text, evidence: evidenceOf(document, line, 'nccl'), order });
}

function kindOf(text: string, line: Line | null, source: string): string {
  if (/\bNVRM: |\bnvidia-nvswitch\d?: /.test(text) || line?.origin.unit === 'kernel') return 'kernel';
  if (/^(?:dmesg|kernel|journal)/.test(source)) return 'kernel';
  if (/\bNCCL (?:INFO|WARN|version)\b/.test(text)) return 'NCCL';
  if (line !== null && /^\d{1,9}\.\d{6}$/.test(line.origin.time ?? '')) return 'kernel';
  return /^\s{0,4}[|+]/.test(text) ? 'table' : 'log';
}

function spaceOf(evidence: Evidence): string {
  const kind = kindOf(evidence.text, null, evidence.source);
  if (kind !== 'log') return kind;
  return /^(?:<\d{1,3}>)?\[ {0,6}\d{1,9}\.\d{6}\]/.test(evidence.text) ? 'kernel' : 'log';
}

/** Lists that are whole, so that what they lack is not there. */
function factSpaces(facts: readonly Fact[]): readonly string[] {
  const packages = new Map<string, number>();
  let variables = 0;
  for (const fact of facts) {
    if (fact.id === 'package') {
      const { manager } = (fact as Fact<'package'>).value;
      packages.set(manager, (packages.get(manager) ?? 0) + 1);
    } else if (
      fact.id === 'env' &&
      fact.command !== null &&
      /^(?:sudo )?(?:env|printenv|export)\b/.test(fact.command)
    ) {
      variables++;
    }
  }
  const spaces = [...packages].filter(([, count]) => count >= fewestPackages).map(([manager]) => `package ${manager}`);
  return variables >= fewestVariables ? [...spaces, 'env'] : spaces;
}
