import { describe, expect, it } from 'vitest';
import { parseDriver } from '../versions/driver.ts';
import type { DriverVersion } from '../versions/driver.ts';
import { compatChoice, parseContainerToolkit, possibleModes } from './injection.ts';
import type { RealMode } from './injection.ts';

const driver = (text: string): DriverVersion => parseDriver(text) as DriverVersion;
const use = (
  toolkit: string,
  mode: RealMode,
  compat: string,
  host: string,
  note?: readonly number[] | null,
): boolean | null => compatChoice(parseContainerToolkit(toolkit) ?? [], mode, driver(compat), driver(host), note).used;

describe('who puts the compat libraries of an image in front', () => {
  it.each([
    ['1.16.2', 'legacy', '560.35.05', '535.183.01', true],
    ['1.17.3', 'legacy', '535.104.05', '570.195.03', null],
    ['1.17.3', 'legacy', '535.104.05', '535.183.01', false],
    ['1.17.3', 'cdi', '560.35.05', '535.183.01', false],
    ['1.17.4', 'legacy', '560.35.05', '535.183.01', false],
    ['1.17.4', 'cdi', '560.35.05', '535.183.01', false],
    ['1.17.5', 'cdi', '560.35.05', '535.183.01', true],
    ['1.17.8', 'legacy', '560.35.05', '535.183.01', true],
    ['1.17.8', 'legacy', '535.104.05', '570.195.03', false],
    ['1.18.1', 'jit-cdi', '580.82.07', '570.195.03', true],
    ['1.18.1', 'jit-cdi', '580.65.06', '580.95.05', false],
    ['1.20.0', 'jit-cdi', '560.35.05', '535.183.01', true],
    ['1.20.0', 'jit-cdi', '590.44.01', '565.77', null],
  ] as const)('toolkit %s in %s mode, compat %s on host %s: %s', (toolkit, mode, compat, host, used) => {
    expect(use(toolkit, mode, compat, host)).toBe(used);
  });

  it('from 1.20.0 on the list inside the library decides', () => {
    expect(use('1.20.0', 'jit-cdi', '590.44.01', '565.77', [535, 550, 570, 575, 580, 590])).toBe(false);
    expect(use('1.20.0', 'jit-cdi', '590.44.01', '575.57.08', [535, 550, 570, 575, 580, 590])).toBe(true);
    expect(use('1.20.0', 'jit-cdi', '590.44.01', '590.48.01', [535, 550, 570, 575, 580, 590])).toBe(false);
    expect(use('1.20.0', 'jit-cdi', '590.48.01', '590.44.01', [535, 550, 570, 575, 580, 590])).toBe(true);
  });

  it('auto is legacy up to 1.17 and jit-cdi from 1.18 on', () => {
    expect(possibleModes('auto', [1, 17, 8])).toEqual(['legacy']);
    expect(possibleModes('auto', [1, 18, 0])).toEqual(['jit-cdi']);
    expect(possibleModes(undefined, null)).toContain('legacy');
  });

  it.each([
    ['1.17.8', [1, 17, 8]],
    ['v1.18.0', [1, 18, 0]],
    ['1.17.4-1', [1, 17, 4]],
    ['1.18.0~rc.1', [1, 18, 0]],
    ['x', null],
  ])('%s reads as %j', (text, parts) => expect(parseContainerToolkit(text)).toEqual(parts));
});
