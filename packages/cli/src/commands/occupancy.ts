import { answerOf } from '@culprit/core/occupancy/answer';
import type { OccupancyAnswer } from '@culprit/core/occupancy/answer';
import { curveKinds, curveOf, curveText, curvesSvg } from '@culprit/core/occupancy/curves';
import type { Curve, CurveKind } from '@culprit/core/occupancy/curves';
import type { Place } from '@culprit/core/occupancy/place';
import type { KernelResources } from '@culprit/core/occupancy/ptxas';
import { noResources } from '@culprit/core/occupancy/ptxas';
import { answerRows, rowText } from '@culprit/core/occupancy/rows';
import { kernelsFor, kernelsNamed } from '@culprit/core/occupancy/sources';
import { optedIn } from '@culprit/core/occupancy/steps';
import { occupancyCsv, occupancyMarkdown, occupancyTable, occupancyText } from '@culprit/core/report/occupancy-report';
import { jsonReport } from '@culprit/core/report/json-report';
import { visiblePage } from '@culprit/core/report/visible';
import { nearest } from '@culprit/core/text/nearest';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { toolError, usageError } from '../errors.ts';
import { ownPlace, placeOfFlags, questionOf, textFlag } from '../launch.ts';
import { readText } from '../read-text.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (given) => {
  // Names of kernels come from files; only JSON carries them as they are.
  const call: Call =
    given.format === 'json'
      ? given
      : { ...given, output: { ...given.output, data: (text) => given.output.data(visiblePage(text)) } };
  if (call.positionals.length > 0)
    throw usageError(
      'bad-value',
      `occupancy takes flags only, not ${call.positionals[0]!.slice(0, 80)}`,
      'culprit occupancy --gpu H100 --block 256 --registers 64',
    );
  const knowledge = await call.knowledge();
  const rows = textFlag(call, 'rows');
  if (rows !== undefined) return table(rows, call, knowledge);
  const from = textFlag(call, 'from');
  const wanted = textFlag(call, 'kernel');
  const place = placeOfFlags(call, knowledge);
  if (from === undefined) {
    if (wanted !== undefined)
      throw usageError('missing-argument', '--kernel names a kernel of a file', 'add --from libfoo.so');
    if (place === null)
      throw usageError('missing-argument', 'on which GPU?', 'culprit occupancy --gpu H100 --block 256 --registers 64');
    return print([{ place, resources: { ...noResources, name: '' } }], call, knowledge);
  }
  const { readKernels } = await import('../kernels-of-file.ts');
  const all = await readKernels(from, place, call, knowledge);
  const named = wanted === undefined ? all : kernelsNamed(all, wanted);
  if (named.length === 0) {
    const close = nearest(
      wanted ?? '',
      all.flatMap((each) => [each.name, each.demangled ?? '']),
    );
    throw toolError(
      'no-input',
      wanted === undefined ? `${from} holds no kernel` : `${from} holds no kernel with ${wanted} in its name`,
      wanted === undefined
        ? null
        : close.length > 0
          ? `did you mean ${close.join(', ')}?`
          : `it holds ${all
              .slice(0, 5)
              .map((each) => each.demangled ?? each.name)
              .join(', ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''}`,
    );
  }
  const fitting = place === null ? named : kernelsFor(named, place.limits.computeCapability);
  if (fitting.length === 0)
    throw toolError(
      'no-input',
      `${from} holds no machine code of these kernels for compute capability ${place!.limits.computeCapability}`,
      `it has code for ${[...new Set(named.map((each) => each.arch))].join(', ')}; what a driver compiles from PTX has registers that no file tells`,
    );
  const questions = fitting.map((resources) => ({ place: place ?? ownPlace(resources, call, knowledge), resources }));
  return print(questions, call, knowledge);
};

interface Asked {
  readonly place: Place;
  readonly resources: KernelResources;
}

function print(asked: readonly Asked[], call: Call, knowledge: Knowledge): number {
  const questions = asked.map(({ place, resources }) => questionOf(place, resources, call));
  const answers = questions.map((question) => {
    const answer = answerOf(question, knowledge);
    if (answer === null)
      throw usageError('bad-value', 'a block needs at least one thread, and a carve-out is -1 to 100 percent');
    return answer;
  });
  const [first] = answers;
  const curves =
    textFlag(call, 'curve') === undefined && call.format !== 'svg'
      ? []
      : kindsOf(textFlag(call, 'curve')).map((kind) =>
          curveOf(kind, questions[0]!.place.limits, optedIn(questions[0]!.place.limits, questions[0]!.kernel)),
        );
  if (curves.length > 0 && answers.length > 1)
    throw usageError(
      'bad-value',
      `curves are drawn of one kernel; there are ${answers.length}`,
      'name one with --kernel',
    );
  switch (call.format) {
    case 'json':
      call.output.data(
        answers.length === 1
          ? jsonReport(curves.length === 0 ? first! : { ...first!, curves })
          : jsonReport({ schema: 'culprit/occupancies@1', kernels: answers }),
      );
      break;
    case 'csv':
      call.output.data(occupancyCsv(answers));
      break;
    case 'svg':
      call.output.data(curvesSvg(curves, titleOf(first!)));
      break;
    case 'markdown':
      call.output.data([...answers.map(occupancyMarkdown), ...plots(curves, true)].join('\n'));
      break;
    default:
      call.output.data(
        answers.length === 1
          ? [occupancyText(first!, call.output), ...plots(curves, false)].join('\n')
          : occupancyTable(
              answers,
              call.output.columns,
              textFlag(call, 'block') === undefined && asked.every(({ resources }) => resources.blockSize === null),
            ),
      );
  }
  return answers.every((each) => each.cannotLaunch === null) ? 0 : 1;
}

function plots(curves: readonly Curve[], fenced: boolean): readonly string[] {
  return curves.map((curve) => (fenced ? `\`\`\`text\n${curveText(curve)}\n\`\`\`\n` : `${curveText(curve)}\n`));
}

function titleOf(answer: OccupancyAnswer): string {
  return `Occupancy of ${answer.launch.kernel ?? 'a kernel'} on ${answer.gpu ?? `compute capability ${answer.computeCapability}`}`;
}

const kinds: Readonly<Record<string, CurveKind>> = {
  block: 'blockSize',
  registers: 'registers',
  shared: 'sharedMemory',
};

function kindsOf(wanted: string | undefined): readonly CurveKind[] {
  const kind = kinds[wanted ?? 'all'];
  return kind === undefined ? curveKinds : [kind];
}

/** A table of launches with the answers as columns. */
function table(file: string, call: Call, knowledge: Knowledge): number {
  let names: readonly string[] | null = null;
  let separator = '[\n';
  const answer = answerRows(readText(file), knowledge, (rows, delimiter) => {
    if (call.format !== 'json') {
      call.output.data(`${rows.map((cells) => rowText(cells, delimiter)).join('\n')}\n`);
      return;
    }
    const header = (names ??= rows[0] ?? []);
    const objects = rows.filter((cells) => cells !== header).map((cells) => objectOf(header, cells));
    if (objects.length === 0) return;
    call.output.data(`${separator}${JSON.stringify(objects, null, 1).slice(2, -2)}`);
    separator = ',\n';
  });
  if ('problem' in answer)
    throw toolError(
      'no-input',
      `${file === '-' ? 'standard input' : file}, line ${answer.problem.line}: ${answer.problem.reason}`,
    );
  if (call.format === 'json') call.output.data(answer.rows === 0 ? '[]\n' : '\n]\n');
  return 0;
}

/** A row as an object; numbers as numbers, `inf` and empty cells as null. */
function objectOf(
  names: readonly string[],
  cells: readonly string[],
): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(
    names.map((name, at) => {
      const cell = cells[at] ?? '';
      if (cell === '' || cell === 'inf') return [name, null];
      return [name, /^-?\d+(?:\.\d+)?$/.test(cell) && name !== 'cc' && name !== 'id' ? Number(cell) : cell];
    }),
  );
}
