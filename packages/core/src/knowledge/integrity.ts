import type { Knowledge } from './knowledge.ts';
import { tables } from './tables.ts';

/** A statement of one table that another table (or the same one) does not bear out. */
export interface IntegrityError {
  readonly table: string;
  /** Row number from 1. */
  readonly row: number;
  readonly field: string;
  readonly reason: string;
}

/**
 * What does not hold together: rows with the same key, sources without a citation, and references between tables that
 * lead nowhere. An empty list is a sound set of tables.
 */
export function integrityErrors(knowledge: Knowledge): readonly IntegrityError[] {
  return [...duplicates(knowledge), ...unresolvedSources(knowledge), ...danglingReferences(knowledge)];
}

function duplicates(knowledge: Knowledge): readonly IntegrityError[] {
  const errors: IntegrityError[] = [];
  for (const { name, key, unique } of tables) {
    const seen = new Map<string, number>();
    knowledge[key].forEach((row, at) => {
      const fields: Readonly<Record<string, unknown>> = { ...row };
      const id = JSON.stringify(unique.map((field) => fields[field]));
      const first = seen.get(id);
      if (first === undefined) seen.set(id, at + 1);
      else errors.push({ table: name, row: at + 1, field: unique.join(', '), reason: `same as in row ${first}` });
    });
  }
  return errors;
}

function unresolvedSources(knowledge: Knowledge): readonly IntegrityError[] {
  const errors: IntegrityError[] = [];
  const known = new Set(knowledge.citations.map((citation) => citation.id));
  for (const { name, key } of tables) {
    knowledge[key].forEach((row, at) => {
      if (!('sources' in row)) return;
      for (const source of row.sources) {
        if (!known.has(source))
          errors.push({ table: name, row: at + 1, field: 'sources', reason: `no citation has the id ${source}` });
      }
    });
  }
  return errors;
}

function danglingReferences(knowledge: Knowledge): readonly IntegrityError[] {
  const errors: IntegrityError[] = [];
  const branches = new Set<unknown>(knowledge.branches.map((row) => row.branch));
  const causes = new Set<unknown>(knowledge.causes.map((row) => row.cause));
  const capabilities = new Set<unknown>(knowledge.architectures.map((row) => row.computeCapability));
  const libraries = new Set<unknown>(knowledge.statusLibraries.map((row) => row.library));
  const products = new Set<unknown>(knowledge.gpus.map((row) => row.name));
  const check = (
    table: string,
    row: number,
    field: string,
    value: unknown,
    known: ReadonlySet<unknown>,
    what: string,
  ): void => {
    if (!known.has(value))
      errors.push({ table, row: row + 1, field, reason: `${what} ${String(value).slice(0, 80)} is not in its table` });
  };
  knowledge.toolkits.forEach((row, at) => check('toolkits', at, 'branch', row.branch, branches, 'branch'));
  knowledge.compatMatrix.forEach((row, at) =>
    row.bases.forEach((base) => check('compat-matrix', at, 'bases', base.branch, branches, 'branch')),
  );
  knowledge.gpus.forEach((row, at) =>
    check('gpus', at, 'computeCapability', row.computeCapability, capabilities, 'compute capability'),
  );
  knowledge.gpuMemory.forEach((row, at) => check('gpu-memory', at, 'gpu', row.gpu, products, 'GPU'));
  knowledge.moduleFlavours.forEach((row, at) =>
    row.products?.forEach((product) => check('module-flavours', at, 'products', product, products, 'GPU')),
  );
  knowledge.libraryStatuses.forEach((row, at) =>
    check('library-statuses', at, 'library', row.library, libraries, 'library'),
  );
  knowledge.xids.forEach((row, at) => {
    if (row.cause !== null) check('xids', at, 'cause', row.cause, causes, 'cause');
  });
  return errors;
}
