import { readFileSync } from 'node:fs';
import type { NamedPeriod, Period } from '@culprit/collect/prometheus';
import {
  basicOf,
  periodOf,
  periodsOf,
  PrometheusClient,
  PrometheusError,
  readPrometheus,
  stepOf,
} from '@culprit/collect/prometheus';
import type { SeriesSet } from '@culprit/core/utilization/series-set';
import { toolError, usageError } from '../errors.ts';
import type { Call } from './command.ts';

const mostSecret = 64 * 1024;
const usualTimeout = 30;

/** Two periods of the server that a comparison names, by flags or as two arguments `FROM..TO`. */
export function comparedPeriods(call: Call): readonly [NamedPeriod, NamedPeriod] {
  const word = (name: string): string | undefined => call.flags[name] as string | undefined;
  const [one, other, more] = call.positionals;
  const named = word('before') ?? word('after') ?? word('split');
  if (more !== undefined || (one !== undefined && named !== undefined))
    throw usageError('bad-value', '--compare takes two periods of a server', example);
  if (one === undefined && named === undefined)
    throw usageError('bad-value', '--compare with --prometheus takes two periods', example);
  try {
    return periodsOf(
      {
        before: one ?? word('before'),
        after: other ?? word('after'),
        split: word('split'),
        since: word('since'),
        from: word('from'),
        to: word('to'),
      },
      Date.now() / 1000,
    );
  } catch (error) {
    if (error instanceof PrometheusError) throw usageError('bad-value', error.message, error.hint);
    throw error;
  }
}

const example =
  'culprit util --prometheus URL --compare 2026-11-01T10:00..12:00 2026-11-02T10:00..12:00; --split TIME parts one period';

/** Reads what the flags choose of a server into the set; of this period, where one is given. */
export async function readServer(call: Call, set: SeriesSet, given?: Period): Promise<void> {
  try {
    const word = (name: string): string | undefined => call.flags[name] as string | undefined;
    const period = given ?? periodOf({ since: word('since'), from: word('from'), to: word('to') }, Date.now() / 1000);
    const timeout = word('timeout');
    if (timeout !== undefined && !/^[1-9]\d{0,3}$/.test(timeout))
      throw usageError('bad-value', `--timeout takes whole seconds, not ${timeout}`);
    const client = new PrometheusClient({
      url: word('prometheus')!,
      authorization: authorizationOf(call),
      ...tenantOf(word('tenant')),
      ca: word('tls-ca') === undefined ? [] : [fileOf(word('tls-ca')!, 'tls-ca')],
      cert: word('tls-cert') === undefined ? null : fileOf(word('tls-cert')!, 'tls-cert'),
      key: keyOf(word('tls-key') ?? word('tls-cert')),
      insecure: call.flags['tls-insecure'] === true,
      timeoutMs: 1000 * Number(timeout ?? usualTimeout),
      env: process.env,
    });
    try {
      const read = await readPrometheus(
        client,
        {
          ...period,
          nodes: await nodesOf(call),
          pods: listOf(call, 'pod'),
          gpus: listOf(call, 'gpu'),
          selector: word('selector') ?? null,
          step: word('step') === undefined ? null : stepOf(word('step')!),
        },
        set,
        (words) => call.output.progress(words),
      );
      set.left.push(...read.notes);
      if (read.series > 0)
        call.output.note(
          `culprit: ${client.name}: ${read.samples} samples of ${read.series} series, ${new Date(period.from * 1000).toISOString()} to ${new Date(period.to * 1000).toISOString()}, a point every ${read.step} s`,
        );
    } finally {
      client.close();
      call.output.progress(null);
    }
  } catch (error) {
    if (!(error instanceof PrometheusError)) throw error;
    throw error.code === 'bad-option' && given === undefined
      ? usageError('bad-value', error.message, error.hint)
      : toolError('no-input', error.message, error.hint);
  }
}

function listOf(call: Call, name: string): readonly string[] {
  const value = call.flags[name];
  return Array.isArray(value) ? (value as readonly string[]) : typeof value === 'string' ? [value] : [];
}

/** `gpu[01-16]` names several, as for check. */
async function nodesOf(call: Call): Promise<readonly string[]> {
  const nodes = listOf(call, 'node');
  if (nodes.every((node) => !/[[\],@]/.test(node))) return nodes;
  const { expandAll, TargetError } = await import('@culprit/collect/transports');
  try {
    return expandAll(nodes);
  } catch (error) {
    if (error instanceof TargetError) throw usageError('bad-value', error.message, error.hint);
    throw error;
  }
}

function fileOf(name: string, flag: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    throw usageError('bad-value', `--${flag}: ${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? ''}`);
  }
}

/** The key may stand in the file of the certificate. */
function keyOf(name: string | undefined): string | null {
  return name === undefined ? null : fileOf(name, 'tls-key');
}

function secretOf(name: string, flag: string): string {
  const text = fileOf(name, flag).trim();
  if (text === '' || text.length > mostSecret || /[\r\n]/.test(text))
    throw usageError('bad-value', `--${flag}: ${name} does not hold one line`);
  return text;
}

/** Who asks: from a file or the environment, never from the command line, which others can read. */
function authorizationOf(call: Call): string | null {
  const file = call.flags['token-file'] as string | undefined;
  const user = call.flags['user'] as string | undefined;
  if (file !== undefined && user !== undefined)
    throw usageError('bad-value', '--token-file and --user cannot both be', null);
  if (user !== undefined) {
    const from = call.flags['password-file'] as string | undefined;
    const password = from === undefined ? process.env['CULPRIT_PROMETHEUS_PASSWORD'] : secretOf(from, 'password-file');
    if (password === undefined)
      throw usageError(
        'bad-value',
        '--user needs a password',
        '--password-file FILE, or CULPRIT_PROMETHEUS_PASSWORD in the environment',
      );
    return basicOf(user, password);
  }
  const token = file === undefined ? process.env['CULPRIT_PROMETHEUS_TOKEN']?.trim() : secretOf(file, 'token-file');
  if (token === undefined || token === '') return null;
  if (/[^\x21-\x7E]/.test(token)) throw usageError('bad-value', 'the token holds what no token holds', null);
  return `Bearer ${token}`;
}

/** Mimir, Cortex and Thanos part their tenants by these headers. */
function tenantOf(tenant: string | undefined): { readonly headers?: Readonly<Record<string, string>> } {
  if (tenant === undefined) return {};
  if (!/^[\w.|!*'()-]{1,150}$/.test(tenant)) throw usageError('bad-value', `--tenant: no name of a tenant: ${tenant}`);
  return { headers: { 'x-scope-orgid': tenant, 'thanos-tenant': tenant } };
}
