import type { Diff, Shares, Statement } from '../compare/diff.ts';

const columns = [
  'kind',
  'fact',
  'layer',
  'holds',
  'otherwise',
  'first_with',
  'first_known',
  'first_unknown',
  'second_with',
  'second_known',
  'second_unknown',
  'p',
  'adjusted',
  'rule',
  'who',
] as const;
type Row = Partial<Record<(typeof columns)[number], string | number>>;

/** A comparison as CSV (RFC 4180): a row for each cause, separating fact, size of a benchmark and equal fact. */
export function diffCsv(diff: Diff): string {
  const rows: Row[] = [
    ...diff.corruption.map((each): Row => ({ kind: 'corruption', fact: each.subject, holds: each.wrong })),
    ...diff.causes.map((each): Row => ({
      kind: each.separates ? 'cause' : 'found',
      layer: each.layer,
      holds: each.message,
      rule: each.rule,
      p: each.p,
      adjusted: each.adjusted,
      ...sharesOf(each.shares),
    })),
    ...[...diff.separators, ...diff.nearest].flatMap((each): Row[] => {
      const shared = { p: each.p, adjusted: each.adjusted, rule: each.rule ?? '' };
      const kind = diff.nearest.includes(each) ? 'nearest' : each.how === 'one' ? 'separates' : `separates-${each.how}`;
      return [
        ...each.statements.map((one) => statementRow(kind, one, shared)),
        ...each.with.map((one) => statementRow('with', one, {})),
      ];
    }),
    ...diff.outliers.flatMap((each) =>
      each.statements.map((one) => ({ ...statementRow('outlier', one, {}), who: each.subjects.join('; ') })),
    ),
    ...diff.bandwidth.map((each): Row => ({
      kind: each.apart ? 'bandwidth-apart' : 'bandwidth',
      fact: `${each.collective ?? '?'} ${each.place} ${each.bytes}`,
      holds: each.first,
      otherwise: each.second,
    })),
    ...diff.expectations.map((each): Row => ({
      kind: each.below ? 'below' : 'as-expected',
      fact: `${each.subject} ${each.collective} ${each.bytes} ${each.platform}`,
      holds: each.measured,
      otherwise: each.expected,
      rule: each.restsOn[0] ?? '',
    })),
    ...diff.equal.map((each): Row => ({
      kind: 'equal',
      fact: each.fact,
      layer: each.layer,
      holds: each.value,
      first_known: each.known,
    })),
  ];
  return (
    [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].join('\r\n') +
    '\r\n'
  );
}

function statementRow(kind: string, statement: Statement, more: Row): Row {
  return {
    kind,
    fact: statement.fact,
    layer: statement.layer,
    holds: statement.holds,
    otherwise: statement.otherwise.join('; '),
    ...sharesOf(statement.shares),
    ...more,
  };
}

function sharesOf([a, b]: Shares): Row {
  return {
    first_with: a.with,
    first_known: a.known,
    first_unknown: a.unknown,
    second_with: b.with,
    second_known: b.known,
    second_unknown: b.unknown,
  };
}

/** A cell that no spreadsheet takes for a formula. */
function cell(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
