import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateRequirement, isDisabled, parseRequirement, requirementsOf } from './requirement.ts';
import type { RequirementHost } from './requirement.ts';

const host: RequirementHost = { cuda: '12.2', driver: '535.183.01', arch: '8.0', brands: ['tesla', 'nvidia'] };
const check = (value: string, other: Partial<RequirementHost> = {}, csv = false): boolean | null =>
  evaluateRequirement(parseRequirement('NVIDIA_REQUIRE_CUDA', value), { ...host, ...other }, csv).holds;

describe('NVIDIA_REQUIRE_CUDA', () => {
  it.each([
    ['cuda>=12.2', true],
    ['cuda>=12.2.0', true],
    ['CUDA>=12.2', true],
    ['cuda>=12.4', false],
    ['cuda>=12.4 driver>=535,driver<536', true],
    ['cuda>=12.4 driver>=525,driver<526', false],
    ['cuda>=12.4 brand=tesla,driver>=535,driver<536', null],
    ['cuda>=12.4 brand=tesla,driver>=535,driver<536 brand=nvidia,driver>=535,driver<536', true],
    ['cuda>=12.4 brand=geforce,driver>=535,driver<536', false],
    ['brand!=geforce', true],
    ['arch>=7.5', true],
    ['arch>=9.0', false],
    ['  cuda>=12.2   ', true],
    ['cuda>=12.2,,arch>=7.5,', true],
    ['', true],
    ['cuda>=12.2 nonsense', true],
    ['nonsense cuda>=12.2', false],
    ['cuda>=12.4,nonsense cuda>=12.0', true],
    // Signs that are no operator, and values that cannot be compared, refuse the start where they are reached.
    ['cuda=>12.0 driver>=1', false],
    ['cuda==12.2 driver>=1', false],
    ['cuda>==12.2 driver>=1', false],
    ['cuda>=12.x driver>=1', false],
    ['brand>=tesla driver>=1', false],
    ['cuda>=12.2 cuda==12.2', true],
    ['cuda>=12.4,cuda==12.2 driver>=1', true],
    ['cuda!12.4', true],
  ])('%j holds on R535 with an A100: %s', (value, holds) => expect(check(value)).toBe(holds));

  it('is not decided by what is not known', () => {
    expect(check('cuda>=12.4', { cuda: null })).toBeNull();
    expect(check('cuda>=12.4 brand=tesla,driver>=535,driver<536', { brands: [] })).toBeNull();
    expect(check('driver>=535.54', { driver: '535', driverIsBranch: true })).toBeNull();
    expect(check('driver>=535,driver<536', { driver: '535', driverIsBranch: true })).toBe(true);
  });

  it('in CSV mode knows cuda and arch only', () => {
    expect(check('cuda>=12.4 driver>=535,driver<536', {}, true)).toBe(false);
    expect(check('cuda>=12.2', {}, true)).toBe(true);
  });

  it.each([
    ['cuda=>12.0 driver>=1', true],
    ['cuda>=12.4 nonsense,driver>=1', true],
    ['cuda>=12.4', false],
    ['cuda>=12.2 nonsense', false],
  ])('%j stops at a term that cannot be read: %s', (value, invalid) =>
    expect(evaluateRequirement(parseRequirement('NVIDIA_REQUIRE_CUDA', value), host).invalid).toBe(invalid),
  );

  it('quotes the first alternative', () => {
    expect(
      evaluateRequirement(parseRequirement('NVIDIA_REQUIRE_CUDA', 'cuda>=12.4 brand=geforce,driver<500'), host).quoted,
    ).toBe('cuda>=12.4');
  });

  it('is implied by CUDA_VERSION, every NVIDIA_REQUIRE_ variable counts, JETPACK does not', () => {
    expect(requirementsOf({ CUDA_VERSION: '12.4.1' }).map((one) => one.text)).toEqual(['cuda>=12.4']);
    expect(
      requirementsOf({ CUDA_VERSION: '12.4.1', NVIDIA_REQUIRE_CUDA: 'cuda>=12.0' }).map((one) => one.text),
    ).toEqual(['cuda>=12.0']);
    expect(
      requirementsOf({
        NVIDIA_REQUIRE_CUDA: 'cuda>=12.0',
        NVIDIA_REQUIRE_ARCH: 'arch>=8.0',
        NVIDIA_REQUIRE_JETPACK: 'x',
      }),
    ).toHaveLength(2);
  });

  it.each([
    ['1', true],
    ['true', true],
    ['T', true],
    ['yes', false],
    ['0', false],
    ['', false],
  ])('NVIDIA_DISABLE_REQUIRE=%s switches it off: %s', (value, off) =>
    expect(isDisabled({ NVIDIA_DISABLE_REQUIRE: value })).toBe(off),
  );

  it('never throws', () => {
    const terms = fc
      .array(fc.constantFrom('cuda', 'driver', 'brand', 'arch', '>=', '<', '!=', '=', '12.4', 'tesla', ' ', ',', '..'))
      .map((list) => list.join(''));
    fc.assert(
      fc.property(fc.oneof(terms, fc.string(), fc.constant('cuda>=1 '.repeat(9999))), (value) =>
        [true, false, null].includes(check(value)),
      ),
    );
  });
});
