// Predictions for pipelines: JUnit, SARIF 2.1.0 and the workflow commands of GitHub Actions.
import type { ImageReport, Prediction } from '../image/model.ts';
import { command } from './github-report.ts';
import { answerWords, nodeWords, reasonWords } from './image-words.ts';
import { jsonReport } from './json-report.ts';
import { xml } from './junit-report.ts';
import { uriOf } from './sarif-report.ts';

/** Where a node was written down. */
export interface NodePlace {
  readonly file: string;
  readonly line: number;
}

export interface CiOptions {
  readonly version: string;
  /** Answers that fail the run. */
  readonly failOn: ReadonlySet<Prediction['answer']>;
  /** Places of the nodes, in their order; null where there is none. */
  readonly places: readonly (NodePlace | null)[];
}

interface Pair {
  readonly image: ImageReport;
  readonly one: Prediction;
  readonly place: NodePlace | null;
}

function pairsOf(images: readonly ImageReport[], options: CiOptions): readonly Pair[] {
  return images.flatMap((image) =>
    image.predictions.map((one, at) => ({ image, one, place: options.places[at] ?? null })),
  );
}

/** A case for each image and node: one that fails the run is a failure, what cannot be told else is skipped. */
export function imagesJunit(images: readonly ImageReport[], options: CiOptions): string {
  const suites = images.map((image) => {
    const cases = image.predictions.map((one) => {
      const opening = `    <testcase classname="${xml(image.reference)}" name="${xml(nodeWords(one))}"`;
      const message = xml(reasonWords(one));
      if (options.failOn.has(one.answer))
        return `${opening}>\n      <failure type="${one.answer}" message="${message}">${xml(body(one))}</failure>\n    </testcase>`;
      if (one.answer === 'cannot-tell') return `${opening}>\n      <skipped message="${message}"/>\n    </testcase>`;
      return one.answer === 'runs'
        ? `${opening}/>`
        : `${opening}>\n      <system-out>${xml(`${answerWords[one.answer]}: ${reasonWords(one)}`)}</system-out>\n    </testcase>`;
    });
    return {
      image,
      cases,
      failures: image.predictions.filter((one) => options.failOn.has(one.answer)).length,
      skipped: image.predictions.filter((one) => one.answer === 'cannot-tell' && !options.failOn.has(one.answer))
        .length,
    };
  });
  const sum = (pick: (suite: (typeof suites)[number]) => number): number =>
    suites.reduce((all, each) => all + pick(each), 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="culprit" tests="${sum((each) => each.cases.length)}" failures="${sum((each) => each.failures)}" errors="0" skipped="${sum((each) => each.skipped)}">`,
    ...suites.flatMap((each) => [
      `  <testsuite name="${xml(each.image.reference)}" tests="${each.cases.length}" failures="${each.failures}" errors="0" skipped="${each.skipped}">`,
      ...each.cases,
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function body(one: Prediction): string {
  return [
    one.message,
    ...(one.needs === null ? [] : [`needs: ${one.needs}`]),
    ...one.unknown.map((each) => `not known: ${each}`),
  ].join('\n');
}

/** One result for each pair that does not run or cannot be told. */
export function imagesSarif(images: readonly ImageReport[], options: CiOptions): string {
  const results = pairsOf(images, options).filter(({ one }) => one.answer !== 'runs');
  const rules = [...new Set(results.map(({ one }) => ruleOf(one)))];
  return jsonReport({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'culprit',
            version: options.version,
            semanticVersion: options.version,
            rules: rules.map((id) => ({ id, shortDescription: { text: `an image on a node: ${id}` } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true }],
        results: results.map(({ image, one, place }) => {
          const fails = options.failOn.has(one.answer);
          return {
            ruleId: ruleOf(one),
            ruleIndex: rules.indexOf(ruleOf(one)),
            kind: fails ? 'fail' : 'review',
            level: fails ? 'error' : 'none',
            message: { text: sentence(image, one) },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: place === null ? encodeURIComponent(image.reference) : uriOf(place.file) },
                  region: { startLine: place?.line ?? 1 },
                },
                logicalLocations: [{ name: image.reference, kind: 'module' }],
              },
            ],
            partialFingerprints: { 'culpritImage/v1': `${image.reference} ${nodeWords(one)}` },
            properties: { answer: one.answer, errorSeen: one.errorSeen, unknown: one.unknown },
          };
        }),
      },
    ],
  });
}

function ruleOf(one: Prediction): string {
  return one.rule ?? one.answer;
}

function sentence(image: ImageReport, one: Prediction): string {
  return [
    `${image.reference} ${answerWords[one.answer]} on ${nodeWords(one)}: ${reasonWords(one)}`,
    ...(one.needs === null ? [] : [`needs: ${one.needs}`]),
  ].join('\n');
}

/** An annotation for each pair that does not run, and one line that counts. */
export function imagesGithub(images: readonly ImageReport[], options: CiOptions): string {
  const pairs = pairsOf(images, options);
  const lines = pairs
    .filter(({ one }) => one.answer !== 'runs')
    .map(({ image, one, place }) =>
      command(
        options.failOn.has(one.answer) ? 'error' : one.answer === 'does-not-run' ? 'warning' : 'notice',
        {
          ...(place === null ? {} : { file: place.file, line: String(place.line) }),
          title: `culprit: ${answerWords[one.answer]}`,
        },
        sentence(image, one),
      ),
    );
  const fine = pairs.filter(({ one }) => one.answer === 'runs').length;
  return `${[...lines, command('notice', { title: 'culprit' }, `${fine} of ${pairs.length} pairs of image and node run`)].join('\n')}\n`;
}
