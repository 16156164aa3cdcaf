// A case, run on a machine and written down by tools that are drawn by chance.
import type { Sample } from './series-machine.ts';
import { boards, runMachine } from './series-machine.ts';
import { healthy } from './series-healthy-scenarios.ts';
import type { Case, Ground, Layout } from './series-scenarios.ts';
import { troubles } from './series-scenarios.ts';
import { randomOf } from './series-random.ts';
import type { DmonAge, Measured, Wear } from './series-texts.ts';
import {
  clockAt,
  dcgmiCarries,
  dmonAges,
  dmonCarries,
  exportedSeries,
  exporterCarries,
  machineDcgmi,
  machineDmon,
  machineExporter,
  machinePmon,
  machineQuery,
  queryCarries,
} from './series-texts.ts';

export const troubleNames: readonly string[] = Object.keys(troubles);
export const healthyNames: readonly string[] = Object.keys(healthy);

/** A series of a server: its labels, and its points as the interface gives them. */
export interface ServerSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

export interface Rendered {
  readonly name: string;
  readonly accepted: readonly string[];
  /** Causes that may lead where nothing can be told. */
  readonly open: readonly string[];
  readonly healthy: boolean;
  /** Everything is there that tells it. */
  readonly strict: boolean;
  readonly layout: string;
  readonly series: readonly string[];
  readonly beside: readonly string[];
  /** What a server holds; null where files are read. */
  readonly server: readonly ServerSeries[] | null;
  readonly period: { readonly from: number; readonly to: number; readonly step: number };
  readonly says: RegExp | null;
}

const all: readonly Layout[] = ['dmon', 'query', 'dcgmi', 'exporter', 'prometheus'];

/** A case with all that is drawn for it by a seed. */
export function rendered(name: string, seed: number): Rendered {
  const random = randomOf(seed * 7919 + name.split('').reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7));
  const draw = (low: number, high: number): number => low + (high - low) * random();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const scenario = (troubles[name] ?? healthy[name])!;
  const [board, count] = [pick(boards), pick([1, 1, 1, 2, 2, 4])];
  const [usual, slow] = [Math.round(draw(80, 150)), pick([1, 1, 2, 5, 15])];
  const groundOf = (each: number): Ground => ({
    board,
    draw,
    seconds: (each > 2 ? usual : usual + 60) * each,
    gpus: count,
  });
  let step = slow;
  let made = scenario(groundOf(step));
  // A rhythm is looked at closely.
  if (made.fine === true && step > 1) made = scenario(groundOf((step = 1)));
  if (made.step !== undefined) step = made.step;
  const gpus = made.gpus ?? count;
  const ground = groundOf(step);
  const seconds =
    made.step === undefined ? (made.seconds === undefined ? ground.seconds : made.seconds * step) : made.seconds!;
  const clean = runMachine({
    board: made.board ?? board,
    gpus,
    seconds,
    step,
    seed,
    load: made.load,
    ...(made.rig === undefined ? {} : { rig: made.rig }),
    together: made.together === true,
  });
  const samples = clean.map((list, gpu) =>
    list.map((sample, at): Sample | null => (made.alter === undefined ? sample : made.alter(sample, at * step, gpu))),
  );
  const shared = random() < 0.5 ? { pod: 'train-0' } : {};
  const names = (made.names ?? Array.from({ length: gpus }, (_, gpu) => ({ gpu, ...shared }))).slice(0, gpus);
  const measured: Measured = { samples, names, board: (made.board ?? board).name, step, mig: made.mig === true };
  const worn = seed % 3 === 0 ? 0 : draw(0, 0.03);
  const wear: Wear = { seed, lostRows: worn, lostCells: worn / 2, ahead: pick([0, 0, 1, 3]) };
  const needs = made.needs ?? [];
  let written = write(measured, made, { draw, pick, wear, needs });
  for (
    let tries = 0;
    tries < 8 && !needs.every((metric) => written.carries.includes(metric)) && seed % 7 !== 6;
    tries++
  )
    written = write(measured, made, { draw, pick, wear, needs });
  const plain = made.names === undefined;
  const beside = (made.beside ?? []).filter((text) => text !== 'dmon');
  const unaltered: Measured = { ...measured, samples: clean };
  return {
    name,
    accepted: made.accepted,
    open: made.open ?? [],
    healthy: healthy[name] !== undefined,
    strict: needs.every((metric) => written.carries.includes(metric)),
    layout: written.layout,
    series: [
      ...written.texts,
      ...(made.beside?.includes('dmon') === true ? [machineDmon(unaltered, 'r590', 'puc', 'T', wear)] : []),
      ...(made.processes !== undefined && plain
        ? [
            machinePmon(
              Array.from({ length: gpus }, (_, gpu) => made.processes!(gpu)),
              3,
            ),
          ]
        : []),
    ],
    beside,
    server: written.server,
    period: {
      from: Date.parse(clockAt(0)) / 1000,
      to: Date.parse(clockAt(step * (samples[0]!.length - 1))) / 1000,
      step,
    },
    says: made.says ?? null,
  };
}

interface Hand {
  readonly draw: (low: number, high: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  readonly wear: Wear;
  readonly needs: readonly string[];
}

interface Written {
  readonly layout: string;
  readonly texts: readonly string[];
  readonly server: readonly ServerSeries[] | null;
  readonly carries: readonly string[];
}

function write(measured: Measured, made: Case, hand: Hand): Written {
  const { draw, pick } = hand;
  const layouts = (made.layouts ?? all).filter((layout) => layout !== 'dcgmi' || made.names === undefined);
  const lead = pick(layouts);
  const second =
    made.layouts === undefined && lead !== 'prometheus' && made.names === undefined && draw(0, 1) < 0.3
      ? pick(['dmon', 'query'] as const)
      : lead;
  const used =
    made.names === undefined || lead === 'exporter' || lead === 'prometheus'
      ? [...new Set([lead, second])]
      : (['exporter'] as const);
  const without = made.without ?? [];
  const parts = used.map((layout) => one(layout, measured, without, hand));
  return {
    layout: parts.map(({ layout }) => layout).join('+'),
    texts: parts.flatMap(({ texts }) => texts),
    server: parts.find(({ server }) => server !== null)?.server ?? null,
    carries: parts.flatMap(({ carries }) => carries),
  };
}

function one(
  layout: Layout,
  measured: Measured,
  without: readonly string[],
  { draw, pick, wear, needs }: Hand,
): Written {
  const optional = [
    'enc',
    'dec',
    'gtemp',
    'dbecc',
    'sbeccNow',
    'remapFailed',
    'remapPending',
    'gen',
    'genMax',
    'width',
    'widthMax',
    'fp32',
    'nvReplays',
  ];
  const left = [...without, ...optional.filter((metric) => !needs.includes(metric) && draw(0, 1) < 0.25)];
  switch (layout) {
    case 'dmon': {
      const age: DmonAge = pick(measured.mig === true ? dmonAges.filter((each) => each !== 'gpm') : dmonAges);
      const wanted = 'pucvmet'
        .split('')
        .filter(
          (letter) =>
            'pu'.includes(letter) ||
            dmonCarries(letter, 'r590').some((metric) => needs.includes(metric)) ||
            draw(0, 1) < 0.45,
        );
      const sets = wanted.toSorted(() => draw(-1, 1)).join('');
      const text = machineDmon(measured, age, sets, pick(['', 'T', 'DT'] as const), wear);
      return { layout: `dmon ${age} -s ${sets}`, texts: [text], server: null, carries: dmonCarries(sets, age) };
    }
    case 'query':
      return {
        layout: 'query',
        texts: [machineQuery(measured, left, draw(0, 1) < 0.6, wear)],
        server: null,
        carries: queryCarries(left),
      };
    case 'dcgmi':
      return { layout: 'dcgmi', texts: [machineDcgmi(measured, wear)], server: null, carries: dcgmiCarries };
    case 'exporter':
      return {
        layout: 'exporter',
        texts: [machineExporter(measured, left, draw(0, 1) < 0.4, 1, wear)],
        server: null,
        carries: exporterCarries(left),
      };
    case 'prometheus': {
      const random = randomOf(wear.seed + 17);
      const from = Date.parse(clockAt(0)) / 1000;
      const server = exportedSeries(measured, left, draw(0, 1) < 0.4).map(({ name, labels, at }) => ({
        metric: { __name__: name, instance: `${labels['Hostname']}:9400`, job: 'dcgm-exporter', ...labels },
        values: measured.samples[0]!.flatMap((_, index): readonly (readonly [number, string])[] => {
          const value = at(index);
          return value === null || random() < wear.lostCells ? [] : [[from + index * measured.step, String(value)]];
        }),
      }));
      return { layout: 'prometheus', texts: [], server, carries: exporterCarries(left) };
    }
  }
}

/** Whether a verdict is what may be said of a series. */
export function isRight(
  series: Rendered,
  verdict: { readonly status: string; readonly cause: string | null },
): boolean {
  const { cause, status } = verdict;
  if (cause === null) return false;
  if (status === 'cannot-tell' && series.open.includes(cause)) return true;
  return series.accepted.includes(cause) && (series.says === null || series.says.test(JSON.stringify(verdict)));
}
