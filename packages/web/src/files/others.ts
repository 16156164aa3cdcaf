import { codeOnGpu } from '@culprit/core/compat/code-on-gpu';
import { predictAll } from '@culprit/core/image/predict';
import type { ScannedImage } from '@culprit/core/image/model';
import type { Node } from '@culprit/core/image/model';
import type { Inspection } from '@culprit/core/image/report';
import { inspectImage } from '@culprit/core/image/report';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import { binaryText, holdsCode } from '@culprit/core/report/binary-report';
import { escapeHtml } from '@culprit/core/report/html-page';
import { verdictHtml } from '@culprit/core/report/html-report';
import type { ImageRow } from '@culprit/core/report/image-rows';
import { imageRows, layerRows } from '@culprit/core/report/image-rows';
import { lookupOf } from '@culprit/core/report/lookup';
import { predictionsText } from '@culprit/core/report/prediction-text';
import { visible } from '@culprit/core/report/visible';
import type { DroppedFile, OnNode, Other } from '../core/protocol.ts';
import type { FileKind } from './kind.ts';
import { version } from '../version.ts';
import { reportOfBinaries } from './binary.ts';
import { scanImage } from './image.ts';

type Progress = (words: string) => void;

/** Files of no text, each by its own reader: machine code together, then images one by one. */
export async function othersOf(
  files: readonly { readonly kind: FileKind; readonly input: DroppedFile }[],
  on: OnNode | null,
  progress: Progress,
): Promise<readonly Other[]> {
  const made: Other[] = [];
  const code = files.filter(({ kind }) => kind === 'binary' || kind === 'zip').map(({ input }) => input);
  if (code.length > 0) made.push(await machineCode(code, on, progress));
  for (const { kind, input } of files) if (kind === 'image') made.push(await image(input, on, progress));
  return made;
}

async function machineCode(files: readonly DroppedFile[], on: OnNode | null, progress: Progress): Promise<Other> {
  const report = await reportOfBinaries(
    files.map((each) => ({ ...each, inFolder: each.name.includes('/') })),
    progress,
  );
  const gpu = on?.gpu ?? null;
  const answered =
    gpu === null
      ? report
      : {
          ...report,
          files: report.files.map((file) => ({
            ...file,
            answer: holdsCode(file)
              ? codeOnGpu(
                  { ...file.code, toolkit: file.toolkit },
                  { gpu, driver: on?.driver ?? null },
                  file.path.slice(file.path.lastIndexOf('/') + 1),
                  defaultKnowledge,
                )
              : null,
          })),
        };
  const shown = { color: false, on: gpu };
  const kernels = report.files.some((file) => (file.kernels?.length ?? 0) > 0);
  const html = [
    pre(binaryText({ ...answered, files: answered.files }, { ...shown, kernels: false })),
    kernels
      ? `<details><summary>Its kernels</summary>${pre(binaryText(answered, { ...shown, kernels: true }))}</details>`
      : '',
  ];
  return {
    kind: 'binary',
    name: files.length === 1 ? files[0]!.name : `${files.length} files of machine code`,
    verdict: null,
    html: html.join('\n'),
    report: answered,
  };
}

/** The image that was read last: asking for another node must not read it again. */
let lastImage: { readonly key: string; readonly scanned: ScannedImage; readonly made: Inspection } | null = null;

async function image({ name, file }: DroppedFile, on: OnNode | null, progress: Progress): Promise<Other> {
  const key = `${name} ${file.size} ${file instanceof File ? file.lastModified : 0}`;
  try {
    if (lastImage?.key !== key) {
      const scanned = await scanImage(name, file, progress);
      lastImage = { key, scanned, made: inspectImage(scanned, defaultKnowledge) };
    }
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint?: string | null };
    const words = hint == null ? message : `${message}; ${hint}`;
    return {
      kind: 'image',
      name,
      verdict: null,
      html: `<p role="alert">${escapeHtml(visible(words))}</p>`,
      report: null,
    };
  }
  const { scanned, made } = lastImage;
  const node: Node = {
    ...(on?.driver == null ? {} : { driver: on.driver }),
    ...(on?.gpu == null ? {} : { gpu: on.gpu }),
  };
  const predictions =
    on === null || Object.keys(node).length === 0 ? [] : predictAll(scanned, made.contents, [node], defaultKnowledge);
  const report = { ...made.report, predictions };
  const options = { knowledge: defaultKnowledge, version, color: false, columns: null, left: made.contents.left };
  const told = predictionsText(report, { color: false, columns: 110 });
  return {
    kind: 'image',
    name,
    verdict: made.verdict,
    html: [
      told === null ? '' : pre(told),
      verdictHtml(made.verdict, lookupOf(defaultKnowledge, made.verdict), options),
      `<section class="card"><h2>In the image</h2>${table([
        ...imageRows(made.contents),
        ...layerRows(made.contents, report.findings),
      ])}</section>`,
    ].join('\n'),
    report,
  };
}

const text = (words: string): string => escapeHtml(visible(words));

function pre(words: string): string {
  // Names in files come from strangers.
  const lines = words.split('\n').map((line) => text(line));
  return `<pre tabindex="0" class="report">${lines.join('\n').trimEnd()}</pre>`;
}

function table(rows: readonly ImageRow[]): string {
  const lines = rows.map(
    (row) =>
      `<tr><th scope="row">${text(row.what)}</th><td>${text(row.text)}</td><td>${row.layer === null ? '' : row.layer}</td></tr>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="what is in the image"><table><thead><tr><th scope="col">what</th><th scope="col"></th><th scope="col">layer</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}
