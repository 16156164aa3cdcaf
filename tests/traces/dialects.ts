// How files of one content differ: by the age of the profiler, by what it was asked to record, by who annotated.
import { randomOf } from './random.ts';

export interface KinetoDialect {
  /** The first files name categories, streams and links in another way, and hold little about the machine. */
  readonly era: 'early' | 'now';
  /** Whether the file says which rank it is of. */
  readonly distributed: boolean;
  /** Old files hold whole microseconds since 1970; newer ones fractions, since 1970 or since a base. */
  readonly times: 'fraction' | 'whole' | 'epoch';
  /** Thread ids of the system, or of pthreads, which are addresses. */
  readonly tids: 'system' | 'pthread';
  readonly flows: boolean;
  /** Python frames around calls. */
  readonly stacks: boolean;
  /** Instants of memory taken and given. */
  readonly memory: boolean;
  /** Operators around the launches. */
  readonly operators: boolean;
  /** Annotations repeated on the rows of the GPU. */
  readonly gpuAnnotations: boolean;
  readonly deviceProperties: boolean;
  readonly namesOfRows: boolean;
  readonly sorted: boolean;
  /** Each event on lines of its own, or all on one. */
  readonly spaced: boolean;
}

export interface NsysDialect {
  readonly age: '2019' | '2021' | '2025';
  /** Ranges name their text by an id. */
  readonly textIds: boolean;
  /** Columns that exports of the future may add. */
  readonly moreColumns: boolean;
  readonly rangeType: 59 | 60;
}

export interface Dialect {
  readonly kineto: KinetoDialect;
  readonly nsys: NsysDialect;
}

export const plainDialect: Dialect = {
  kineto: {
    era: 'now',
    distributed: true,
    times: 'fraction',
    tids: 'system',
    flows: true,
    stacks: false,
    memory: false,
    operators: false,
    gpuAnnotations: false,
    deviceProperties: true,
    namesOfRows: false,
    sorted: true,
    spaced: false,
  },
  nsys: { age: '2025', textIds: false, moreColumns: false, rangeType: 59 },
};

/** What a seed decides about the files. */
export function dialectOf(name: string, seed: number): Dialect {
  const random = randomOf(seed, `${name} dialect`);
  const early = random.chance(0.2);
  return {
    kineto: {
      era: early ? 'early' : 'now',
      distributed: !early && random.chance(0.8),
      times: early ? 'whole' : random.pick(['fraction', 'whole', 'epoch']),
      tids: random.pick(['system', 'pthread']),
      flows: random.chance(0.6),
      stacks: random.chance(0.3),
      memory: random.chance(0.3),
      operators: random.chance(0.5),
      gpuAnnotations: random.chance(0.5),
      deviceProperties: random.chance(0.85),
      namesOfRows: random.chance(0.8),
      sorted: random.chance(0.6),
      spaced: random.chance(0.5),
    },
    nsys: {
      age: random.pick(['2019', '2021', '2025', '2025']),
      textIds: random.chance(0.5),
      moreColumns: random.chance(0.3),
      rangeType: random.pick([59, 59, 60]),
    },
  };
}
