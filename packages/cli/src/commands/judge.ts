import { closeSync, openSync, readSync } from 'node:fs';
import { whyUnreadable } from '@culprit/collect/unreadable';
import { hasProgram } from '@culprit/core/compat/asked-driver';
import { judge } from '@culprit/core/compat/judge';
import type { Judgement } from '@culprit/core/compat/judgement';
import { judgementText, judgementsCsv, judgementsMarkdown } from '@culprit/core/compat/judgement-text';
import { driverAxis, matrix, toolkitAxis, torchAxis } from '@culprit/core/compat/matrix';
import { matchGpu } from '@culprit/core/compat/gpu-name';
import { tablesOf } from '@culprit/core/compat/tables';
import { nearest } from '@culprit/core/text/nearest';
import type { Matrix, MatrixAxis } from '@culprit/core/compat/matrix';
import {
  matrixCsv,
  matrixJson,
  matrixMarkdown,
  matrixText,
  reverseCsv,
  reverseMarkdown,
  reverseText,
} from '@culprit/core/compat/matrix-text';
import type { Question, WheelQuestion } from '@culprit/core/compat/question';
import { readQuestion } from '@culprit/core/compat/read/read-question';
import { reverse } from '@culprit/core/compat/reverse';
import { judgeRows } from '@culprit/core/compat/rows';
import { jsonReport, jsonText } from '@culprit/core/report/json-report';
import { visiblePage } from '@culprit/core/report/visible';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { toolError, usageError } from '../errors.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (given) => {
  // Names and questions may hold anything; only JSON carries them as they are.
  const call: Call =
    given.format === 'json'
      ? given
      : { ...given, output: { ...given.output, data: (text) => given.output.data(visiblePage(text)) } };
  const knowledge = await call.knowledge();
  const rows = call.flags['rows'];
  if (typeof rows === 'string') return many(judgeRows(readJson(rows), knowledge), call, knowledge);
  if (call.positionals.length === 1 && call.positionals[0] === '-') return lines(call, knowledge);
  const flags = questionOfFlags(call, knowledge);
  suggestGpu(flags.gpu, call, knowledge);
  if (call.flags['matrix'] === true) return table(call, flags, knowledge);
  const text = call.positionals.join(' ').trim();
  if (text === '' && Object.keys(flags).length === 0) {
    throw usageError(
      'missing-argument',
      'there is nothing to judge',
      'culprit judge torch 2.7.0+cu128 on driver 550.54.15 with V100',
    );
  }
  if (text === '' && !asksAbout(flags)) return backwards(call, flags, knowledge);
  const read = text === '' ? { question: {}, unread: [] } : readQuestion(text, knowledge);
  const question: Question = { ...read.question, ...flags };
  const judgement = judge(question, knowledge);
  print([judgement], call, knowledge, read.unread);
  if (read.unread.length > 0 && call.format !== 'text') call.output.note(`not understood: ${read.unread.join(' ')}`);
  return statusOf([judgement]);
};

/** A GPU that no table knows is most often mistyped. */
function suggestGpu(name: string | undefined, call: Call, knowledge: Knowledge): void {
  if (name === undefined || matchGpu(name, tablesOf(knowledge).gpus).length > 0) return;
  const names = nearest(
    name,
    knowledge.gpus.flatMap((row) => [row.name, ...row.aliases]),
  );
  call.output.note(
    `unknown GPU ${name.slice(0, 80)}${names.length === 0 ? '; names are as H100, L40S, V100, RTX 4090, or a compute capability (9.0)' : `; did you mean ${names.join(', ')}?`}`,
  );
}

/** Every line of standard input is a question or a claim. */
function lines(call: Call, knowledge: Knowledge): number {
  const texts = readText('-')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return many(
    texts.map((text) => judge(readQuestion(text, knowledge).question, knowledge)),
    call,
    knowledge,
  );
}

function many(judgements: readonly Judgement[], call: Call, knowledge: Knowledge): number {
  if (judgements.length === 0)
    throw usageError('missing-argument', 'there is nothing to judge: no question was given', null);
  if (call.format === 'json') call.output.data(`${jsonText(judgements, 1)}\n`);
  else print(judgements, call, knowledge, []);
  return statusOf(judgements);
}

function print(judgements: readonly Judgement[], call: Call, knowledge: Knowledge, unread: readonly string[]): void {
  switch (call.format) {
    case 'json':
      for (const one of judgements) call.output.data(jsonReport(one));
      break;
    case 'markdown':
      call.output.data(judgementsMarkdown(judgements));
      break;
    case 'csv':
      call.output.data(judgementsCsv(judgements));
      break;
    default:
      call.output.data(judgements.map((one) => judgementText(one, knowledge.citations, unread)).join('\n'));
  }
}

function backwards(call: Call, host: Question, knowledge: Knowledge): number {
  const answer = reverse(host, knowledge);
  switch (call.format) {
    case 'json':
      call.output.data(jsonReport(answer));
      break;
    case 'markdown':
      call.output.data(reverseMarkdown(answer));
      break;
    case 'csv':
      call.output.data(reverseCsv(answer));
      break;
    default:
      call.output.data(reverseText(answer));
  }
  if (host.driver !== undefined && (host.gpu ?? host.computeCapability) !== undefined) return statusOf([answer.base]);
  return answer.toolkits.some((one) => one.answer === 'runs' || one.answer === 'runs-if') ? 0 : 3;
}

function table(call: Call, shared: Question, knowledge: Knowledge): number {
  const drivers = listOf(call.flags['driver']);
  const toolkits = listOf(call.flags['toolkit']);
  const wheels = listOf(call.flags['wheel']);
  const { driver: _driver, toolkit: _toolkit, wheel: _wheel, ...rest } = shared;
  const rows: readonly MatrixAxis[] =
    drivers.length > 0 ? drivers.map((driver) => ({ label: driver, question: { driver } })) : driverAxis(knowledge);
  const named: readonly MatrixAxis[] = [
    ...toolkits.map((toolkit) => ({ label: `CUDA ${toolkit}`, question: { toolkit } })),
    ...wheels.map((wheel) => ({ label: wheel, question: { wheel: wheelOf(wheel, knowledge) } })),
  ];
  const columns = named.length > 0 ? named : [...toolkitAxis(knowledge), ...torchAxis(knowledge, 3)];
  const title = rest.gpu ?? rest.computeCapability ?? 'GPU not given';
  const data: Matrix = matrix(title, rest, rows, columns, knowledge);
  const render =
    { json: matrixJson, markdown: matrixMarkdown, csv: matrixCsv, text: matrixText }[call.format] ?? matrixText;
  call.output.data(render(data));
  return 0;
}

function listOf(value: unknown): readonly string[] {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [];
}

/** The question that the flags make. */
function questionOfFlags(call: Call, knowledge: Knowledge): Question {
  const flag = (name: string): string | undefined => {
    const value = call.flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const question: { -readonly [Key in keyof Question]: Question[Key] } = {};
  const set = <Key extends keyof Question>(key: Key, value: Question[Key] | undefined): void => {
    if (value !== undefined) question[key] = value;
  };
  set('driver', flag('driver'));
  set('gpu', flag('gpu'));
  set('toolkit', flag('toolkit'));
  set('image', flag('image'));
  set('moduleFlavour', flag('flavour') as Question['moduleFlavour']);
  set('needsDriverCuda', flag('needs-driver-cuda'));
  set('os', flag('os') as Question['os']);
  set('arch', flag('arch') as Question['arch']);
  set('containerToolkit', flag('container-toolkit'));
  set('injectionMode', flag('mode') as Question['injectionMode']);
  set('entrypoint', flag('entrypoint') as Question['entrypoint']);
  if (call.flags['disable-require'] === true) question.disableRequire = true;
  if (call.flags['nvswitch'] === true) question.nvswitch = true;
  const wheel = flag('wheel');
  if (wheel !== undefined) question.wheel = wheelOf(wheel, knowledge);
  const compat = flag('compat');
  if (compat !== undefined) question[/^\d{3}\./.test(compat) ? 'compatDriver' : 'compatPackage'] = compat;
  const sass = flag('sass');
  const ptx = flag('ptx');
  if (sass !== undefined || ptx !== undefined) question.binary = { sass: listOf(sass), ptx: listOf(ptx) };
  for (const name of ['cudnn', 'nccl'] as const) {
    const value = flag(name);
    if (value === undefined) continue;
    const [version, build] = value.split('+') as [string, string?];
    const builtFor = flag('built-for');
    question[name] = {
      version,
      ...(build === undefined ? {} : { build }),
      ...(builtFor === undefined ? {} : { programBuiltFor: builtFor }),
    };
  }
  const env = call.flags['env'];
  if (Array.isArray(env)) question.imageEnv = Object.fromEntries((env as readonly string[]).map(pair));
  return question;
}

function pair(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError('bad-value', `--env ${text} is no NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function wheelOf(text: string, knowledge: Knowledge): WheelQuestion {
  const wheel = readQuestion(`${text} wheel on driver 535.183.01`, knowledge).question.wheel;
  if (wheel !== undefined) return wheel;
  const [name, version] = text.split('==') as [string, string?];
  return { name, ...(version === undefined ? {} : { version }) };
}

/** True where the flags ask about something, and not only name where it would run. */
function asksAbout(question: Question): boolean {
  return hasProgram(question) || question.imageEnv !== undefined || question.moduleFlavour !== undefined;
}

/** The first of 1, 3, 0 that occurs. */
function statusOf(judgements: readonly Judgement[]): number {
  if (judgements.some((one) => one.answer === 'does-not-run' || one.answer === 'false')) return 1;
  return judgements.every((one) => one.answer === 'runs' || one.answer === 'true') ? 0 : 3;
}

/** Most bytes of questions that are read. */
const mostBytes = 64 * 1024 * 1024;

function readText(name: string): string {
  const called = name === '-' ? 'standard input' : name;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    const file = name === '-' ? 0 : openSync(name, 'r');
    for (;;) {
      const part = Buffer.allocUnsafe(65_536);
      const count = readSync(file, part);
      if (count === 0) break;
      size += count;
      if (size > mostBytes) throw new Error(`it holds more than ${mostBytes / 1024 / 1024} MiB`);
      parts.push(part.subarray(0, count));
    }
    if (file !== 0) closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EOF') {
      const { reason, hint } = whyUnreadable(error);
      throw toolError('no-input', `${called} could not be read: ${reason}`, hint);
    }
  }
  return Buffer.concat(parts).toString('utf8');
}

function readJson(name: string): unknown {
  const text = readText(name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw toolError('no-input', `${name} is no JSON`, (error as Error).message);
  }
}
