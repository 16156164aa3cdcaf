// What programs say when they work.
//
// steps:   2%|1         | 24/1600 [01:02<1:08:10,  2.59s/it, avr_loss=0.398]
// Epoch 2/5
// 32/32 [==============================] - 1s 39ms/step - loss: 0.5418
// INFO:     Uvicorn running on http://127.0.0.1:30000 (Press CTRL+C to quit)
// Created device /job:localhost/replica:0/task:0/device:GPU:0 with 14598 MB memory
// Num GPUs Available:  1
// Result = PASS
// # Out of bounds values : 0 OK
// | Overall Health            | Healthy                                                  |
import type { Line, Scope } from '../model/document.ts';
import type { FactValue } from '../model/facts.ts';
import type { Parser } from './parser.ts';
import { hasSlowed } from './slowed.ts';

type Works = FactValue<'works'>;

interface Sign {
  readonly pattern: RegExp;
  readonly works: Works;
}

const signs: readonly Sign[] = [
  {
    pattern: /^(?:INFO:?\s{0,8})?(?:\S{0,40} )?Application startup complete/,
    works: { what: 'the server started', layer: 'application' },
  },
  { pattern: /Uvicorn running on http/, works: { what: 'the server started', layer: 'application' } },
  { pattern: /The server is fired up and ready to roll/, works: { what: 'the server started', layer: 'application' } },
  {
    pattern: /\bserver (?:is )?(?:started|ready|running|up)\b|\bmodel loaded\b|\ball shards ready\b/i,
    works: { what: 'the server started', layer: 'application' },
  },
  {
    pattern:
      /\bShard ready in \d|\bWarmup (?:complete|done)\b|\bserver is listening on\b|\bConnected\b.{0,40}\brouter\b/i,
    works: { what: 'the server started', layer: 'application' },
  },
  {
    pattern: /Created (?:TensorFlow )?device \S{0,80}device:GPU:\d/i,
    works: { what: 'TensorFlow created a GPU device', layer: 'framework' },
  },
  { pattern: /^Result = PASS\b/, works: { what: 'a CUDA sample passed', layer: 'driver' } },
  {
    pattern: /^#? ?Out of bounds values {0,4}: {0,4}0 OK/,
    works: { what: 'nccl-tests found no wrong value', layer: 'nccl' },
  },
  {
    pattern: /\bOverall Health {1,60}\| {0,4}Healthy\b/,
    works: { what: 'DCGM reports healthy GPUs', layer: 'driver' },
  },
  {
    pattern: /\b(?:cuda|plugin|driver|toolkit) (?:workload )?validation is successful\b/,
    works: { what: 'the GPU operator validated the node', layer: 'driver' },
  },
  { pattern: /\bmig\.config\.state ?[=:] ?"?success\b/, works: { what: 'MIG was configured', layer: 'driver' } },
  {
    pattern: /^Changing the 'nvidia\.com\/mig\.config\.state' node label to 'success'/,
    works: { what: 'MIG was configured', layer: 'driver' },
  },
  {
    pattern: /^=+ ERROR SUMMARY: 0 errors\b/,
    works: { what: 'the sanitizer found no error', layer: 'application' },
  },
  {
    pattern: /\btraining (?:completed|complete|finished|done)\b(?! with error)/i,
    works: { what: 'training ran to its end', layer: 'application' },
  },
  {
    pattern: /^(?:ALL (?:TESTS|CHECKS) )?PASS(?:ED)?[.!]?\s{0,4}$/,
    works: { what: 'a check passed', layer: 'application' },
  },
  {
    pattern: /^SUM \w{4,80} \d[\d.]{1,20}\s{0,4}$/,
    works: { what: 'nvbandwidth measured its copies', layer: 'driver' },
  },
  {
    pattern: /\b[1-9]\d{0,6} epochs completed in \d/,
    works: { what: 'training ran to its end', layer: 'application' },
  },
  { pattern: /^Test (?:PASSED|passed)\b/, works: { what: 'a CUDA sample passed', layer: 'driver' } },
  {
    pattern: /\bdevice:GPU:\d{1,2}['"],? device_type=['"]GPU['"]/,
    works: { what: 'TensorFlow lists a GPU', layer: 'framework' },
  },
  {
    pattern: /\[?CudaDevice\(id=\d{1,4}\)|\bGpuDevice\(id=\d{1,4}|\bcuda\(id=\d{1,4}\)/,
    works: { what: 'JAX lists a CUDA device', layer: 'framework' },
  },
  {
    pattern: /\bNum GPUs Available: {1,4}[1-9]\d{0,3}\b/,
    works: { what: 'TensorFlow lists a GPU', layer: 'framework' },
  },
];

/** Bars of work that does not use the GPU. */
const otherBars =
  /download|fetch|load|map\b|map:|token|filter|extract|split|resolv|upload|convert|cach|sav|read|import|compil|preprocess|pre-process|index|decod|quantiz|captur|collect|validat(?:ing)? data|install/i;

/** How far a training line is; null where the line tells no progress. */
function progressOf(text: string): number | null {
  const bar = /(\d{1,3})%\|[^|]{0,120}\| {0,4}(\d{1,12})\/(\d{1,12}) \[/.exec(text);
  if (bar !== null) return otherBars.test(text.slice(0, bar.index)) ? null : Number(bar[2]);
  const keras = /^\s{0,8}(\d{1,9})\/\d{1,9} (?:\[[=>.]{1,80}\]|━).{0,200}\bloss: /.exec(text);
  if (keras !== null) return Number(keras[1]);
  // Train: 3 [ 450/1251 ( 36%)]  Loss: 5.812 (6.011)  Time: 0.201s
  const timm = /^Train: (\d{1,9}) \[ {0,8}(\d{1,9})\/\d{1,9} .{0,40}\] {1,4}Loss: /.exec(text);
  if (timm !== null) return Number(timm[1]) * 1e6 + Number(timm[2]);
  //   3/300      9.73G      1.915      2.695      1.822        43        640: 100% 925/925 [02:02<00:00,  7.3it/s]
  const detector = /^\s{0,8}(\d{1,6})\/\d{1,6}\s{1,12}\d[\d.]{0,8}G\s.{0,120}\d{1,3}%/.exec(text);
  if (detector !== null) return Number(detector[1]);
  const named =
    /\b(?:iter(?:ation)?|step|global_step|epoch|batch|update)s?\b["']?\s{0,3}[:=#[]?\s{0,4}(\d{1,12})(?=[\s/,;\]:.)|]|$).{0,200}?(?:\bloss\b|\bcompleted\b|\bthroughput\b|\bsamples\/s|\btokens\/s|\bit\/s|\blr\b|\bacc\b)/i.exec(
      text,
    );
  if (named !== null && !/\b(?:fail|error|nan|not)\b/i.test(text)) return Number(named[1]) + 1;
  const epoch = /^\s{0,4}Epoch:? \[?(\d{1,9})(?:\/\d{1,9})?\]?/.exec(text);
  return epoch === null ? null : Math.max(0, Number(epoch[1]) - 1);
}

export const works: Parser = {
  id: 'works',
  literals: [
    'summary: 0 ',
    '100% tests passed',
    'train: ',
    'application startup complete',
    'uvicorn running on',
    'fired up and ready',
    'server ',
    'model loaded',
    'shards ready',
    'shard ready',
    'warmup ',
    'router',
    'device:gpu:',
    'result = pass',
    'out of bounds values',
    'overall health',
    'mig.config.state',
    'validation is successful',
    'training ',
    'test passed',
    'pass',
    'sum ',
    'epochs completed',
    'g  ',
    'error summary',
    'cudadevice(',
    'gpudevice(',
    'cuda(id=',
    'num gpus available',
    '%|',
    'epoch ',
    'epoch:',
    'iter ',
    'iteration',
    'step',
    'loss',
  ],
  parse(_document, hits, sink) {
    const progress = new Map<Scope, { readonly at: number; readonly line: Line }>();
    for (const line of hits) {
      if (line.prompt || line.told) continue;
      const text = line.clean;
      if (/^=========\s{1,4}(?:\w{4,9} )?(?:ERROR|RACECHECK|LEAK) SUMMARY: 0 (?:errors?|hazards?)\b/.test(text)) {
        sink.add('works', { what: 'the sanitizer found no error in the program', layer: 'application' }, line);
        continue;
      }
      if (/^(?:\[\d{1,2}:\d{2}:\d{2}\] )?100% tests passed, 0 tests failed out of [1-9]/.test(text)) {
        sink.add('works', { what: 'all tests passed', layer: 'application' }, line);
        continue;
      }
      const sign = signs.find(({ pattern }) => pattern.test(text));
      if (
        sign !== undefined &&
        !/\b(?:not|failed|fail|error|cannot|ensure|make sure|check|if|when|whether|wait|waiting|until|unless|should|must|is the|can't|couldn't|could)\b|\?/i.test(
          text.slice(0, 300),
        )
      ) {
        sink.add('works', sign.works, line);
        continue;
      }
      const now = progressOf(text);
      if (now === null || now < 1) continue;
      const known = progress.get(line.scope);
      // A bar that is drawn once more where it stood has not moved.
      if (known?.at === now) continue;
      progress.set(line.scope, { at: now, line });
    }
    // The last line of progress tells how long it went well.
    if (progress.size === 0 || hasSlowed(hits)) return;
    for (const { line } of progress.values())
      sink.add('works', { what: 'training makes progress', layer: 'application' }, line);
  },
};
