import type { Knowledge } from '../knowledge/knowledge.ts';
import type { CudaErrorRow, LibraryStatusRow, NcclResultRow, NvmlReturnRow } from '../knowledge/errors.types.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import { sourcesOf } from './citations.ts';
import { recognised } from './recognised.ts';
import type { Block, Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';

const hostFacts =
  'Facts of the host are needed to tell who is to blame: the number alone does not decide. Give culprit diagnose the log and what nvidia-smi and dmesg print.';

/** A CUDA error code, of the runtime and the driver alike. */
export function cudaErrorTopic(knowledge: Knowledge, row: CudaErrorRow): Topic {
  const names = [row.runtime, row.driver].filter((name) => name !== null);
  const row2 = firstSignature(knowledge, names[0] ?? `CUDA error ${row.code}`);
  return {
    kind: 'status',
    id: `cuda ${row.code}`,
    title: `CUDA error ${row.code}: ${row.string}`,
    facts: [
      ...(row.runtime === null ? [] : [['runtime name', row.runtime] as const]),
      ...(row.driver === null ? [] : [['driver name', row.driver] as const]),
      ...(row.stringOlder === null ? [] : [['older text', row.stringOlder] as const]),
      ['layer', row.layer ?? 'depends on the case'],
      ['sticky', row.sticky ? 'yes: the context is lost and the process must end' : 'no'],
      ...(row.deprecated ? [['deprecated', 'current releases do not return it'] as const] : []),
      ...(row.newer ? [['since', 'newer than CUDA 12.4; older drivers print "unrecognized error code"'] as const] : []),
    ],
    blocks: [...textOf(row.meaning, row.needsHostFacts ? hostFacts : null), ...nextSteps(row2)],
    owner: row.owner,
    see: [...(row.sticky ? ['asynchronous-errors'] : []), ...causesOf(row2)],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

/** A status of cuDNN, cuBLAS and the other CUDA libraries. */
export function libraryStatusTopic(knowledge: Knowledge, row: LibraryStatusRow): Topic {
  const library = knowledge.statusLibraries.find((each) => each.library === row.library);
  const signature = firstSignature(knowledge, row.name);
  return {
    kind: 'status',
    id: `${row.library} ${row.code}`,
    title: `${row.name} (${library?.type ?? row.library} ${row.code})`,
    facts: [
      ['library', library?.applies ?? row.library],
      ...(library === undefined ? [] : [['layer', library.layer] as const]),
    ],
    blocks: [
      ...textOf(row.meaning, row.needsHostFacts ? hostFacts : null),
      ...nextSteps(signature),
      ...textOf(library?.note == null ? null : `Of these codes: ${library.note}`),
    ],
    owner: row.owner,
    see: [...(row.library.startsWith('cudnn') ? ['cudnn-and-nccl-bundling'] : []), ...causesOf(signature)],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

export function ncclResultTopic(knowledge: Knowledge, row: NcclResultRow): Topic {
  const signature = firstSignature(knowledge, `NCCL error: ${row.name}: ${row.string}`);
  return {
    kind: 'status',
    id: `nccl ${row.code}`,
    title: `${row.name} (ncclResult_t ${row.code}): ${row.string}`,
    facts: [['layer', 'nccl'], ...(row.owners.length > 1 ? [['who', row.owners.join(' or ')] as const] : [])],
    blocks: [
      ...textOf(row.meaning, row.needsHostFacts ? hostFacts : null),
      ...listOf('It usually comes from', row.typicalCauses),
      ...nextSteps(signature),
    ],
    owner: row.owners.length === 1 ? row.owners[0]! : null,
    see: ['cudnn-and-nccl-bundling', 'gpudirect', ...causesOf(signature)],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

export function nvmlReturnTopic(knowledge: Knowledge, row: NvmlReturnRow): Topic {
  const signature =
    firstSignature(knowledge, row.name) ??
    (row.string === null ? undefined : firstSignature(knowledge, `Failed to initialize NVML: ${row.string}`));
  return {
    kind: 'status',
    id: `nvml ${row.code}`,
    title: `${row.name} (nvmlReturn_t ${row.code})${row.string === null ? '' : `: ${row.string}`}`,
    facts: [['layer', 'driver']],
    blocks: [...textOf(row.meaning, row.needsHostFacts ? hostFacts : null), ...nextSteps(signature)],
    owner: row.owner,
    see: [...(row.code === 18 ? ['driver-library-mismatch'] : []), ...causesOf(signature)],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

function firstSignature(knowledge: Knowledge, text: string): SignatureRow | undefined {
  return recognised(knowledge, text)[0];
}

/** What a recognised message tells of its possible causes, the order of the fix and the commands that decide. */
export function nextSteps(row: SignatureRow | undefined): readonly Block[] {
  if (row === undefined) return [];
  return [
    ...listOf(
      row.causes.length > 1 ? 'It is one of these' : 'It is',
      row.causes.map(
        (each) =>
          `${each.what}${each.confirm === '' ? '' : `; it is this if ${each.confirm}`}${each.cause === null ? '' : ` (${each.cause})`}`,
      ),
    ),
    ...listOf('What to do, in this order', row.fixOrder, true),
    ...commandsOf('What decides', row.commands),
  ];
}

export function causesOf(row: SignatureRow | undefined): readonly string[] {
  return row === undefined ? [] : [...new Set(row.causes.flatMap((each) => each.cause ?? []))];
}
