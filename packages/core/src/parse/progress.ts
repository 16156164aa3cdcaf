import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { hasSlowed } from './slowed.ts';

/*
 *   frame 100  objects 7  4.1 ms
 *   frame 200  objects 9  4.0 ms
 *   [03:11:40] outer 21  residual 4.11e-05
 *   37 passed, 4 skipped, 1 warning in 21.40s
 *   Successfully installed causal-conv1d-1.4.0
 */

const counter =
  /\b(?<word>iter(?:ation)?|step|epoch|frame|batch|round|outer|inner|episode|update|cycle|generation|request|sample|tick|trial|chunk|image|it|t)s?\b ?[:#=[(]? ?(?<at>\d{1,12})\b/i;
const failing = /\b(?:error|fail|nan\b|abort|retry|warn|timeout|waiting|traceback|file ")/i;

/** Lines of one shape whose counter rises: the program makes progress, whatever it is. */
export const progress: Parser = {
  id: 'progress',
  literals: [
    'iter',
    'step',
    'epoch',
    'frame',
    'batch',
    'round ',
    'outer ',
    'episode',
    'update ',
    'cycle ',
    ' passed',
    'tests passed',
    'requests, ',
    'http/1.',
    'request: ',
    'tokens per second',
    'tokens/s',
    'tok/s',
    'successfully loaded',
    'service at',
    "{'loss'",
    'layers to gpu',
    'status: deployed',
    'validations are',
    'performance:',
    'speed=',
    'within tolerance',
    '&&&& passed',
    'all tests passed',
    'throughput:',
    'engine built in',
    'successfully ran diagnostic',
    'mig ',
    'generation',
    'successfully installed',
    'successfully built',
    'image ',
    'sample ',
    'test summary:',
    'p50',
    'latency',
    'success!',
  ],
  keep: { before: 0, after: 0 },
  parse(document, hits, sink) {
    diagnosis(document, hits, sink);
    const last = new Map<string, { readonly at: number; readonly line: Line }>();
    let proof: { readonly word: string; readonly first: Line; readonly line: Line } | undefined;
    for (const line of hits.slice(-5000)) {
      if (line.prompt || line.told) continue;
      const text = line.clean.slice(0, 300);
      one(text, line, sink);
      const match = counter.exec(text);
      if (match?.groups === undefined || failing.test(text)) continue;
      const shape = `${line.origin.rank ?? ''}${line.origin.unit ?? ''}${text.replace(/\d[\d.,:e+-]*/g, '0').slice(0, 60)}`;
      const at = Number(match.groups['at']);
      const earlier = last.get(shape);
      // A table of settings also counts up; progress says how fast, how good, or when.
      if (earlier !== undefined && at > earlier.at && /\d\.\d|\bms\b|\bok\b|done|\/s\b|%|\d:\d\d/.test(text))
        proof = { word: match.groups['word']!.toLowerCase(), first: earlier.line, line };
      last.set(shape, { at, line });
      if (last.size > 500) last.clear();
    }
    // That it goes on is no praise where it goes on much slower.
    if (proof !== undefined && !hasSlowed(hits))
      sink.add(
        'works',
        { what: `the program makes progress (${proof.word} after ${proof.word})`, layer: 'application' },
        [proof.line, proof.first],
      );
  },
};

/** `dcgmi diag`: it passed where no row failed. `nvidia-smi mig -lgi`: the instances that exist. */
function diagnosis(document: Document, hits: readonly Line[], sink: FactSink): void {
  for (const line of hits) {
    if (line.clean.startsWith('Successfully ran diagnostic')) {
      const table = document.lines.slice(line.index + 1, line.index + 80);
      const passed = table.find((row) => /\|\s{1,4}Pass\b/.test(row.clean));
      if (passed !== undefined && !table.some((row) => /\|\s{1,4}Fail\b/.test(row.clean)))
        sink.add('works', { what: 'the diagnosis of DCGM passed', layer: 'driver' }, [line, passed]);
    }
    const instance = /^\|\s{1,6}(\d{1,3})\s{1,4}MIG (\d\S{2,20})\s{1,12}\d{1,4}\s{1,12}\d{1,4}\s{1,12}\d{1,3}:\d/.exec(
      line.clean,
    );
    if (instance !== null)
      sink.add('gpu.mig-device', { gpu: Number(instance[1]), profile: instance[2]!, uuid: null }, line);
  }
}

/** Single lines that say that something was done, each with what it says. */
const done: readonly (readonly [RegExp, string])[] = [
  [
    /"(?:GET|POST|PUT) \/\S{0,200} HTTP\/\d(?:\.\d)?"? 200\b|\brequest: (?:GET|POST) \/\S{0,200} \S{1,60} 200\b/,
    'requests are answered',
  ],
  [/\bserved [1-9]\d{0,9} requests?\b.{0,40}\b(?:0|no) errors\b/i, 'requests are answered'],
  [/\b\d{1,6}(?:\.\d{1,3})? (?:tokens per second|tokens\/s(?:ec)?|tok\/s)\b/i, 'tokens are generated'],
  [/\bsuccessfully loaded '?[\w.-]{1,80}'? version \d/i, 'the model was loaded'],
  [/\bStarted (?:GRPC|HTTP)\w{0,30}Service at \S{3,60}/, 'the server started'],
  [/^\s{0,4}\{'loss': \d{1,6}\.\d{1,8}, .{0,200}'epoch': \d/, 'training makes progress'],
  [/\ball validations are successful\b/i, 'the validator of the GPU operator is content'],
  [
    /^Performance: {1,20}\d{1,6}\.\d{1,4}\b|\bPerformance: \d{1,6}(?:\.\d{1,4})? (?:ns\/day|steps\/s|GFLOPS?|TFLOPS?)/,
    'the run reports its speed',
  ],
  [/^frame= {0,8}\d{1,9} fps=.{0,160}\bL?size=.{0,160}\bspeed= {0,4}\d/, 'the video was transcoded'],
  [/^100% tests passed, 0 tests failed out of [1-9]/, 'the tests passed'],
  [/^All differences are within tolerance|^&&&& PASSED\b|\bAll tests passed\b/i, 'the test passed'],
  [/\bThroughput: \d{1,9}(?:\.\d{1,4})? qps\b|\bEngine built in \d/, 'TensorRT built the engine and ran it'],
  [/^\s{0,8}Testing [\w.-]{1,80} tests passed\b/, 'the tests passed'],
  [/^Test Summary: {1,80}\| Pass {1,40}Total\b/, 'the tests passed'],
  [
    /\bp50 ?[:=]? {0,2}\d[\d.]{0,12} ?(?:ms|us|µs|s)\b.{0,60}\bp9[059] ?[:=]? {0,2}\d|\b(?:mean|avg|average|median)[ _]latency ?[:=(]? ?(?:ms|us|s)?\)? ?[:=]? {0,2}\d[\d.]{0,12}/i,
    'the run reports its latency',
  ],
  [/^SUCCESS!$/, 'the check of the library passed'],
  [/^STATUS: deployed\b/, 'the release was deployed'],
  [/\boffloaded (\d{1,4})\/\1 layers to GPU/, 'all layers are on the GPU'],
];

function one(text: string, line: Line, sink: FactSink): void {
  for (const [pattern, what] of done) if (pattern.test(text)) sink.add('works', { what, layer: 'application' }, line);
  if (/(?:^|[ =])\d{1,6} passed\b/.test(text) && !/\b[1-9]\d{0,5} (?:failed|errors?)\b/.test(text)) {
    sink.add('works', { what: 'the tests passed', layer: 'application' }, line);
  }
  if (/^(?:#\d{1,4} [\d.]{1,10} )?Successfully (?:installed|built) \S/.test(text))
    sink.add('works', { what: 'the package was built and installed', layer: 'application' }, line);
}
