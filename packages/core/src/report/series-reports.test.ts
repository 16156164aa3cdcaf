import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { examine } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { SeriesReader } from '../utilization/reader.ts';
import { seriesData } from '../utilization/series-data.ts';
import { SeriesSet } from '../utilization/series-set.ts';
import { defaultThresholds } from '../utilization/thresholds.rows.ts';
import { dashboard } from './grafana-dashboard.ts';
import { lookupOf } from './lookup.ts';
import { publishedSchema } from './schemas.ts';
import { seriesPage } from './series-page.ts';
import { seriesSvg } from './series-svg.ts';

function setOf(text: string): SeriesSet {
  const set = new SeriesSet();
  const reader = new SeriesReader(set, 'series.txt');
  text.split('\n').forEach((line, at) => reader.line(line, at + 1));
  reader.end();
  return set;
}

const header = 'timestamp, index, name, utilization.gpu [%], power.draw [W], clocks_event_reasons.active';
const rows = (name: string, count = 60): string =>
  [
    header,
    ...Array.from(
      { length: count },
      (_, at) =>
        `2026/03/03 14:0${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}.000, 0, ${name}, 100 %, ${300 + at} W, 0x20`,
    ),
  ].join('\n');
const hot = setOf(rows('NVIDIA H100'));
const hostile = setOf(rows('<b>&"]]></svg><script>x</script>'));

describe('series as JSON', () => {
  it('fit the published schema', () => {
    const validate = new Ajv2020({ strict: false }).compile(publishedSchema('series'));
    for (const set of [hot, hostile, new SeriesSet()]) {
      validate(JSON.parse(JSON.stringify(seriesData(set, 1e6))));
      expect(validate.errors ?? []).toEqual([]);
    }
  });
});

describe('series as SVG', () => {
  it.each([
    ['hot', hot],
    ['hostile', hostile],
  ] as const)('%s is well-formed and runs nothing', (_, set) => {
    const svg = seriesSvg(seriesData(set, 1e5));
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).not.toMatch(/<script|<foreignObject|href=|\son\w+=|NaN|Infinity/i);
    expect(svg).toContain('thermal-throttle');
  });

  it('draws anything that a set may hold', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 200_000 }), fc.integer({ min: 0, max: 100 }), fc.nat({ max: 3 })), {
          maxLength: 60,
        }),
        (samples) => {
          const lines = samples.map(
            ([second, util, gpu]) =>
              `${new Date(1.77e12 + second * 1000).toISOString().replace('T', ' ').replaceAll('-', '/').slice(0, 23)}, ${gpu}, x, ${util} %, ${util * 3} W, 0x0`,
          );
          const data = seriesData(setOf([header, ...lines].join('\n')), 1e5);
          if (data.gpus.length === 0) return;
          const svg = seriesSvg(data);
          expect(XMLValidator.validate(svg)).toBe(true);
          expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('series as a page', () => {
  it('holds verdict, data and script, and says what no script would show', () => {
    const { verdict } = examine([], defaultKnowledge, hot);
    const page = seriesPage(
      verdict,
      lookupOf(defaultKnowledge, verdict),
      { knowledge: defaultKnowledge, version: '1.2.3', color: false, columns: null, left: [] },
      seriesData(hot, 1e5),
      'draw();',
    );
    expect(page).toContain('<script>draw();</script>');
    expect(page).toContain('data-cause="thermal-throttle"');
    expect(page).toContain('<noscript>');
    const data = JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(page)![1]!) as {
      schema: string;
    };
    expect(data.schema).toBe('culprit/series@1');
  });
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly refId: string }[];
}

describe('the dashboard', () => {
  const made = JSON.parse(JSON.stringify(dashboard(defaultThresholds, '1.2.3'))) as {
    readonly schemaVersion: number;
    readonly panels: readonly Panel[];
    readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
    readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  };

  it('has a data source, nodes, GPUs and pods to choose, and the alerts as annotations', () => {
    expect(made.schemaVersion).toBeGreaterThanOrEqual(41);
    expect(made.templating.list.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'datasource datasource',
      'node query',
      'gpu query',
      'pod query',
    ]);
    expect(made.annotations.list[0]!.expr).toContain('ALERTS{alertname=~"Culprit.*"');
  });

  it('has panels with ids and targets of their own that do not cover each other', () => {
    const { panels } = made;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { targets, title } of panels) {
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      for (const { expr } of targets) expect(expr).toMatch(/\$node/);
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
