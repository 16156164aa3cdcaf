import { describe, expect, it, vi } from 'vitest';
import { cudaCodes } from '../knowledge/signatures/cuda-codes.rows.ts';
import { defaultKnowledge as knowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import { rules } from '../rules/rules.ts';
import { createDocument } from '../text/document.ts';
import { diagnose } from './diagnose.ts';

// Thousands of texts are diagnosed here; a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const verdictOf = (text: string): Verdict => diagnose([createDocument(text)]);
const nothing = 'nothing in this text is a known GPU failure';

/** The texts whose verdict does not tell what the message means. */
function lost(texts: readonly string[], tells: (verdict: Verdict, text: string) => boolean): readonly string[] {
  return texts.flatMap((text) => {
    const verdict = verdictOf(text);
    return !verdict.headline.includes(nothing) && tells(verdict, text) ? [] : [`${text} => ${verdict.headline}`];
  });
}

/** Names a message, what may be behind it, who acts and a command: all an operator needs to go on. */
function leads(verdict: Verdict): boolean {
  return (
    (verdict.findings.length > 0 &&
      verdict.findings.every((finding) => finding.message !== '' && finding.layer !== undefined) &&
      verdict.unknown.every((each) => each.ask !== '')) ||
    verdict.status === 'ok'
  );
}

describe('the tables', () => {
  it('name every cause by a rule or by a candidate', () => {
    const ruled = new Set(rules.map((rule) => rule.id.slice(rule.id.indexOf('/') + 1)));
    const named = new Set([
      ...knowledge.signatures.flatMap((row) => row.causes.map((each) => each.cause)),
      ...knowledge.xids.map((row) => row.cause),
    ]);
    // Causes of profiles and series of samples are told by other commands.
    const lost = knowledge.causes.filter(
      (row) => !['profile', 'ok'].includes(row.class) && !ruled.has(row.cause) && !named.has(row.cause),
    );
    expect(lost.map((row) => row.cause)).toEqual([]);
  });

  it('give every Xid an action, every rule a cause and every citation a use', () => {
    expect(knowledge.xids.filter((row) => row.action === '').map((row) => row.code)).toEqual([]);
    const causes = new Set(knowledge.causes.map((row) => row.cause));
    expect(rules.filter((rule) => !causes.has(rule.id.slice(rule.id.indexOf('/') + 1))).map((rule) => rule.id)).toEqual(
      [],
    );
    const used = new Set(rules.flatMap((rule) => rule.citations));
    const visit = (value: unknown): void => {
      if (Array.isArray(value)) for (const each of value) visit(each);
      else if (typeof value === 'object' && value !== null)
        for (const [key, each] of Object.entries(value)) {
          if (key === 'sources' && Array.isArray(each)) for (const id of each) used.add(String(id));
          else visit(each);
        }
    };
    visit(Object.values(knowledge));
    expect(knowledge.citations.filter((row) => !used.has(row.id)).map((row) => row.id)).toEqual([]);
  });
});

const signatureOf = new Map(cudaCodes.flatMap((row) => row.codes.map((code) => [code, row.signature] as const)));

describe('every recognised message reaches the verdict', () => {
  it('by each example of each signature', () => {
    for (const row of knowledge.signatures) {
      const missed = lost(row.examples, (verdict) => JSON.stringify(verdict).includes(row.id));
      expect(missed, row.id).toEqual([]);
    }
  });

  it('with a candidate for each example that speaks of a failure', () => {
    const rows = knowledge.signatures.filter((row) => ['signature', 'carrier'].includes(row.role));
    const missed = rows
      .filter((row) => row.severity !== 'info' && row.severity !== 'warning' && row.joins === undefined)
      .flatMap((row) => lost(row.examples.slice(0, 1), leads).map((text) => `${row.id}: ${text}`));
    expect(missed).toEqual([]);
  });
});

describe('CUDA errors', () => {
  const rows = knowledge.cudaErrors.filter((row) => row.code !== 0 && row.code !== 10000);

  it.each([
    ['CUDA error 719', (code: number) => `CUDA error ${code}`],
    ['(error code 719)', (code: number) => `Failed to launch vectorAdd kernel (error code ${code})!`],
    ['cuInit failed: 999', (code: number) => `cuInit failed: ${code}`],
    ['driver error code: 35', (code: number) => `driver error code: ${code}`],
    ['Cuda failure 999', (code: number) => `node1:88:99 [0] init.cc:12 NCCL WARN Cuda failure ${code} 'x'`],
    ['cudaGetDeviceCount returned 35', (code: number) => `cudaGetDeviceCount returned ${code}`],
  ] as const)('are known by their number, as in %s', (_, text) => {
    for (const row of rows) {
      const id = signatureOf.get(row.code) ?? `cuda-error-${row.code}`;
      const facts = verdictOf(text(row.code)).facts.map((fact) => fact.id);
      expect(facts, text(row.code)).toContain(`said.${id}`);
    }
  });

  it('are known by name and text', () => {
    for (const row of rows) {
      const id = signatureOf.get(row.code) ?? `cuda-error-${row.code}`;
      const texts = [
        ...(row.runtime === null ? [] : [row.runtime, `RuntimeError: ${row.runtime}: x`]),
        ...(row.driver === null ? [] : [`cuLaunchKernel failed: ${row.driver}`]),
      ];
      for (const text of texts)
        expect(
          verdictOf(text).facts.map((fact) => fact.id),
          text,
        ).toContain(`said.${id}`);
      expect(verdictOf(`Cuda failure '${row.string}'`).headline, row.string).not.toContain(nothing);
    }
  });

  it('tell who acts and what decides', () => {
    const texts = rows.filter((row) => row.owner !== 'none').map((row) => `CUDA error ${row.code}`);
    expect(
      lost(texts, (verdict) => leads(verdict) && (verdict.certainty !== null || verdict.unknown.length > 0)),
    ).toEqual([]);
  });
});

describe('statuses of libraries', () => {
  it('are named with their meaning', () => {
    for (const row of knowledge.libraryStatuses) {
      if (row.code === 0) continue;
      const missed = lost([`what(): ${row.name} (${row.code})`], (verdict) =>
        JSON.stringify(verdict).includes(row.name),
      );
      expect(missed, row.name).toEqual([]);
    }
  });

  it.each([
    ['cuBLAS error: 13', 'CUBLAS_STATUS_EXECUTION_FAILED'],
    ['cudnn status: 5000', 'CUDNN_STATUS_EXECUTION_FAILED'],
    ['NVRTC error: 6', 'NVRTC_ERROR_COMPILATION'],
  ])('%s is %s', (text, name) => {
    expect(verdictOf(text).headline).toContain(name);
  });

  it('of NVML are known by name, text and number', () => {
    for (const row of knowledge.nvmlReturns) {
      if (row.code === 0) continue;
      const texts = [`call failed: ${row.name}`, `nvmlInit failed with error ${row.code}`];
      if (row.string !== null)
        texts.push(`Failed to initialize NVML: ${row.string}`, `pynvml.NVMLError: ${row.string}`);
      expect(lost(texts, () => true)).toEqual([]);
    }
    expect(verdictOf('nvmlInit failed with error 10').headline).toContain('NVML_ERROR_TIMEOUT');
  });

  it('of NCCL are known by name, text and number', () => {
    for (const row of knowledge.ncclResults) {
      if (row.code === 0) continue;
      const texts = [
        `RuntimeError: ${row.name}: x`,
        `NCCL error '${row.string}'`,
        `NCCL failure: NCCL error ${row.code}`,
      ];
      expect(lost(texts.slice(0, row.string === 'timeout' ? 1 : 3), () => true)).toEqual([]);
    }
  });
});

const forms = [
  (code: number) => `[ 1234.567] NVRM: Xid (PCI:0000:3b:00): ${code}, pid=1234, name=python3, Ch 0000001e`,
  (code: number) => `NVRM: Xid (0000:3b:00): ${code}, Ch 0000001e, engmask 00000101, intr 10000000`,
  (code: number) => `NVRM: Xid (PCI:0000:41:00 GPU-I:05): ${code}, pid=61027, name=python3, x`,
  (code: number) => `kernel: NVRM: Xid (PCI:0000:d8:00): ${code}, pid='<unknown>', name=<unknown>, x`,
];

describe('Xids', () => {
  it.each(forms.map((form) => [form(13), form] as const))('are told with meaning, owner and steps: %s', (_, form) => {
    for (const row of knowledge.xids) {
      const verdict = verdictOf(form(row.code));
      const finding = verdict.findings.find((each) => each.evidence.length > 0);
      expect(finding, `${row.code}: ${verdict.headline}`).toBeDefined();
      expect(verdict.findings.flatMap((each) => each.remedies).length, `${row.code}`).toBeGreaterThan(0);
      if (verdict.status === 'cannot-tell') expect(verdict.unknown[0]?.ask, `${row.code}`).toContain('dmesg');
    }
  });

  it('of the machine are likely, those of programs and notices are not', () => {
    const certaintyOf = (code: number): string | null => verdictOf(forms[0]!(code)).certainty;
    for (const code of [46, 54, 62, 109, 110, 143, 158]) expect(certaintyOf(code), `${code}`).toBe('likely');
    for (const code of [1, 8, 14, 25, 32, 43, 45, 69, 92, 106, 162, 177])
      expect(certaintyOf(code), `${code}`).toBeNull();
  });

  it('beyond the table are told as such', () => {
    expect(verdictOf(forms[0]!(999)).headline).toContain('Xid 999');
  });

  it('154 gives the recommended action', () => {
    const verdict = verdictOf(
      'NVRM: Xid (PCI:0001:00:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)',
    );
    expect(JSON.stringify(verdict.findings)).toContain('Node Reboot Required');
    expect(verdict.findings.flatMap((finding) => finding.remedies.map((each) => each.do)).join('; ')).toMatch(/reboot/);
  });

  it.each([
    [
      '145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x00000008 0x00000001 0x00000000 0x00100000 0x00000004)',
      ['RLW_RXPIPE', 'link 13'],
    ],
    [
      '149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x025001c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)',
      ['NETIR_LINK_EVT', 'link 0', 'sub-code 37', 'link-fatal'],
    ],
    [
      '149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)',
      ['sub-code 38'],
    ],
    [
      '144, SAW_MVB Nonfatal XC0 i0 Link 0 (0x00000001 0x00000008 0x00000000 0x00000000 0x00000000 0x00000000)',
      ['SAW_MVB', 'non-fatal', 'hardware'],
    ],
    [
      '149, NETIR Fatal XC0 i0 Link -1 (0x000fe406 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)',
      ['no single link'],
    ],
    [
      '74, pid=1, name=x, NVLink: fatal error detected on link 14(0x100000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)',
      ['link 14', 'echo of another error'],
    ],
  ])('of NVLink are decoded: %s', (rest, words) => {
    const verdict = verdictOf(`NVRM: Xid (PCI:0000:01:00): ${rest}`);
    for (const word of words) expect(verdict.findings.map((each) => each.message).join(' | ')).toContain(word);
  });

  it('that monitors name are told too', () => {
    expect(verdictOf('GPU 2 received XID error 62').headline).toContain('Xid 62');
    expect(verdictOf('Detected XID 46 for GPU 1').headline).toContain('Xid 46');
  });

  it('of another machine or written by hand accuse nobody', () => {
    const text = '$ echo "NVRM: Xid (PCI:0000:3b:00): 62, pid=1, name=x" | sudo tee /dev/kmsg';
    expect(verdictOf(text).status).not.toBe('fault');
  });
});

describe('SXids', () => {
  it('are told, fatal ones as likely', () => {
    for (const row of knowledge.sxids) {
      const verdict = verdictOf(`nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): ${row.code}, Non-fatal, Link 12 x`);
      expect(verdict.findings.length, `${row.code}: ${verdict.headline}`).toBeGreaterThan(0);
    }
    const fatal = verdictOf('nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 33 LTSSM Fault Up');
    expect(fatal.status).toBe('fault');
    expect(['hardware', 'fabric']).toContain(fatal.layer);
  });
});
