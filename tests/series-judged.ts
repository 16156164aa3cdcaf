// What `culprit util` answers to a series, in this process: files are read as it reads them, a server is a real one.
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrometheusClient, readPrometheus } from '../packages/collect/src/prometheus/index.ts';
import { examineUse } from '../packages/core/src/diagnose/use.ts';
import { defaultKnowledge } from '../packages/core/src/knowledge/knowledge.ts';
import type { Verdict } from '../packages/core/src/model/verdict.ts';
import { createDocument } from '../packages/core/src/text/document.ts';
import { SeriesReader } from '../packages/core/src/utilization/reader.ts';
import { SeriesSet } from '../packages/core/src/utilization/series-set.ts';
import type { Rendered, ServerSeries } from './series-render.ts';

/** A server that answers as Prometheus does; `up` holds the targets. */
export class FakePrometheus {
  series: readonly ServerSeries[] = [];
  up: readonly ServerSeries[] = [];
  private readonly server: Server;
  private port = 0;

  constructor() {
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const url = new URL(request.url!, 'http://x');
        const asked = new URLSearchParams(request.method === 'POST' ? body : url.search);
        const data = this.answer(url.pathname.split('/').at(-1)!, asked);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ status: 'success', data }));
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  async readInto(set: SeriesSet, period: Rendered['period']): Promise<readonly string[]> {
    const client = new PrometheusClient({
      url: this.url,
      authorization: null,
      ca: [],
      cert: null,
      key: null,
      insecure: false,
      timeoutMs: 10_000,
      env: {},
    });
    try {
      const { from, to, step } = period;
      const read = await readPrometheus(client, { from, to, step, nodes: [], pods: [], gpus: [], selector: null }, set);
      return read.notes;
    } finally {
      client.close();
    }
  }

  private answer(what: string, asked: URLSearchParams): unknown {
    const text = asked.get('query') ?? asked.get('match[]') ?? '';
    // Each form of the choice has the same series; one is enough.
    const known = /"up"/.test(text) ? this.up : this.series;
    if (what === 'series') return known.map(({ metric }) => metric);
    if (what === 'query_range') {
      const [from, to] = [Number(asked.get('start')), Number(asked.get('end'))];
      return {
        resultType: 'matrix',
        result: known.map(({ metric, values }) => ({
          metric,
          values: values.filter(([at]) => at >= from && at <= to),
        })),
      };
    }
    if (/"up"/.test(text))
      return {
        resultType: 'vector',
        result: known.map(({ metric, values }) => ({
          metric: Object.fromEntries(Object.entries(metric).filter(([name]) => name !== '__name__')),
          value: [
            values.at(-1)?.[0] ?? 0,
            String(values.reduce((sum, [, each]) => sum + Number(each), 0) / values.length),
          ],
        })),
      };
    return { resultType: 'matrix', result: known.slice(0, 1) };
  }
}

export function setOf(texts: readonly string[]): SeriesSet {
  const set = new SeriesSet();
  texts.forEach((text, file) => readText(set, text, `file${file}`));
  return set;
}

function readText(set: SeriesSet, text: string, file: string): void {
  const reader = new SeriesReader(set, file);
  text.split('\n').forEach((line, at) => reader.line(line, at + 1));
  reader.end();
}

/** The verdict, by the road of the command. */
export async function judged(
  series: Rendered,
  server: FakePrometheus,
): Promise<{ readonly verdict: Verdict; readonly set: SeriesSet }> {
  const set = new SeriesSet();
  [...series.series, ...series.beside].forEach((text, file) => readText(set, text, `file${file}`));
  if (series.server !== null) {
    server.series = series.server;
    set.left.push(...(await server.readInto(set, series.period)));
  }
  const documents = series.beside.map((text, at) => createDocument(text, { file: `file${series.series.length + at}` }));
  return { verdict: examineUse(documents, defaultKnowledge, set), set };
}
