import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../model/verdict.ts';
import { diagnose } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { exitStatusOf, worstExitStatus } from './exit-status.ts';
import type { VerdictFormat } from './verdict-report.ts';
import { reportVerdict, verdictFormats } from './verdict-report.ts';

const inputs: Readonly<Record<string, string>> = {
  fault: [
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
    'Failed to initialize NVML: Driver/library version mismatch',
    'NVML library version: 570.133',
  ].join('\n'),
  ok: '>>> torch.cuda.is_available()\nTrue\n',
  nothing: 'epoch 1\n',
  empty: '',
  'only possible': 'cuLinkComplete: error 221: PTX JIT compiler library not found',
  program:
    'RuntimeError: CUDA error: device-side assert triggered\n/x/Indexing.cu:1290: indexSelectLargeIndex: block: [1,0,0], thread: [2,0,0] Assertion `srcIndex < srcSelectDimSize` failed.',
  hostile:
    '\u001b]0;x\u0007<b>&"]]>`Failed to initialize NVML: Driver/library version mismatch`\u0000\u202e ::error::x %0A\r\n\n@all [x](http://y)',
  markup: [
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:15:01 UTC 2025',
    'Failed to initialize NVML: Driver/library version mismatch <img src=x onerror=alert(1)>',
    'NVML library version: 570.133',
  ].join('\n'),
  'long line': `${'z'.repeat(30_000)} Failed to initialize NVML: Driver/library version mismatch ${'z'.repeat(30_000)}`,
};
const verdicts: Readonly<Record<string, Verdict>> = Object.fromEntries(
  Object.entries(inputs).map(([name, text]) => [
    name,
    diagnose([createDocument(text, { file: name === 'fault' ? 'logs/job 1,a:b.log' : '-' })]),
  ]),
);
const names = Object.keys(inputs);
const print = (name: string, format: VerdictFormat, color = false): string =>
  reportVerdict(verdicts[name]!, format, {
    knowledge: defaultKnowledge,
    version: '1.2.3',
    color,
    columns: 100,
    left: ['one part'],
  });

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const schema = JSON.parse(
  readFileSync(new URL('../../../cli/schemas/verdict.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = ajv.compile(schema);

describe('every report of every verdict', () => {
  it.each(names.flatMap((name) => verdictFormats.map((format) => [name, format] as const)))(
    '%s as %s ends in one line feed and hides control characters',
    (name, format) => {
      const text = print(name, format);
      expect(text).toMatch(/[^\n]\n$/);
      // oxlint-disable-next-line no-control-regex
      if (format !== 'json' && format !== 'sarif')
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    },
  );

  it.each(names)('%s as JSON fits the published schema', (name) => {
    const value: unknown = JSON.parse(print(name, 'json'));
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  });
});

describe('text', () => {
  it('starts with status, layer, who acts and the headline', () => {
    expect(print('fault', 'text').split('\n')[0]).toBe(
      `fault in the driver, the operator acts: ${verdicts['fault']!.headline}`,
    );
    expect(print('nothing', 'text').split('\n')[0]).toMatch(/^cannot tell/);
    expect(print('ok', 'text').split('\n')[0]).toMatch(/^ok: /);
    expect(print('program', 'text').split('\n')[0]).toMatch(
      /^not the GPU stack but the application, the developer acts/,
    );
  });

  it('quotes the line, keeps the message of a long one in sight, and numbers the steps', () => {
    expect(print('fault', 'text')).toContain('Kernel Module  570.124.06');
    const long = print('long line', 'text');
    expect(long).toContain('Failed to initialize NVML');
    expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThan(260);
    expect(print('fault', 'text')).toMatch(/1\. cluster admin: /);
  });

  it('says what was left out', () => {
    expect(print('ok', 'text')).toContain('one part');
  });
});

describe('JUnit', () => {
  it.each(names)('%s is well-formed and its counts are true', (name) => {
    const text = print(name, 'junit');
    expect(XMLValidator.validate(text)).toBe(true);
    const parsed = new XMLParser({ ignoreAttributes: false, isArray: (tag) => tag === 'testcase' }).parse(text) as {
      testsuites: {
        testsuite: {
          '@_tests': string;
          '@_failures': string;
          testcase: readonly { failure?: unknown; skipped?: unknown }[];
        };
      };
    };
    const suite = parsed.testsuites.testsuite;
    expect(suite.testcase.length).toBe(Number(suite['@_tests']));
    expect(suite.testcase.filter((each) => 'failure' in each).length).toBe(Number(suite['@_failures']));
  });

  it('does not fail for what is only possible', () => {
    expect(print('only possible', 'junit')).toContain('failures="0"');
    expect(print('fault', 'junit')).not.toContain('failures="0"');
  });
});

describe('GitHub annotations', () => {
  it('name the file and the line, with commas and colons escaped', () => {
    const first = print('fault', 'github').split('\n')[0]!;
    expect(first).toMatch(/^::error file=logs\/job 1%2Ca%3Ab\.log,line=\d+,col=1,title=culprit driver\//);
  });

  it('cannot be forged by the input', () => {
    for (const line of print('hostile', 'github').trimEnd().split('\n'))
      expect(line).toMatch(/^::(?:error|warning|notice) /);
  });
});

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly name: string;
        readonly rules: readonly { readonly id: string; readonly helpUri?: string }[];
      };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly kind: string;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { readonly startLine: number; readonly startColumn: number };
        };
      }[];
    }[];
  }[];
}

describe('SARIF', () => {
  it.each(names)('%s keeps the rules of the format', (name) => {
    const sarif = JSON.parse(print(name, 'sarif')) as Sarif;
    expect(sarif.version).toBe('2.1.0');
    expect(sarif.runs).toHaveLength(1);
    const [run] = sarif.runs;
    const { rules } = run!.tool.driver;
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
    for (const rule of rules) if (rule.helpUri !== undefined) expect(() => new URL(rule.helpUri!)).not.toThrow();
    expect(run!.results).toHaveLength(verdicts[name]!.findings.length);
    for (const result of run!.results) {
      expect(rules[result.ruleIndex]!.id).toBe(result.ruleId);
      expect(result.message.text).not.toBe('');
      // section 3.27.10: a kind other than fail has the level none
      expect(result.kind === 'fail' ? ['error', 'warning', 'note'] : ['none']).toContain(result.level);
      for (const { physicalLocation } of result.locations) {
        expect(physicalLocation.artifactLocation.uri).toMatch(/^[\w%./~()!*'-]+$/);
        expect(physicalLocation.region.startLine).toBeGreaterThan(0);
        expect(physicalLocation.region.startColumn).toBeGreaterThan(0);
      }
    }
  });
});

describe('Markdown', () => {
  it('lets no text of the input out of its code block', () => {
    const text = print('hostile', 'markdown');
    const outside = text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '');
    expect(outside).not.toContain('[x](http://y)');
    expect(outside).not.toContain('<b>');
  });
});

describe('HTML', () => {
  it.each(names)('%s has its own elements only, each of them closed, and asks for nothing', (name) => {
    const text = print(name, 'html')
      .replace(/<style>[^<]*<\/style>/, '')
      .replace('<!doctype html>', '');
    const tags = [...text.matchAll(/<(\/?)([a-z0-9]+)([^<>]*)>/g)];
    expect(text.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>]/);
    const open: string[] = [];
    for (const [, end, tag, attributes] of tags) {
      expect(attributes).not.toMatch(/\s(?:on\w+|style|src)=/);
      if (['meta', 'link'].includes(tag!)) continue;
      if (end === '') open.push(tag!);
      else expect(open.pop()).toBe(tag);
    }
    expect(open).toEqual([]);
    expect(text).not.toContain('<script');
  });

  it('links only addresses of the web, and shows the text of the input as text', () => {
    const text = print('markup', 'html');
    for (const [, href] of text.matchAll(/<a href="([^"]*)"/g)) expect(href).toMatch(/^https?:/);
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;');
  });

  it('leads with the answer, and gives each finding an id and its cause', () => {
    const text = print('fault', 'html');
    expect(text).toContain('<p class="status">fault in the driver, the operator acts</p>');
    expect(text).toMatch(/<section id="finding-1" data-cause="kmod-userspace-mismatch-after-upgrade"/);
    expect(text).toMatch(/The fix, in this order/);
  });
});

describe('exit statuses', () => {
  it('follow the status', () => {
    expect((['ok', 'fault', 'performance', 'not-stack-fault', 'cannot-tell'] as const).map(exitStatusOf)).toEqual([
      0, 1, 1, 1, 3,
    ]);
  });

  it('of several targets take the first of 4, 1, 3, 0 that occurs', () => {
    expect([[0, 3], [3, 1], [1, 4], [0], []].map(worstExitStatus)).toEqual([3, 1, 4, 0, 0]);
  });
});
