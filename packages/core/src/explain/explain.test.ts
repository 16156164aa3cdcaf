import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { defaultKnowledge as knowledge } from '../knowledge/knowledge.ts';
import { rules } from '../rules/rules.ts';
import { concepts } from './concepts.ts';
import { explainReport, severalReport } from './explain-report.ts';
import { allTopicIds, findTopic } from './find.ts';
import type { Topic } from './topic.ts';
import { words } from './words.rows.ts';

// Every id of every table is asked for; a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

function topicOf(query: string): Topic {
  const found = findTopic(query, knowledge, {});
  if (found.kind !== 'topic') throw new Error(`${query}: ${found.kind}`);
  return found.topic;
}

function idsOf(query: string): readonly string[] {
  const found = findTopic(query, knowledge, {});
  return found.kind === 'topic'
    ? [found.topic.id]
    : found.kind === 'several'
      ? found.topics.map((each) => each.id)
      : [];
}

describe('explain', () => {
  it.each([
    ['804', 'cuda 804'],
    ['error 804', 'cuda 804'],
    ['CUDA error 35', 'cuda 35'],
    ['cudaErrorNoDevice', 'cuda 100'],
    ['CUDA_ERROR_NO_DEVICE', 'cuda 100'],
    ['cuda error code 100', 'cuda 100'],
    ['no kernel image is available for execution on the device', 'cuda 209'],
    ['nccl 3', 'nccl 3'],
    ['ncclInternalError', 'nccl 3'],
    ['nvml 18', 'nvml 18'],
    ['NVML_ERROR_LIB_RM_VERSION_MISMATCH', 'nvml 18'],
    ['xid 79', 'xid 79'],
    ['Xid79', 'xid 79'],
    ['sxid 20034', 'sxid 20034'],
    ['cublas 13', 'cublas 13'],
    ['CUBLAS_STATUS_EXECUTION_FAILED', 'cublas 13'],
    ['cudnn9 5003', 'cudnn9 5003'],
    ['forward compatibility', 'forward-compatibility'],
    ['forward', 'forward-compatibility'],
    ['MVC', 'minor-version-compatibility'],
    ['mig', 'mig'],
    ['unified memory', 'unified-memory'],
    ['default stream', 'default-stream'],
    ['stream 7', 'default-stream'],
    ['why libraries pipeline', 'pipelining'],
    ['pinned against pageable', 'pageable-memory'],
    ['driver/kmod-userspace-mismatch-after-upgrade', 'driver/kmod-userspace-mismatch-after-upgrade'],
    ['kmod-userspace-mismatch-after-upgrade', 'driver/kmod-userspace-mismatch-after-upgrade'],
    ['driver.module', 'driver.module'],
    ['container.default-runtime', 'container.default-runtime'],
    ['said.cublas-status', 'cublas-status'],
    ['smsp__thread_inst_executed_per_inst_executed.ratio', 'active-threads-per-warp'],
    ['achieved occupancy', 'achieved-occupancy'],
    ['stall long scoreboard', 'stall long_scoreboard'],
    ['smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio', 'stall barrier'],
    ['waves', 'waves'],
    ['tail effect', 'waves'],
    ['warp divergence', 'divergence'],
    ['register pressure', 'registers'],
    ['carve-out', 'shared-memory'],
    ['orchestrator/k8s-untolerated-taint', 'k8s-untolerated-taint'],
    ['hardware/xid-46', 'xid 46'],
    ['xid-46', 'xid 46'],
    ['fabric/sxid-20034', 'sxid 20034'],
    ['xid 145 RLW_REMAP', 'xid 145'],
    ['xid 149.37', 'xid 149'],
    ['xid 149 subcode 37', 'xid 149'],
    [
      'NVRM: Xid (PCI:0000:00:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x025001c6 0x00000000 0x00000000)',
      'xid 149',
    ],
    ['nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 33 LTSSM Fault Up', 'sxid 20034'],
    ['backward', 'backward'],
    ['ptx-jit', 'ptx-jit'],
    ['claim', 'claim'],
    ['nccl', 'nccl'],
    ['not-stack-fault', 'not-stack-fault'],
    ['likely', 'likely'],
    ['orchestrator', 'orchestrator'],
    ['ptx-isa', 'ptx-isa'],
  ])('%s is %s', (query, id) => {
    expect(topicOf(query).id).toBe(id);
  });

  it('lists every library that uses an ambiguous number', () => {
    const ids = idsOf('3');
    expect(ids).toEqual(expect.arrayContaining(['cuda 3', 'nccl 3', 'nvml 3', 'xid 3', 'cublas 3']));
  });

  it('lists both releases of a cuDNN status', () => {
    expect(idsOf('CUDNN_STATUS_EXECUTION_FAILED')).toEqual(['cudnn8 8', 'cudnn9 5000']);
  });

  it('explains every rule, cause, status, Xid, SXid, message and concept by its id', () => {
    const lost = allTopicIds(knowledge).filter((id) => findTopic(id, knowledge, {}).kind === 'none');
    expect(lost).toEqual([]);
  });

  it('decodes a sub-code', () => {
    const text = JSON.stringify(topicOf('xid 149 37').blocks);
    expect(text).toContain('NETIR_LINK_EVT/NETIR_LINK_DOWN, sub-code 37');
    expect(JSON.stringify(topicOf('xid 145 RLW_REMAP').blocks)).toContain('Rows of RLW_REMAP');
  });

  it('explains every fact of the model', () => {
    const model = readFileSync(join(import.meta.dirname, '../model/facts.ts'), 'utf8');
    const body = model.slice(model.indexOf('interface FactValues'), model.indexOf('export type SaidId'));
    const ids = [...body.matchAll(/^ {2}(?:'([a-z0-9.-]+)'|([a-z]+)): /gm)].map((match) => match[1] ?? match[2]!);
    expect(ids.length).toBeGreaterThan(150);
    expect(ids.filter((id) => topicOf(id).kind !== 'fact')).toEqual([]);
  });

  it('links only to what it explains', () => {
    const topics = [
      ...concepts.map((row) => topicOf(row.id)),
      ...rules.map((rule) => topicOf(rule.id)),
      ...knowledge.xids.map((row) => topicOf(`xid ${row.code}`)),
      ...knowledge.cudaErrors.map((row) => topicOf(`cuda ${row.code}`)),
      ...knowledge.ncclResults.map((row) => topicOf(`nccl ${row.code}`)),
      ...words.map((row) => topicOf(row.id)),
    ];
    const broken = topics.flatMap((topic) =>
      topic.see.filter((id) => findTopic(id, knowledge, {}).kind === 'none').map((id) => `${topic.id} -> ${id}`),
    );
    expect(broken).toEqual([]);
  });

  it('says of every concept what it is, who acts, what comes next and where it is written', () => {
    for (const row of concepts) {
      const topic = topicOf(row.id);
      expect(row.text.length, row.id).toBeGreaterThan(0);
      expect(row.acts, row.id).not.toBe('');
      expect(row.next.length, row.id).toBeGreaterThan(0);
      expect(topic.sources.length, row.id).toBe(row.sources.length);
    }
    expect(concepts.map((row) => row.id)).toEqual(concepts.map((row) => row.id).sort());
    const names = concepts.flatMap((row) => [row.id, ...row.aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['sm_90a', 'compute-capability'],
    ['NVIDIA_REQUIRE_CUDA', 'container-runtime-injection'],
    ['persistence mode', 'gpu.persistence-mode'],
  ])('%s is explained by %s', (query, id) => {
    const found = findTopic(query, knowledge, {});
    expect(found.kind === 'topic' && found.topic.id).toBe(id);
  });

  it('suggests names that share a word that tells something', () => {
    const found = findTopic('ecc error', knowledge, {});
    expect(found.kind === 'none' && found.suggestions.every((each) => /ecc/i.test(each))).toBe(true);
  });

  it('suggests what was probably meant', () => {
    const found = findTopic('forwad compat', knowledge, {});
    expect(found).toMatchObject({ kind: 'none' });
    expect(found.kind === 'none' && found.suggestions).toContain('forward compat');
    expect(findTopic('zzzzqqqq', knowledge, {})).toEqual({ kind: 'none', suggestions: [] });
  });

  it('never throws, whatever it is asked', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (query) => {
        const found = findTopic(query, knowledge, {});
        for (const format of ['text', 'markdown', 'json'] as const) {
          if (found.kind === 'topic') explainReport(found.topic, format, { color: true, columns: 80 });
          if (found.kind === 'several') severalReport(found.topics, format);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('prints a rule with its page, without its cases', () => {
    const [rule] = rules;
    const found = findTopic(rule!.id, knowledge, {
      [rule!.id]: '# Title\n\n## What it means\n\nSomething.\n\n## Cases\n\n### fault: x\n',
    });
    const text = found.kind === 'topic' ? explainReport(found.topic, 'text', { color: false, columns: null }) : '';
    expect(text).toContain('What it means');
    expect(text).not.toContain('fault: x');
  });
});
