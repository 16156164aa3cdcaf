import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportKnowledge } from '@culprit/core/knowledge/export';
import { tables } from '@culprit/core/knowledge/tables';
import { jsonReport } from '@culprit/core/report/json-report';
import { toolError, usageError } from '../errors.ts';
import type { Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length > 0) throw usageError('bad-value', `knowledge takes no argument: ${call.positionals[0]}`);
  const knowledge = await call.knowledge();
  const folder = call.flags['export'];
  if (typeof folder === 'string') {
    const files = Object.entries(exportKnowledge(knowledge));
    try {
      mkdirSync(folder, { recursive: true });
      for (const [name, file] of files) writeFileSync(join(folder, `${name}.json`), jsonReport(file));
    } catch (error) {
      throw toolError('not-written', `${folder} cannot be written: ${(error as Error).message}`);
    }
    call.output.note(`wrote ${files.length} tables to ${folder}`);
    return 0;
  }
  const rows = [
    ...tables.map(({ name, key }) => ({ table: name, rows: knowledge[key].length })),
    { table: 'signatures', rows: knowledge.signatures.length },
  ];
  if (call.format === 'json') {
    call.output.data(
      jsonReport({ schema: 'culprit/knowledge@1', asOf: knowledge.asOf, digest: knowledge.digest, tables: rows }),
    );
    return 0;
  }
  const width = Math.max(...rows.map((row) => row.table.length));
  call.output.data(
    [
      `tables as of ${knowledge.asOf}, ${knowledge.digest}`,
      '',
      ...rows.map((row) => `  ${row.table.padEnd(width)}  ${String(row.rows).padStart(5)} rows`),
      '',
    ].join('\n'),
  );
  return 0;
};
