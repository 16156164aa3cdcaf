import type { Detected } from './finding.ts';
import { against } from './finding.ts';
import type { GpuView } from './view.ts';

/** The reason masks of a GPU that it quoted lines for, those with one of the bits first. */
function lines(gpu: GpuView, bits: number): readonly string[] {
  return [...gpu.series.quoted.keys()].filter((name) => {
    const mask = name.startsWith('reasons ') ? Number(name.slice(8)) : 0;
    for (let bit = 0; bit < 12; bit++)
      if (Math.floor(bits / 2 ** bit) % 2 === 1 && Math.floor(mask / 2 ** bit) % 2 === 1) return true;
    return false;
  });
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/**
 * What holds the clocks or the link of a GPU down, whatever runs on it. Bits: NVML's clock event reasons.
 * Several may be true at once.
 */
export function heldDown(gpu: GpuView): readonly Detected[] {
  const found: Detected[] = [];
  const { limits } = gpu;
  const share = (bits: number): number => gpu.reason(bits) ?? 0;
  const least = limits['throttle-share']! / 100;
  const clock = gpu.busy('sm-clock');
  const highest = gpu.max('sm-clock-max') ?? gpu.max('sm-clock');
  const clockShare = clock === null || highest === null ? null : (100 * clock) / highest;
  if (share(0x80) >= least)
    found.push({
      cause: 'power-brake-slowdown',
      kind: 'fault',
      says: `the power brake of the chassis is active in ${percent(share(0x80))} of the busy samples`,
      measured: against('share of busy samples with the brake (%)', share(0x80) * 100, '>=', 'throttle-share'),
      quote: lines(gpu, 0x80),
    });
  else if (share(0x60) >= least)
    found.push({
      cause: 'thermal-throttle',
      kind: 'fault',
      says: `heat holds the clocks down in ${percent(share(0x60))} of the busy samples, at up to ${Math.round(gpu.max('temperature') ?? 0)} °C`.replace(
        ', at up to 0 °C',
        '',
      ),
      measured: against('share of busy samples with a thermal reason (%)', share(0x60) * 100, '>=', 'throttle-share'),
      quote: lines(gpu, 0x60),
    });
  else {
    // Without a utilisation nobody knows which samples are busy; an idle GPU is never held down by heat.
    const hot = gpu.busy('thermal-violation') ?? (gpu.mean('util') === null ? gpu.mean('thermal-violation') : null);
    if (hot !== null && hot * 100 >= limits['throttle-share']!)
      found.push({
        cause: 'thermal-throttle',
        kind: 'fault',
        says: `a thermal violation is counted in ${percent(hot)} of the ${gpu.mean('util') === null ? '' : 'busy '}samples`,
        measured: against('share of busy samples with a thermal violation (%)', hot * 100, '>=', 'throttle-share'),
      });
  }
  const [limit, board] = [gpu.last('power-limit'), gpu.last('power-default')];
  const lowered = limit === null || board === null || board <= 0 ? null : 100 * (1 - limit / board);
  if (lowered !== null && lowered >= limits['limit-lowered']! && share(0x4) >= least)
    found.push({
      cause: 'power-limit-lowered',
      kind: 'fault',
      says: `its power limit is ${Math.round(limit!)} W where the board's is ${Math.round(board!)} W, and it holds the clocks down in ${percent(share(0x4))} of the busy samples`,
      measured: against('limit below the board (%)', lowered, '>=', 'limit-lowered'),
      quote: ['lowered', ...lines(gpu, 0x4).slice(-1)],
    });
  else if (share(0x4) >= least && clockShare !== null && clockShare < limits['low-clock']!)
    found.push({
      cause: 'power-throttle',
      kind: 'fault',
      says: `its power cap takes the clocks down to ${Math.round(clockShare)} % of the highest`,
      measured: against('clock of the highest (%)', clockShare, '<', 'low-clock'),
      quote: ['slowest'],
    });
  if (share(0x2) >= least && (clockShare ?? 100) < 95)
    found.push({
      cause: 'application-clocks-lowered',
      kind: 'fault',
      says: `application clocks hold it at ${Math.round(clock ?? 0)} of ${Math.round(highest ?? 0)} MHz`,
      measured: against('share of busy samples with the reason (%)', share(0x2) * 100, '>=', 'throttle-share'),
      quote: lines(gpu, 0x2),
    });
  found.push(...linkDown(gpu));
  return found;
}

function linkDown(gpu: GpuView): readonly Detected[] {
  const [width, most] = [gpu.busy('pcie-width'), gpu.max('pcie-width-max')];
  if (width !== null && most !== null && width < most - 0.5)
    return [
      {
        cause: 'pcie-link-degraded',
        kind: 'fault',
        says: `its PCIe link has ${Math.round(width)} of ${most} lanes under load`,
        measured: [],
        quote: ['link'],
      },
    ];
  const [generation, best] = [gpu.busy('pcie-generation'), gpu.max('pcie-generation-max')];
  if (generation !== null && best !== null && generation < best - 0.5)
    return [
      {
        cause: 'pcie-link-degraded',
        kind: 'fault',
        says: `its PCIe link runs at generation ${Math.round(generation)} of ${best} under load`,
        measured: [],
        quote: ['link'],
      },
    ];
  return [];
}
