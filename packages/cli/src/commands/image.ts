import { existsSync } from 'node:fs';
import type { ImageOptions } from '@culprit/collect/image';
import { ImageError, openImage } from '@culprit/collect/image';
import type { ImageReport, Prediction } from '@culprit/core/image/model';
import { matchGpu } from '@culprit/core/compat/gpu-name';
import { tablesOf } from '@culprit/core/compat/tables';
import { predictAll } from '@culprit/core/image/predict';
import type { Inspection } from '@culprit/core/image/report';
import { inspectImage } from '@culprit/core/image/report';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import type { Verdict } from '@culprit/core/model/verdict';
import { exitStatusOf, worstExitStatus } from '@culprit/core/report/exit-status';
import { imagesGithub, imagesJunit, imagesSarif } from '@culprit/core/report/image-ci';
import { imagesCsv, imagesHtml, imagesMarkdown, matrixText } from '@culprit/core/report/image-matrix';
import { imageMarkdown, imageText } from '@culprit/core/report/image-report';
import { jsonReport } from '@culprit/core/report/json-report';
import { predictionsText } from '@culprit/core/report/prediction-text';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { nearest } from '@culprit/core/text/nearest';
import { usageError } from '../errors.ts';
import type { PlacedNode } from '../image-nodes.ts';
import { version } from '../version.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (call) => {
  const failOn = new Set(listOf(call, 'fail-on'));
  const dockerfiles = listOf(call, 'dockerfile');
  if (dockerfiles.length > 0) {
    if (call.positionals.length > 0)
      throw usageError('bad-value', '--dockerfile looks at build files, not at an image', 'leave the reference out');
    if (listOf(call, 'on').length > 0)
      throw usageError(
        'bad-value',
        '--dockerfile looks at what is not built yet; --on asks what an image does on a node',
        'build the image, then culprit image REF --on NODES',
      );
    return (await import('../image-lint.ts')).lint(dockerfiles, call, failOn);
  }
  const on = listOf(call, 'on');
  if (failOn.size > 0 && on.length === 0 && !(failOn.size === 1 && failOn.has('fault')))
    throw usageError('missing-argument', '--fail-on needs nodes', '--on pool.yaml, or --on driver=…,gpu=…');
  if (call.positionals.length === 0 && call.flags['pid'] === undefined)
    throw usageError(
      'missing-argument',
      'there is no image to look at',
      'culprit image REF, culprit image image.tar, culprit image --dockerfile Dockerfile',
    );
  // What is asked of the nodes is read first: a mistake there is told before an image is loaded.
  const nodes = on.length === 0 ? [] : await (await import('../image-nodes.ts')).nodesOf(on, call);
  const knowledge = await call.knowledge();
  noteUnknownGpus(nodes, call, knowledge);
  const shown: Inspection[] = [];
  let failed = false;
  for (const reference of call.positionals.length === 0 ? ['process'] : call.positionals) {
    try {
      const scanned = await openImage(reference, optionsOf(call, reference));
      const made = inspectImage(scanned, knowledge);
      const predictions = predictAll(
        scanned,
        made.contents,
        nodes.map((each) => each.node),
        knowledge,
      );
      shown.push({ ...made, report: { ...made.report, predictions } });
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      if (error.code === 'bad-option') throw usageError('bad-value', error.message, error.hint);
      call.output.error(
        error.message.includes(reference) ? error.message : `${reference}: ${error.message}`,
        error.hint,
      );
      failed = true;
    } finally {
      call.output.progress(null);
    }
  }
  const redacted = call.flags['redact'] === true ? await redact(shown) : shown;
  if (redacted.length > 0) call.output.data(printed(redacted, nodes, call, knowledge, failOn));
  return statusOf(shown, failOn, failed);
};

/** A GPU that no table has may be a new one or mistyped: the answers stay open, and why is said. */
function noteUnknownGpus(nodes: readonly PlacedNode[], call: Call, knowledge: Knowledge): void {
  const { gpus } = tablesOf(knowledge);
  const unknown = new Set(
    nodes.flatMap(({ node: { gpu } }) => (gpu === undefined || matchGpu(gpu, gpus).length > 0 ? [] : [gpu])),
  );
  for (const gpu of [...unknown].slice(0, 5)) {
    const close = nearest(
      gpu,
      knowledge.gpus.flatMap((row) => [row.name, ...row.aliases]),
    );
    const hint = close.length === 0 ? 'a compute capability as 9.0 serves, too' : `did you mean ${close.join(', ')}?`;
    call.output.note(`culprit: --on: no GPU is known as ${gpu.slice(0, 80)}; ${hint}`);
  }
}

async function redact(shown: readonly Inspection[]): Promise<readonly Inspection[]> {
  const { redactorOf } = await import('@culprit/core/report/redact');
  const redactor = redactorOf(shown.flatMap((each) => each.documents));
  return shown.map((each) => ({
    ...each,
    report: redactor.value(each.report),
    verdict: redactor.verdict(each.verdict),
    contents: redactor.value(each.contents),
  }));
}

function listOf(call: Call, name: string): readonly string[] {
  const value = call.flags[name];
  if (value === undefined || typeof value === 'boolean') return [];
  return typeof value === 'string' ? [value] : value;
}

function optionsOf(call: Call, reference: string): ImageOptions {
  const word = (name: string): string | undefined => {
    const value = call.flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const pid = word('pid');
  if (pid !== undefined && !/^[1-9]\d{0,9}$/.test(pid))
    throw usageError('bad-value', `--pid takes a number, not ${pid}`);
  const local =
    /^(?:oci|oci-archive|docker-archive|dir|rootfs):(?!\/\/)/.test(reference) ||
    pid !== undefined ||
    word('containerd') !== undefined ||
    existsSync(reference);
  if (call.flags['offline'] === true && !local)
    throw usageError(
      'bad-value',
      `--offline: ${reference} is in a registry`,
      'docker save or skopeo copy makes a file of it',
    );
  const options: Record<string, unknown> = {};
  for (const [flag, key] of [
    ['platform', 'platform'],
    ['cache', 'cache'],
    ['ca', 'ca'],
    ['auth-file', 'authFile'],
    ['containerd', 'containerd'],
    ['namespace', 'namespace'],
  ] as const)
    if (word(flag) !== undefined) options[key] = word(flag);
  for (const flag of ['quick', 'deep', 'insecure']) if (call.flags[flag] === true) options[flag] = true;
  if (pid !== undefined) options['pid'] = Number(pid);
  const began = performance.now();
  const progress: NonNullable<ImageOptions['progress']> = (state) => {
    if (performance.now() - began < 1000) return;
    const of = state.of === null ? '' : ` of ${Math.round(state.of / 1e6)}`;
    call.output.progress(
      `${reference}: ${state.done} of ${state.layers} layers, ${Math.round(state.bytes / 1e6)}${of} MB`,
    );
  };
  return { ...options, progress };
}

function printed(
  shown: readonly Inspection[],
  nodes: readonly PlacedNode[],
  call: Call,
  knowledge: Knowledge,
  failOn: ReadonlySet<string>,
): string {
  const reports = shown.map((each) => each.report);
  const { color, columns } = call.output;
  const options = { knowledge, version, color, columns, left: [] };
  const ci = { version, failOn: answersOf(failOn), places: nodes.map((each) => each.place) };
  switch (call.format) {
    case 'json':
      return reports.length === 1
        ? jsonReport(reports[0])
        : jsonReport({ schema: 'culprit/images@1', images: reports });
    case 'csv':
      if (nodes.length === 0) throw usageError('unknown-format', 'a table needs nodes', '--on pool.yaml');
      return imagesCsv(reports);
    case 'html':
      if (nodes.length === 0) return ofVerdicts(shown, 'html', options);
      return imagesHtml(reports, knowledge.asOf);
    case 'junit':
      return nodes.length > 0 ? imagesJunit(reports, ci) : ofVerdicts(shown, 'junit', options);
    case 'sarif':
      return nodes.length > 0 ? imagesSarif(reports, ci) : ofVerdicts(shown, 'sarif', options);
    case 'github':
      return nodes.length > 0 ? imagesGithub(reports, ci) : ofVerdicts(shown, 'github', options);
    case 'markdown':
      return [
        ...(nodes.length > 0 ? [imagesMarkdown(reports)] : []),
        ...shown.map((each) => imageMarkdown(each, options)),
      ].join('\n');
    default: {
      const table = nodes.length > 0 && (shown.length > 1 || nodes.length > 4);
      const answers = table
        ? [matrixText(reports)]
        : reports.flatMap((each) => predictionsText(each, { color, columns }) ?? []);
      return [...answers, ...(table && shown.length > 1 ? [] : shown.map((each) => imageText(each, options)))].join(
        '\n',
      );
    }
  }
}

/** The images alone: the usual reports of a verdict; several are one after the other, where the format allows that. */
function ofVerdicts(
  shown: readonly Inspection[],
  format: VerdictFormat,
  options: Parameters<typeof reportVerdict>[2],
): string {
  if (shown.length === 1 || format === 'github')
    return shown.map((each) => reportVerdict(each.verdict, format, options)).join('');
  const [first] = shown;
  const joined: Verdict = { ...first!.verdict, findings: shown.flatMap((each) => each.verdict.findings) };
  return reportVerdict(joined, format, options);
}

function answersOf(failOn: ReadonlySet<string>): ReadonlySet<Prediction['answer']> {
  const order = ['does-not-run', 'cannot-tell', 'runs-if'] as const;
  if (failOn.size === 0) return new Set(['does-not-run']);
  // Who fails on less than certain success fails on what is worse.
  const last = Math.max(...order.map((each, at) => (failOn.has(each) ? at : -1)));
  return new Set(order.slice(0, last + 1));
}

function statusOf(shown: readonly Inspection[], failOn: ReadonlySet<string>, failed: boolean): number {
  const read = failed ? [4] : [];
  if (failOn.size > 0) {
    const answers = answersOf(failOn);
    const fails = shown.some(
      (each) =>
        each.report.predictions.some((one) => answers.has(one.answer)) ||
        (failOn.has('fault') && each.verdict.status === 'fault'),
    );
    return worstExitStatus([...read, fails ? 1 : 0]);
  }
  return worstExitStatus([...read, ...shown.map((each) => ofImage(each.report, each.verdict))]);
}

/** With nodes the image's own "cannot tell" is answered by what happens there. */
function ofImage(report: ImageReport, verdict: Verdict): number {
  const alone = exitStatusOf(verdict.status);
  if (report.predictions.length === 0) return alone;
  const statuses = report.predictions.map(
    (one) => ({ runs: 0, 'runs-if': 3, 'does-not-run': 1, 'cannot-tell': 3 })[one.answer],
  );
  return worstExitStatus([...statuses, ...(alone === 1 ? [1] : [])]);
}
