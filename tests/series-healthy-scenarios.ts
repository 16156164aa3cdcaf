// What nothing is wrong with, and what only looks like trouble.
import { nothing } from './series-machine.ts';
import type { Case, Ground } from './series-scenarios.ts';
import { burstsOf, partOf, profiling, topText, training, wellUsed } from './series-scenarios.ts';

const pauses: readonly string[] = [
  'ok-training-with-evaluation',
  'ok-training-with-checkpoints',
  'ok-checkpoint-write',
  'ok-warm-up',
];
const steady: readonly string[] = [
  ...wellUsed,
  'ok-streaming-input',
  'ok-pcie-collectives',
  'ok-pipeline-stages',
  'ok-two-jobs',
];
const requests: readonly string[] = ['ok-bursty-inference', 'ok-idle-inference', 'ok-diurnal-inference', 'ok-two-jobs'];

const owners: readonly string[] = [
  'notebook-alice',
  'finetune-bob',
  'llm-serving-5f7d9c',
  'etl-nightly',
  'eval-suite',
  'simulator',
  'notebook-carol',
  'dev-box',
];

export const healthy: Readonly<Record<string, (ground: Ground) => Case>> = {
  training: ({ draw }) => {
    const work = training(draw);
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work, together: true };
  },
  'training at the limit of the board': ({ draw }) => {
    const work = { ...training(draw), heat: draw(1.1, 1.5) };
    return {
      accepted: ['ok-at-power-limit', 'ok-well-used', 'ok-compute-bound'],
      needs: ['sm', 'pwr', 'limit'],
      load: () => work,
    };
  },
  'training near heat, at full clocks': ({ draw }) => {
    const work = { ...training(draw), heat: draw(0.7, 0.85) };
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work, rig: () => ({ air: draw(40, 42) }) };
  },
  'clocks set to the highest there are': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      load: () => work,
      alter: (sample) => ({ ...sample, reasons: (sample['reasons'] ?? 0) | 2 }),
    };
  },
  'memory-bound': ({ draw }) => {
    const work = {
      ...training(draw),
      tensor: 0,
      dram: draw(0.8, 0.93),
      sms: draw(0.85, 0.98),
      occ: 0.6,
      heat: draw(0.4, 0.65),
      fp32: 0.15,
    };
    return { accepted: ['ok-memory-bound-well-used'], needs: ['sm', 'dram', 'smact', 'tensor'], load: () => work };
  },
  'double precision': ({ draw, board }) => {
    const work = {
      ...training(draw),
      tensor: 0,
      fp64: draw(0.6, 0.9),
      fp32: 0.02,
      dram: draw(0.05, 0.2),
      sms: draw(0.9, 0.99),
    };
    return { accepted: ['ok-fp64-compute'], needs: ['sm', 'fp64', 'smact', 'tensor'], board, load: () => work };
  },
  'double precision, and the pipe is not exported': ({ draw }) => {
    const work = { ...training(draw), tensor: 0, fp64: 0.8, fp32: 0.02, dram: 0.1, sms: 0.95 };
    return {
      accepted: [...steady, 'ok-fp64-compute'],
      open: ['tensor-cores-idle', 'util-metric-not-exported'],
      load: () => work,
      without: ['fp64', 'fp32'],
    };
  },
  'input that streams beside the kernels': ({ draw }) => {
    const work = { ...training(draw), rx: draw(3000, 11_000), tx: draw(0, 90) };
    return { accepted: steady, needs: ['sm', 'pwr', 'rxpci'], load: () => work };
  },
  'collectives over PCIe where there is nothing else': ({ draw, gpus, board }) => {
    const rate = draw(2500, 9000);
    const work = { ...training(draw), rx: rate, tx: rate * draw(0.9, 1.1), nv: 0 };
    return {
      accepted: steady,
      needs: ['sm', 'pwr', 'rxpci'],
      board: { ...board, nvlink: false },
      gpus: Math.max(2, gpus),
      load: () => work,
    };
  },
  'NVLink that single-GPU jobs have no use for': ({ draw, gpus, board }) => {
    const works = Array.from({ length: 8 }, () => ({ ...training(draw), nv: 0, tx: draw(5, 40) }));
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      board: { ...board, nvlink: true },
      gpus: Math.max(2, gpus),
      names: Array.from({ length: 8 }, (_, gpu) => ({ gpu, pod: `job-${gpu}` })),
      load: (_, gpu) => works[gpu]!,
    };
  },
  'one checkpoint': ({ draw, seconds }) => {
    const work = training(draw);
    const [at, lasts, rate] = [seconds * draw(0.35, 0.7), draw(6, 20), draw(3000, 12_000)];
    return {
      accepted: [...pauses, ...steady],
      needs: ['sm', 'pwr'],
      fine: true,
      load: (t) =>
        t >= at && t < at + lasts ? { ...work, duty: 0, nv: 0, rx: 0, tx: t < at + lasts * 0.7 ? rate : 0 } : work,
    };
  },
  checkpoints: ({ draw, seconds }) => {
    const work = training(draw);
    const every = seconds * draw(0.17, 0.3);
    const [lasts, rate] = [draw(3, 0.12 * every), draw(3000, 12_000)];
    return {
      accepted: [...pauses, ...steady],
      needs: ['sm', 'pwr', 'txpci'],
      fine: true,
      load: (t) => (t % every > every - lasts ? { ...work, duty: 0, nv: 0, rx: 0, tx: rate } : work),
    };
  },
  evaluations: ({ draw, seconds }) => {
    const work = training(draw);
    const every = seconds * draw(0.25, 0.45);
    const lasts = draw(8, 0.25 * every);
    const quiet = draw(0.1, 0.5);
    return {
      accepted: [...pauses, ...steady],
      needs: ['sm', 'pwr'],
      fine: true,
      load: (t) =>
        t % every > every - lasts
          ? { ...work, duty: Math.max(0, quiet + draw(-0.1, 0.1)), heat: 0.4, tensor: 0.15, nv: 0 }
          : work,
    };
  },
  'warm-up': ({ draw, seconds }) => {
    const [work, until] = [training(draw), seconds * draw(0.1, 0.3)];
    return {
      accepted: ['ok-warm-up', ...steady],
      needs: ['sm', 'pwr'],
      load: (t) =>
        t < until
          ? { ...work, duty: 0, held: 0.02 * Math.min(1, t / until), rx: t > until * 0.7 ? 800 : 0, nv: 0 }
          : work,
    };
  },
  'a job that was taken off': ({ draw, seconds }) => {
    const [work, at] = [training(draw), seconds * draw(0.4, 0.8)];
    return {
      accepted: ['ok-preempted-job', ...steady],
      needs: ['sm', 'pwr', 'fb'],
      load: (t) => (t < at ? work : nothing),
    };
  },
  'requests in bursts': ({ draw, seconds }) => {
    const work = { ...training(draw), sms: draw(0.4, 0.9), heat: draw(0.4, 0.8), held: 0.9 };
    const at = burstsOf(draw, seconds + 60, draw(4, 14), draw(4, 14));
    return {
      accepted: requests,
      fine: true,
      needs: ['sm', 'pwr'],
      gpus: 1,
      load: (t) => ({ ...work, duty: at[Math.floor(t)]! * 0.95, rx: 40 * at[Math.floor(t)]!, nv: 0 }),
      processes: () => [{ pid: 911, name: 'tritonserver', sm: 40, mem: 20 }],
    };
  },
  'requests in bursts on several replicas': ({ draw, seconds }) => {
    const work = { ...training(draw), sms: draw(0.4, 0.9), heat: draw(0.4, 0.8), held: 0.9 };
    const at = Array.from({ length: 4 }, () => burstsOf(draw, seconds + 60, draw(4, 14), draw(4, 14)));
    return {
      accepted: requests,
      fine: true,
      needs: ['sm', 'pwr'],
      gpus: 4,
      load: (t, gpu) => ({ ...work, duty: at[gpu]![Math.floor(t)]! * 0.95, rx: 40 * at[gpu]![Math.floor(t)]!, nv: 0 }),
    };
  },
  'a day of requests': ({ draw }) => {
    const [low, high, peak] = [draw(0.03, 0.15), draw(0.6, 0.9), draw(0, 86_400)];
    const work = { ...training(draw), sms: 0.7, held: 0.9, nv: 0 };
    return {
      accepted: ['ok-diurnal-inference', 'ok-bursty-inference', ...steady],
      needs: ['sm', 'pwr'],
      layouts: ['query', 'prometheus'],
      seconds: 86_400,
      step: 60,
      gpus: 1,
      load: (t) => {
        const share = (1 + Math.cos((2 * Math.PI * (t - peak)) / 86_400)) / 2;
        return { ...work, duty: Math.max(0, Math.min(1, low + (high - low) * share ** 1.4 + draw(-0.06, 0.06))) };
      },
    };
  },
  'nothing to do': () => ({ accepted: ['ok-idle'], needs: ['sm', 'pwr'], load: () => nothing }),
  'nothing to do, processes listed': () => ({
    accepted: ['ok-idle'],
    needs: ['sm', 'pwr'],
    load: () => nothing,
    processes: () => [],
  }),
  'a model that waits for requests': ({ draw }) => {
    const held = draw(0.4, 0.93);
    return {
      accepted: ['ok-idle-inference'],
      needs: ['sm', 'fb', 'size'],
      load: () => ({ ...nothing, held }),
      processes: (gpu) => [{ pid: 700 + gpu, name: 'vllm' }],
      layouts: ['dmon', 'query'],
    };
  },
  'stages of a pipeline': ({ draw, gpus }) => {
    const works = Array.from({ length: 8 }, () => ({ ...training(draw), duty: draw(0.6, 0.97) }));
    return {
      accepted: ['ok-pipeline-stages', ...steady],
      needs: ['sm', 'pwr'],
      gpus: Math.max(4, gpus),
      load: (_, gpu) => ({ ...works[gpu]!, duty: works[gpu]!.duty + draw(-0.03, 0.03) }),
    };
  },
  'two jobs, one of them light': ({ draw }) => {
    const [one, two] = [training(draw), { ...training(draw), duty: draw(0.3, 0.6), nv: 0, heat: 0.4 }];
    return {
      accepted: ['ok-two-jobs', ...steady, ...requests],
      open: ['util-metric-not-exported'],
      needs: ['sm', 'pwr'],
      gpus: 4,
      names: Array.from({ length: 4 }, (_, gpu) => ({ gpu, pod: gpu < 2 ? 'train-0' : 'serve-0' })),
      load: (_, gpu) => (gpu < 2 ? one : { ...two, duty: Math.max(0.05, two.duty + draw(-0.15, 0.15)) }),
    };
  },
  'two jobs, one without clocks of its own': ({ draw }) => {
    const [one, two] = [
      { ...training(draw), heat: draw(1.2, 1.5) },
      { ...training(draw), heat: draw(0.4, 0.5) },
    ];
    return {
      accepted: ['ok-two-jobs', ...steady, 'ok-at-power-limit'],
      needs: ['sm', 'pwr', 'limit'],
      gpus: 4,
      load: (_, gpu) => (gpu < 2 ? one : two),
      names: Array.from({ length: 4 }, (_, gpu) => ({ gpu, pod: gpu < 2 ? 'train-0' : 'train-b-0' })),
    };
  },
  'MIG instances with work of their own': ({ draw }) => {
    const count = Math.floor(draw(2, 8));
    const works = Array.from({ length: count }, () => ({ ...training(draw), duty: draw(0.5, 1) }));
    return {
      accepted: ['ok-mig-instances', ...steady],
      // Far apart, samples do not show whether pauses are stalls.
      open: ['series-too-short'],
      needs: ['gract'],
      gpus: count,
      layouts: ['exporter', 'prometheus'],
      names: Array.from({ length: count }, (_, i) => ({
        gpu: 0,
        instance: i + 7,
        profile: '1g.10gb',
        pod: `job-${i}`,
      })),
      load: (_, gpu) => works[gpu]!,
    };
  },
  'MIG instances of several jobs, some idle': ({ draw }) => {
    const count = Math.floor(draw(3, 8));
    const work = training(draw);
    return {
      accepted: ['ok-mig-instances', 'ok-idle-inference', ...steady],
      needs: ['gract'],
      gpus: count,
      layouts: ['exporter', 'prometheus'],
      names: Array.from({ length: count }, (_, i) => ({
        gpu: 0,
        instance: i + 7,
        profile: '1g.10gb',
        pod: owners[i]!,
      })),
      load: (_, gpu) => (gpu < 1 ? work : { ...nothing, held: 0.2 }),
    };
  },
  'MPS clients that share': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: steady,
      gpus: 1,
      needs: ['sm', 'pwr'],
      layouts: ['dmon'],
      load: () => work,
      processes: () =>
        [5101, 5102, 5103, 5104].map((pid) => ({ pid, name: 'python3', type: 'M+C', sm: draw(18, 30), mem: 8 })),
    };
  },
  'a link that rests with its GPU': () => ({
    accepted: ['ok-idle'],
    needs: ['sm', 'pwr'],
    load: () => nothing,
    layouts: ['query'],
  }),
  'a slot of eight lanes': ({ draw }) => {
    const work = training(draw);
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work, rig: () => ({ widthMax: 8 }) };
  },
  'replays of long ago': ({ draw }) => {
    const [work, old] = [training(draw), Math.round(draw(1, 400))];
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work, alter: (sample) => ({ ...sample, pci: old }) };
  },
  'one replay': ({ draw, seconds }) => {
    const [work, at] = [training(draw), seconds * draw(0.2, 0.8)];
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      load: () => work,
      alter: (sample, t) => ({ ...sample, pci: t > at ? 1 : 0 }),
    };
  },
  'memory errors that were corrected': ({ draw, seconds }) => {
    const [work, at, old] = [training(draw), seconds * draw(0.2, 0.8), Math.round(draw(0, 40))];
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      load: () => work,
      alter: (sample, t) => ({ ...sample, sbecc: old + (t > at ? 1 : 0), sbeccNow: t > at ? 1 : 0 }),
    };
  },
  'memory errors of another year': ({ draw }) => {
    const [work, old] = [training(draw), Math.round(draw(1, 6))];
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work, alter: (sample) => ({ ...sample, dbecc: old }) };
  },
  'profiling counters at zero because it rests': ({ draw }) => {
    const held = draw(0, 0.5);
    return {
      accepted: ['ok-idle', 'ok-idle-inference'],
      open: ['gpu-memory-held-by-orphans'],
      needs: ['sm', 'pwr', 'gract'],
      load: () => ({ ...nothing, held }),
      layouts: ['exporter', 'dcgmi'],
    };
  },
  'no profiling counters, watts tell': ({ draw }) => {
    const work = { ...training(draw), heat: draw(0.8, 0.95) };
    return {
      accepted: steady,
      needs: ['sm', 'pwr', 'limit'],
      without: [...profiling],
      load: () => work,
      layouts: ['exporter', 'query'],
    };
  },
  'encoder half used': ({ draw }) => {
    const work = { ...training(draw), enc: draw(0.3, 0.65), dec: draw(0.2, 0.5) };
    return { accepted: steady, needs: ['sm', 'pwr'], load: () => work };
  },
  'a full CPU thread beside a full GPU': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      gpus: 1,
      load: () => work,
      processes: () => [{ pid: 41_000, name: 'python3', sm: 98, mem: 30 }],
      beside: [
        topText([
          [41_000, 100, 'python3'],
          [42_001, 0.3, 'python3'],
        ]),
      ],
    };
  },
  'still for half a minute': ({ draw, seconds }) => {
    const [work, at] = [training(draw), seconds * draw(0.3, 0.6)];
    const wait = { ...nothing, duty: 1, sms: 0.12, occ: 0.03, held: work.held, wander: 0.004 };
    return {
      accepted: [...pauses, ...steady],
      needs: ['sm', 'pwr'],
      gpus: 4,
      fine: true,
      load: (t) => (t >= at && t < at + draw(22, 30) ? wait : work),
    };
  },
  'a kernel that stays and works': ({ draw }) => {
    const work = { ...training(draw), duty: 1, rx: 0, tx: 0, nv: 0, dram: draw(0.3, 0.5), wander: 0.012 };
    return { accepted: steady, needs: ['sm', 'pwr'], gpus: 1, load: () => work };
  },
  'steps of a second with short waits': ({ draw }) => {
    const [work, period] = [training(draw), draw(0.4, 0.9)];
    const share = draw(0.9, 0.97);
    return {
      accepted: steady,
      needs: ['sm', 'pwr'],
      load: (t) => ({ ...work, duty: Math.min(1, partOf(t, period, period * share)) }),
    };
  },
  'three good samples': ({ draw }) => {
    const work = training(draw);
    return {
      accepted: [...steady, 'series-too-short'],
      needs: ['sm', 'pwr'],
      seconds: 3,
      step: 1,
      load: () => work,
      layouts: ['dmon', 'query'],
    };
  },
};
