import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareComputeCapability,
  formatComputeCapability,
  parseCodeTarget,
  parseComputeCapability,
} from './compute-capability.ts';
import { compareCuda, compareCudaMinor, formatCuda, parseCuda } from './cuda.ts';
import { compareCudnn, formatCudnn, parseCudnn } from './cudnn.ts';
import { compareDriver, driverAtLeast, formatDriver, isVulkanBeta, parseDriver, windowsBranch } from './driver.ts';
import type { DriverVersion } from './driver.ts';
import { compareNccl, formatNccl, parseNccl } from './nccl.ts';
import { compareWheelVersion, formatWheelVersion, parseWheelVersion, releaseLine, variantOf } from './pep440.ts';
import { compareSoname, formatSoname, parseSoname } from './soname.ts';

interface Scheme<T> {
  readonly name: string;
  readonly parse: (text: string) => T | null;
  readonly compare: (a: T, b: T) => number;
  readonly format: (value: T) => string;
  readonly samples: fc.Arbitrary<string>;
}

const n = (most: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: most });
const small = n(3);
const two = n(99).map((v) => String(v).padStart(2, '0'));

function scheme<T>(value: Scheme<T>): Scheme<unknown> {
  return value as unknown as Scheme<unknown>;
}

const schemes: readonly Scheme<unknown>[] = [
  scheme({
    name: 'driver',
    parse: parseDriver,
    compare: compareDriver,
    format: formatDriver,
    samples: fc.oneof(
      fc.integer({ min: 390, max: 392 }).map(String),
      fc.tuple(fc.integer({ min: 534, max: 536 }), n(200)).map(([a, b]) => `${a}.${b}`),
      fc.tuple(fc.integer({ min: 534, max: 536 }), small, two).map((p) => p.join('.')),
    ),
  }),
  scheme({
    name: 'cuda',
    parse: parseCuda,
    compare: compareCuda,
    format: formatCuda,
    samples: fc.oneof(
      fc.tuple(fc.integer({ min: 10, max: 13 }), small).map((p) => p.join('.')),
      fc.tuple(fc.integer({ min: 10, max: 13 }), small, small).map((p) => p.join('.')),
      fc.tuple(fc.integer({ min: 10, max: 13 }), n(9)).map((p) => `cu${p.join('')}`),
      fc.tuple(fc.integer({ min: 9, max: 13 }), n(9)).map(([a, b]) => String(a * 1000 + b * 10)),
    ),
  }),
  scheme({
    name: 'cudnn',
    parse: parseCudnn,
    compare: compareCudnn,
    format: formatCudnn,
    samples: fc.oneof(
      fc.array(small, { minLength: 1, maxLength: 4 }).map((p) => [8, ...p].slice(0, 4).join('.')),
      n(999).map((v) => String(8000 + v)),
      n(9999).map((v) => String(90_000 + v)),
      fc.tuple(small, small).map(([a, b]) => `(9, ${a}, ${b})`),
    ),
  }),
  scheme({
    name: 'nccl',
    parse: parseNccl,
    compare: compareNccl,
    format: formatNccl,
    samples: fc.oneof(
      fc.tuple(n(30), small).map(([a, b]) => `2.${a}.${b}`),
      fc.tuple(n(30), small, small).map(([a, b, c]) => `2.${a}.${b}+cuda12.${c}`),
      n(999).map((v) => String(2000 + v)),
      n(9999).map((v) => String(20_000 + v)),
    ),
  }),
  scheme({
    name: 'wheel',
    parse: parseWheelVersion,
    compare: compareWheelVersion,
    format: formatWheelVersion,
    samples: fc
      .tuple(
        small,
        small,
        fc.constantFrom('', '.0', '.1', 'rc1', '.dev3', '.post1', 'a1'),
        fc.constantFrom('', '+cu118', '+cu128', '+cpu', '+rocm6.3'),
      )
      .map(([a, b, c, d]) => `${a}.${b}${c}${d}`),
  }),
  scheme({
    name: 'soname',
    parse: parseSoname,
    compare: compareSoname,
    format: formatSoname,
    samples: fc
      .tuple(
        fc.constantFrom('cuda', 'cudart', 'nvidia-ml'),
        fc.constantFrom('', '.1', '.12', '.12.4', '.570.124.06', '.570.86.10'),
      )
      .map(([a, b]) => `lib${a}.so${b}`),
  }),
  scheme({
    name: 'compute capability',
    parse: parseComputeCapability,
    compare: compareComputeCapability,
    format: formatComputeCapability,
    samples: fc
      .tuple(
        fc.constantFrom('sm_', 'compute_', ''),
        fc.integer({ min: 3, max: 12 }),
        n(9),
        fc.constantFrom('', 'a', 'f'),
      )
      .map(([a, b, c, d]) => `${a}${b}${c}${d}`),
  }),
];

describe.each(schemes)('versions: $name', ({ parse, compare, format, samples }) => {
  const values = samples.map((text) => parse(text)).filter((value) => value !== null);

  it('reads its samples', () => {
    fc.assert(fc.property(samples, (text) => parse(text) !== null));
  });
  it('is total and antisymmetric', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const ab = compare(a, b);
        return [-1, 0, 1].includes(ab) && compare(b, a) === (ab === 0 ? 0 : -ab);
      }),
    );
  });
  it('is transitive', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [a, b, c].sort(compare);
        return compare(x, y) <= 0 && compare(y, z) <= 0 && compare(x, z) <= 0;
      }),
    );
  });
  it('comes back from its printed form', () => {
    fc.assert(
      fc.property(values, (value) => {
        const again = parse(format(value));
        return again !== null && compare(again, value) === 0 && format(again) === format(value);
      }),
    );
  });
  it('never throws and never reads a broken sample as something it cannot print', () => {
    const broken = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.tuple(samples, fc.string(), n(12)).map(([text, junk, at]) => text.slice(0, at) + junk + text.slice(at)),
      fc.tuple(samples, n(12)).map(([text, at]) => text.slice(0, at)),
      fc.constantFrom(
        '0'.repeat(100_000),
        '1.'.repeat(50_000),
        '('.repeat(9999),
        'cu'.repeat(9999),
        'a.b.c',
        '',
        '.',
        '-1',
      ),
    );
    fc.assert(
      fc.property(broken, (text) => {
        const value = parse(text);
        if (value !== null) expect(parse(format(value))).not.toBeNull();
      }),
    );
  });
});

const driver = (text: string): DriverVersion => parseDriver(text) as DriverVersion;

describe('driver versions', () => {
  it.each([
    ['525.60.12', '525.60.13', -1],
    ['525.47.18', '525.60.13', -1],
    ['570.26', '570.124.06', -1],
    ['580.105.08', '580.95.05', 1],
    ['440.33.01', '440.33', 1],
    ['535', '535.43.02', -1],
    ['565.77', '565.77', 0],
  ])('%s against %s is %i', (a, b, order) => expect(compareDriver(driver(a), driver(b))).toBe(order));

  it.each([
    ['525.60.13', '525.60.13', true],
    ['525.60.12', '525.60.13', false],
    ['525', '525.60.13', null],
    ['535', '525.60.13', true],
    ['520', '525.60.13', false],
    ['580.65.06', '580', true],
    ['580', '580', true],
    ['575.64.05', '580', false],
  ])('is %s at least %s: %s', (a, floor, answer) => expect(driverAtLeast(driver(a), driver(floor))).toBe(answer));

  it.each([
    ['525.47.18', true],
    ['535.43.28', true],
    ['550.40.53', true],
    ['550.40.07', false],
    ['550.54.15', false],
    ['570.123.19', true],
    ['570.124.06', false],
    ['580.94.16', true],
    ['580.95.05', false],
  ])('is %s a Vulkan developer build: %s', (text, answer) => expect(isVulkanBeta(driver(text))).toBe(answer));

  it.each([
    ['R535', '535', true],
    ['31.0.15.3713', '537.13', false],
    ['32.0.15.7270', '572.70', false],
    ['565.77', '565.77', false],
  ])('%s reads as %s, branch only: %s', (text, printed, partial) => {
    expect(formatDriver(driver(text))).toBe(printed);
    expect(driver(text).partial).toBe(partial);
  });

  it.each([
    ['537.13', 535],
    ['528.33', 525],
    ['566.03', 565],
    ['616.56', 615],
    ['450.80', 450],
  ])('the Windows driver %s is of branch %i', (text, branch) => {
    expect(windowsBranch(driver(text), [450, 525, 530, 535, 545, 560, 565, 610, 615])).toBe(branch);
  });

  it.each(['12.4', '5', 'abc', '535.', '535.1.2.3.4', '-535'])('%s is no driver version', (text) =>
    expect(parseDriver(text)).toBeNull(),
  );
});

describe('CUDA versions', () => {
  it.each([
    ['12.4', '12.4'],
    ['12.4.1', '12.4.1'],
    ['12040', '12.4'],
    ['13000', '13.0'],
    ['9020', '9.2'],
    ['V12.4.131', '12.4.131'],
    ['cu124', '12.4'],
    ['cu92', '9.2'],
    ['cu12', '12'],
    ['cu130', '13.0'],
    ['cuda12', '12'],
    ['cuda12x', '12'],
    ['12.6.2.004', '12.6.2'],
  ])('%s reads as %s', (text, printed) => expect(formatCuda(parseCuda(text) as never)).toBe(printed));

  it('knows that an update is of the same release line', () => {
    expect(compareCudaMinor(parseCuda('12.4') as never, parseCuda('12.4.1') as never)).toBe(0);
    expect(compareCudaMinor(parseCuda('cu12') as never, parseCuda('12.4') as never)).toBeNull();
    expect(compareCudaMinor(parseCuda('cu12') as never, parseCuda('13.0') as never)).toBe(-1);
  });
});

describe('library versions', () => {
  it.each([
    ['90100', '9.1.0'],
    ['91002', '9.10.2'],
    ['8907', '8.9.7'],
    ['9.10.2.21', '9.10.2.21'],
    ['(9,1,0)', '9.1.0'],
  ])('cuDNN %s reads as %s', (text, printed) => expect(formatCudnn(parseCudnn(text) as never)).toBe(printed));

  it.each([
    ['22105', '2.21.5'],
    ['2708', '2.7.8'],
    ['21003', '2.10.3'],
    ['2.21.5+cuda12.4', '2.21.5+cuda12.4'],
    ['(2, 21, 5)', '2.21.5'],
    ['2.26.2-1', '2.26.2'],
  ])('NCCL %s reads as %s', (text, printed) => expect(formatNccl(parseNccl(text) as never)).toBe(printed));

  it.each([
    ['2.7.0+cu128', 'cu128', '2.7'],
    ['2.5.1+cpu', 'cpu', '2.5'],
    ['2.9.0+cu130.post1', 'cu130', '2.9'],
    ['2.8.3+cu12torch2.5cxx11abifalse', 'cu12', '2.8'],
    ['2.10.0', null, '2.10'],
  ])('wheel %s is variant %s of line %s', (text, variant, line) => {
    const version = parseWheelVersion(text) as never;
    expect(variantOf(version)).toBe(variant);
    expect(releaseLine(version)).toBe(line);
  });

  it.each([
    ['9.0', '9.0'],
    ['sm_90a', '9.0a'],
    ['compute_100f', '10.0f'],
    ['90', '9.0'],
    ['121', '12.1'],
    ['sm89', '8.9'],
  ])('compute capability %s reads as %s', (text, printed) =>
    expect(formatComputeCapability(parseComputeCapability(text) as never)).toBe(printed),
  );

  it('tells machine code from PTX', () => {
    expect(parseCodeTarget('compute_80')?.kind).toBe('ptx');
    expect(parseCodeTarget('sm_100f')?.kind).toBe('sass');
    expect(parseCodeTarget('8.0')).toBeNull();
  });
});
