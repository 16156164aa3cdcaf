import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SeriesSet } from '@culprit/core/utilization/series-set';
import { metricAt } from '@culprit/core/utilization/gpu-series';
import type { ServerOptions } from './client.ts';
import { basicOf, PrometheusClient } from './client.ts';
import { PrometheusError } from './errors.ts';
import { durationOf, momentOf, mostPoints, pagesOf, periodOf, periodsOf } from './period.ts';
import type { Question } from './read.ts';
import { readPrometheus } from './read.ts';
import { formsOf, matchersOf } from './selection.ts';

const now = 1_772_546_400;

describe('periods', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['1h30m', 5400],
    ['2d', 172_800],
    ['500ms', 0.5],
    ['h1', null],
    ['1x', null],
    ['', null],
    ['-5m', null],
  ])('%j is %s seconds', (text, seconds) => {
    expect(durationOf(text)).toBe(seconds);
  });

  it.each([
    ['now', now],
    ['now-1h', now - 3600],
    ['-30m', now - 1800],
    ['1772546400', now],
    ['1772546400123', now + 0.123],
    ['2026-03-03T14:00:00Z', now],
    ['2026-03-03T15:00:00+01:00', now],
    ['2026-03-03 15:00+0100', now],
    ['yesterday', null],
    ['2026-13-03', null],
  ])('%j is a moment', (text, moment) => {
    const found = momentOf(text, now);
    if (moment === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(moment, 3);
  });

  it('that end before they begin are refused', () => {
    expect(() => periodOf({ from: 'now', to: 'now-1h' }, now)).toThrow(PrometheusError);
    expect(() => periodOf({ since: '1h', from: 'now-1h' }, now)).toThrow(/both/);
  });

  it.each([
    [
      'with dates',
      { before: '2026-03-01T10:00Z..12:00', after: '2026-03-02T10:00Z..2026-03-02T12:00Z' },
      [-52, -50, -28, -26],
    ],
    ['over midnight', { before: '2026-03-01T22:00Z..02:00', after: '2026-03-02T22:00Z..02:00' }, [-40, -36, -16, -12]],
    ['by how long ago', { before: 'now-2d..now-1d', after: 'now-1d..now' }, [-48, -24, -24, 0]],
    ['open at the end', { before: 'now-9h..now-5h', after: 'now-5h..' }, [-9, -5, -5, 0]],
    ['in the other order', { before: 'now-1d..now', after: 'now-2d..now-1d' }, [-24, 0, -48, -24]],
    ['by one time', { split: 'now-1h', since: '3h' }, [-3, -1, -1, 0]],
  ] as const)('of a comparison are read %s', (_, flags, hours) => {
    const found = periodsOf(flags, now).flatMap(({ from, to }) => [from, to]);
    expect(found.map((each) => Math.round((each - now) / 36) / 100 + 0)).toEqual(hours);
  });

  it('of a comparison by the clock alone are the last ones that are over, and never in the future', () => {
    fc.assert(
      fc.property(fc.nat(86_399), fc.nat(86_399), fc.nat(400 * 86_400), (one, other, later) => {
        const clock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);
        const then = now + later;
        const after = `${clock(one)}..${clock(other)}`;
        if (one === other) return;
        try {
          const [, period] = periodsOf({ before: '2020-01-01..2020-01-02', after }, then);
          expect(period.to).toBeLessThanOrEqual(then);
          expect(period.to).toBeGreaterThan(then - 25.1 * 3600);
          expect(period.to - period.from).toBeLessThanOrEqual(25 * 3600);
        } catch (error) {
          expect(error).toBeInstanceOf(PrometheusError);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('are paged: every point once, in order, no page with more than 11,000', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400_000 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 20_000 }),
        (length, step, points) => {
          let next = 1000;
          for (const { from, to } of pagesOf({ from: 1000, to: 1000 + length }, step, points)) {
            expect(from).toBe(next);
            const count = Math.round((to - from) / step) + 1;
            expect(count).toBeLessThanOrEqual(Math.min(points, mostPoints));
            next = to + step;
          }
          expect(next).toBeGreaterThan(1000 + length);
          expect(next - step).toBeLessThanOrEqual(1000 + length);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('selections', () => {
  const all = { nodes: [], pods: [], gpus: [], selector: null };
  const texts = (selection: Partial<Parameters<typeof formsOf>[0]>): readonly string[] =>
    formsOf({ ...all, ...selection }).map((form) => form.join(','));

  it('of a node try every label that set-ups have for it', () => {
    expect(texts({ nodes: ['gpu-1'] })).toEqual([
      'Hostname="gpu-1"',
      'hostname="gpu-1"',
      'node="gpu-1"',
      'kubernetes_node="gpu-1"',
      'nodename="gpu-1"',
      'instance=~"(gpu-1)(:[0-9]+)?"',
    ]);
    expect(texts({ nodes: ['gpu.1', 'gpu.2'] })[0]).toBe(String.raw`Hostname=~"gpu\\.1|gpu\\.2"`);
  });

  it('of a pod try the workload first, however it was renamed', () => {
    expect(texts({ pods: ['ml/train-0'] })).toEqual([
      'exported_pod="train-0",exported_namespace="ml"',
      'pod="train-0",namespace="ml"',
      'pod_name="train-0",pod_namespace="ml"',
    ]);
  });

  it('of a GPU take an index, a UUID and a bus address', () => {
    expect(texts({ gpus: ['3'] })).toEqual(['gpu="3"', 'gpu="",device="nvidia3"']);
    expect(texts({ gpus: ['GPU-0b9e41c7-5528'] })[0]).toBe('UUID="GPU-0b9e41c7-5528"');
    expect(texts({ gpus: ['0000:19:00.0'] })[0]).toMatch(/^pci_bus_id=~/);
    expect(() => texts({ gpus: ['"} or up{'] })).toThrow(PrometheusError);
  });

  it.each([
    ['cluster="a"', ['cluster="a"']],
    [' {cluster="a", env=~"p.*",x!="y"} ', ['cluster="a"', 'env=~"p.*"', 'x!="y"']],
    [String.raw`a="\"}"`, [String.raw`a="\"}"`]],
  ])('matchers %j are read', (text, matchers) => {
    expect(matchersOf(text)).toEqual(matchers);
  });

  it.each(['cluster=a', 'cluster="a"} or up{x="', 'up', 'a="b" b="c"', '="b"'])('%j is refused', (text) => {
    expect(() => matchersOf(text)).toThrow(PrometheusError);
  });

  it('never leave the braces, whatever the name of a node', () => {
    fc.assert(
      fc.property(fc.string(), (node) => {
        for (const form of formsOf({ ...all, nodes: [node] }))
          for (const matcher of form) expect(matcher).toMatch(/^\w+=~?"(?:[^"\\\n]|\\.)*"$/s);
      }),
    );
  });
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const closers: (() => void)[] = [];

async function serve(handler: Handler, secure?: Parameters<typeof createSecure>[0]): Promise<string> {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handler(request, response, body));
  };
  const server = secure === undefined ? createServer(listener) : createSecure(secure as object, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const plain: Omit<ServerOptions, 'url'> = {
  authorization: null,
  ca: [],
  cert: null,
  key: null,
  insecure: false,
  timeoutMs: 2000,
  env: {},
};
const good = (response: ServerResponse, data: unknown, more: object = {}): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ status: 'success', data, ...more }));
};

async function ask(url: string, options: Partial<ServerOptions> = {}): Promise<unknown> {
  const client = new PrometheusClient({ ...plain, ...options, url });
  try {
    return (await client.ask('query', [['query', 'up']])).data;
  } finally {
    client.close();
  }
}

async function failure(promise: Promise<unknown>): Promise<PrometheusError> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(PrometheusError);
    return error as PrometheusError;
  }
  throw new Error('it did not fail');
}

describe('a server', () => {
  it('is given the token and the tenant, and its address may have a path or be that of the page', async () => {
    let seen: string | undefined;
    const url = await serve((request, response) => {
      seen = `${request.method} ${request.url} ${request.headers.authorization} ${String(request.headers['x-scope-orgid'])}`;
      good(response, 1);
    });
    expect(
      await ask(`${url}/select/0/prometheus/graph?g0.expr=up`, {
        authorization: 'Bearer abc',
        headers: { 'x-scope-orgid': 'ml' },
      }),
    ).toBe(1);
    expect(seen).toBe('POST /select/0/prometheus/api/v1/query Bearer abc ml');
    await ask(url.replace('://', '://me:pa%20ss@'));
    expect(seen).toContain(basicOf('me', 'pa ss'));
  });

  it('that takes no POST is asked by GET', async () => {
    const methods: string[] = [];
    const url = await serve((request, response) => {
      methods.push(request.method!);
      if (request.method === 'POST') {
        response.statusCode = 405;
        response.end();
      } else good(response, new URL(request.url!, 'http://x').searchParams.get('query'));
    });
    expect(await ask(url)).toBe('up');
    expect(methods).toEqual(['POST', 'GET']);
  });

  it.each([
    ['no JSON', 200, '<html>login</html>', 'bad-answer'],
    ['another JSON', 200, '{"hello":1}', 'bad-answer'],
    ['an error', 400, '{"status":"error","errorType":"bad_data","error":"parse error"}', 'refused'],
    ['nothing known', 404, 'not found', 'refused'],
    ['no permission', 401, 'no', 'denied'],
    [
      'too much',
      422,
      '{"status":"error","error":"query processing would load too many samples into memory"}',
      'too-much',
    ],
  ])('that answers %s is not believed', async (_, status, text, code) => {
    const url = await serve((_request, response) => {
      response.statusCode = status;
      response.end(text);
    });
    expect((await failure(ask(url))).code).toBe(code);
  });

  it('that repeats the token does not bring it into a message', async () => {
    const url = await serve((request, response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ status: 'error', error: `bad header ${request.headers.authorization}` }));
    });
    const error = await failure(ask(url.replace('://', '://user:geheim77@'), { authorization: 'Bearer s3cr3t-token' }));
    expect(`${error.message} ${error.hint}`).not.toMatch(/s3cr3t|geheim/);
  });

  it('that redirects is followed a few times, not to less safety and not with credentials elsewhere', async () => {
    const other = await serve((request, response) => good(response, request.headers.authorization ?? 'none'));
    const url = await serve((request, response) => {
      response.statusCode = 307;
      response.setHeader('location', request.url!.startsWith('/loop') ? request.url! : `${other}${request.url}`);
      response.end();
    });
    expect(await ask(url)).toBe('none');
    expect((await failure(ask(url, { authorization: 'Bearer abc' }))).message).toMatch(/not given the credentials/);
    expect((await failure(ask(`${url}/loop`))).message).toMatch(/more than 5 times/);
  });

  it('that never ends, that never begins and that sends too much is given up', async () => {
    const slow = await serve((_request, response) => {
      response.write('{"status":');
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect((await failure(ask(slow, { timeoutMs: 500 }))).message).toMatch(/did not end its answer within 0.5 s/);
    const silent = await serve(() => {});
    expect((await failure(ask(silent, { timeoutMs: 500 }))).code).toBe('not-reached');
    const endless = await serve((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    expect((await failure(ask(endless, { timeoutMs: 20_000 }))).code).toBe('too-much');
    expect((await failure(ask('http://127.0.0.1:1'))).message).toMatch(/nothing listens/);
  });

  it('that is busy is asked again', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      if (++calls < 3) {
        response.statusCode = 503;
        response.end();
      } else good(response, calls);
    });
    expect(await ask(url)).toBe(3);
  });
});

describe('TLS', () => {
  let folder: string;
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'culprit-tls-'));
    const openssl = (...args: readonly string[]): void => {
      execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    };
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=test authority',
    );
    for (const name of ['server', 'client']) {
      openssl(
        'req',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        `/CN=${name}`,
        '-addext',
        'subjectAltName=IP:127.0.0.1',
      );
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-out',
        `${name}.pem`,
        '-days',
        '2',
        '-copy_extensions',
        'copy',
      );
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('trusts the authority that is named, and nobody unknown', async () => {
    const url = await serve((_request, response) => good(response, 'safe'), {
      key: file('server.key'),
      cert: file('server.pem'),
    });
    const error = await failure(ask(url));
    expect([error.code, error.hint]).toEqual(['not-reached', expect.stringContaining('--tls-ca')]);
    expect(await ask(url, { ca: [file('ca.pem')] })).toBe('safe');
    expect(await ask(url, { insecure: true })).toBe('safe');
  });

  it('shows a certificate where the server asks for one', async () => {
    const url = await serve((_request, response) => good(response, 'known'), {
      key: file('server.key'),
      cert: file('server.pem'),
      ca: file('ca.pem'),
      requestCert: true,
      rejectUnauthorized: true,
    });
    const ca = [file('ca.pem')];
    expect((await failure(ask(url, { ca }))).code).toBe('not-reached');
    expect(await ask(url, { ca, cert: file('client.pem'), key: file('client.key') })).toBe('known');
  });

  it('says so where a server speaks none', async () => {
    const url = await serve((_request, response) => good(response, 1));
    expect((await failure(ask(url.replace('http:', 'https:')))).hint).toMatch(/http:\/\//);
  });
});

/** A small server: every series has a point each second, made by a function of time. */
interface Made {
  readonly labels: Readonly<Record<string, string>>;
  readonly at: (time: number) => string | null;
}

function fake(series: readonly Made[], asked: URLSearchParams[] = [], most = Number.POSITIVE_INFINITY): Handler {
  return (request, response, body) => {
    const what = new URL(request.url!, 'http://x').pathname.split('/').at(-1)!;
    const parameters = new URLSearchParams(body);
    asked.push(parameters);
    const selector = parameters.get('query') ?? parameters.get('match[]') ?? '';
    const matchers = [...selector.matchAll(/(\w+)(=~|=)"((?:[^"\\]|\\.)*)"/g)];
    const found = series.filter(({ labels }) =>
      matchers.every(([, name, how, value]) => {
        const own = labels[name!] ?? '';
        const text = value!.replaceAll('\\\\', '\\');
        return how === '=' ? own === text : new RegExp(`^(?:${text.replace('(?i)', '')})$`).test(own);
      }),
    );
    if (what === 'series')
      good(
        response,
        found.map(({ labels }) => labels),
      );
    else if (what === 'query') good(response, { resultType: 'vector', result: [] });
    else {
      const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(parameters.get(name)));
      if ((end! - start!) / step! + 1 > most) {
        response.statusCode = 400;
        response.end(
          '{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution of 11,000 points per timeseries."}',
        );
        return;
      }
      const result = found.map(({ labels, at }) => {
        const values: [number, string][] = [];
        for (let time = start!; time <= end!; time += step!) {
          const value = at(time);
          if (value !== null) values.push([time, value]);
        }
        return { metric: labels, values };
      });
      good(response, { resultType: 'matrix', result }, { warnings: ['store gateway-3 is not reached'] });
    }
  };
}

async function read(
  handler: Handler,
  question: Partial<Question> = {},
): Promise<{ readonly set: SeriesSet; readonly made: Awaited<ReturnType<typeof readPrometheus>> }> {
  const client = new PrometheusClient({ ...plain, url: await serve(handler) });
  const set = new SeriesSet();
  try {
    const made = await readPrometheus(
      client,
      { from: now - 600, to: now, step: 1, nodes: [], pods: [], gpus: [], selector: null, ...question },
      set,
    );
    return { set, made };
  } finally {
    client.close();
  }
}

const util = metricAt('util');
const metric = (
  name: string,
  labels: Record<string, string>,
  at: (time: number) => string | null = () => '99',
): Made => ({
  labels: { __name__: name, ...labels },
  at,
});

describe('counters', () => {
  it.each([
    ['Hostname', { gpu: '0', UUID: 'GPU-a', Hostname: 'n1' }],
    ['hostname and uuid', { gpu: '0', uuid: 'GPU-a', hostname: 'n1' }],
    ['the device alone', { device: 'nvidia0', node: 'n1' }],
    ['the instance', { gpu: '0', instance: 'n1:9400' }],
    ['a pod of the exporter for the host', { gpu: '0', Hostname: 'dcgm-exporter-x7k2p', node: 'n1' }],
  ])('of set-ups that say the host by %s', async (_, labels) => {
    const { set } = await read(
      fake([
        metric('DCGM_FI_DEV_GPU_UTIL', labels),
        metric('DCGM_FI_DEV_GPU_UTIL', {
          ...labels,
          Hostname: 'Hostname' in labels ? 'n2' : '',
          hostname: 'n2',
          node: 'n2',
          instance: 'n2:9400',
        }),
      ]),
    );
    expect([...set.gpus.keys()].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['n1:0', 'n2:0']);
  });

  it('of MIG instances are kept apart, and the workload is named, never the exporter', async () => {
    const base = { gpu: '0', Hostname: 'n1', pod: 'dcgm-exporter-abc', namespace: 'gpu-operator' };
    const { set } = await read(
      fake([
        metric(
          'DCGM_FI_PROF_SM_ACTIVE',
          { ...base, GPU_I_ID: '1', GPU_I_PROFILE: '3g.40gb', exported_pod: 'train-0', exported_namespace: 'ml' },
          () => '0.5',
        ),
        metric('DCGM_FI_PROF_SM_ACTIVE', { ...base, GPU_I_ID: '2', GPU_I_PROFILE: '3g.40gb' }, () => '0.9'),
      ]),
    );
    expect([...set.gpus.keys()]).toEqual(['0/gi1', '0/gi2']);
    expect(set.gpus.get('0/gi1')!.all[metricAt('smact')]!.mean).toBeCloseTo(50);
    expect([...set.processes].map(([id, found]) => [id, [...found.values()][0]!.name])).toEqual([
      ['0/gi1', 'pod ml/train-0'],
    ]);
  });

  it('are read page by page, each point once, and what the server gives less of in smaller pages', async () => {
    for (const most of [Number.POSITIVE_INFINITY, 100]) {
      const asked: URLSearchParams[] = [];
      const { set, made } = await read(fake([metric('DCGM_FI_DEV_GPU_UTIL', { gpu: '0' })], asked, most), {
        from: now - 30_000,
      });
      expect(set.gpus.get('0')!.rows).toBe(30_001);
      expect(made.samples).toBe(30_001);
      for (const each of asked.filter((one) => one.has('step')))
        expect(Number(each.get('end')) - Number(each.get('start'))).toBeLessThan(11_000);
      expect(made.pages).toBeGreaterThan(most === 100 ? 200 : 2);
    }
  });

  it('that are missing, blank or no number are gaps, not zeros', async () => {
    const values = ['NaN', '9223372036854775794', '50', '-1', '+Inf', '', null];
    const { set } = await read(
      fake([metric('DCGM_FI_DEV_GPU_UTIL', { gpu: '0' }, (time) => values[time % values.length]!)]),
    );
    const seen = set.gpus.get('0')!.all[util]!;
    expect([seen.min, seen.max]).toEqual([50, 50]);
    expect(seen.count).toBeLessThan(90);
  });

  it('that are not exported are named, and so is what the server warns of', async () => {
    const { made } = await read(fake([metric('DCGM_FI_DEV_GPU_UTIL', { gpu: '0' })]));
    expect(made.notes.join('\n')).toMatch(/not exported.*DCGM_FI_PROF_SM_ACTIVE/);
    expect(made.notes.join('\n')).toMatch(/store gateway-3 is not reached/);
  });

  it('are chosen by node, pod and GPU whatever the labels are called', async () => {
    const series = ['n1', 'n2'].flatMap((node) =>
      ['0', '1'].map((gpu) =>
        metric('DCGM_FI_DEV_GPU_UTIL', { gpu, node, exported_pod: `p-${node}-${gpu}`, exported_namespace: 'ml' }),
      ),
    );
    expect([...(await read(fake(series), { nodes: ['n2'] })).set.gpus.keys()]).toEqual(['0', '1']);
    expect([...(await read(fake(series), { pods: ['ml/p-n2-1'] })).set.gpus.keys()]).toEqual(['1']);
    expect(
      [...(await read(fake(series), { gpus: ['1'] })).set.gpus.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(['n1:1', 'n2:1']);
    const error = await failure(read(fake(series), { nodes: ['n3'] }));
    expect(error.hint).toMatch(/n1, n2/);
  });

  it('that nothing exports are an exporter that is absent', async () => {
    const { set } = await read(fake([]));
    expect(set.exporterAbsent).not.toBeNull();
    expect(set.gpus.size).toBe(0);
  });

  it('of a server that answers garbage never make a number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (data) => {
        const url = (_request: IncomingMessage, response: ServerResponse): void => good(response, data);
        try {
          const { set } = await read(url);
          expect(set.gpus.size).toBe(0);
        } catch (error) {
          expect(error).toBeInstanceOf(PrometheusError);
        }
      }),
      { numRuns: 40 },
    );
  });
});
