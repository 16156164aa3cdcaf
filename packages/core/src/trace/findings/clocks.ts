import type { SampledMetric, TraceFinding } from '../model.ts';
import type { Detector } from './detector.ts';
import { against, unclear, waste } from './detector.ts';
import type { Scene } from './scene.ts';

const ask = 'nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE';

/**
 * Clocks of the SMs against the highest that the device states: clocks that never come up were set low; clocks that come
 * up and go down again are taken away by power or heat, which a trace does not tell apart. Nsight Systems: GPU metrics.
 */
export const clocks: Detector = (scene, limits): readonly TraceFinding[] => {
  const device = scene.trace.devices[scene.device];
  const clock = smClockOf(scene);
  const highest = device?.clockHz ?? null;
  if (clock === null || highest === null || highest <= 0 || clock.samples < limits['repeats']!) return [];
  const hz = (value: number): number => value * scaleOf(clock, highest);
  const [most, mean] = [(100 * hz(clock.most)) / highest, (100 * hz(clock.mean)) / highest];
  // Above the stated clock, the unit was taken wrong.
  if (most > 150 || most <= 0) return [];
  const busy = scene.spanNs > 0 && scene.idleNs * 100 < limits['idle-share']! * scene.spanNs;
  const seen = [{ file: scene.trace.file, quote: quoteOf(clock) }];
  const mhz = (value: number): string => `${Math.round(hz(value) / 1e6)} MHz`;
  if (most < limits['clock-low']! && scene.busyNs * 2 >= scene.spanNs)
    return [
      waste({
        cause: 'application-clocks-lowered',
        certainty: 'likely',
        message: `the SM clock never exceeds ${mhz(clock.most)} while the GPU works, and its highest is ${Math.round(highest / 1e6)} MHz`,
        measured: [against('highest SM clock seen', most, '<', limits, 'clock-low', '% of the highest')],
        saving: {
          upperBoundNs: scene.busyNs * (1 - Math.max(0, Math.min(1, mean / 100))),
          how: 'busy time, less what it would take at the highest clock',
        },
        quotes: seen,
        missing: { fact: 'who lowered the clocks', ask },
      }),
    ];
  if (busy && mean < limits['clock-low']!)
    return [
      unclear(
        'power-throttle',
        `the SM clock is ${mhz(clock.mean)} on average while the GPU works, and its highest is ${Math.round(highest / 1e6)} MHz; whether power or heat takes it away is not in the trace`,
        { fact: 'the reasons for its clocks', ask },
        seen,
      ),
    ];
  return [];
};

/** The clock of the graphics clusters, as GPU metrics name it: `GPC Clock Frequency`, `GR Clock`, `SM clock`. */
function smClockOf(scene: Scene): SampledMetric | null {
  return (
    scene.trace.metrics.find(
      (metric) =>
        metric.device === scene.device && /\b(?:gpc|gr|sm|graphics)\b.{0,20}\b(?:clock|freq)/i.test(metric.name),
    ) ?? null
  );
}

/** Samples come in Hz, MHz or GHz. */
function scaleOf({ unit, name, most }: SampledMetric, highest: number): number {
  const told = /\b([kmg]?)hz\b/i.exec(`${unit ?? ''} ${name}`)?.[1]?.toLowerCase();
  const scale = told === undefined ? null : { '': 1, k: 1e3, m: 1e6, g: 1e9 }[told as '' | 'k' | 'm' | 'g'];
  return scale ?? [1, 1e3, 1e6, 1e9].find((each) => most * each >= highest / 100) ?? 1;
}

function quoteOf({ name, unit, samples, mean, least, most }: SampledMetric): TraceFinding['quotes'][number]['quote'] {
  const of = unit === null ? '' : ` ${unit}`;
  return { line: 1, text: `${name}: ${samples} samples, ${least} to ${most}${of}, ${mean}${of} on average` };
}
