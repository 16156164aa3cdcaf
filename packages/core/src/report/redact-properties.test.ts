import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../diagnose/diagnose.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { createDocument } from '../text/document.ts';
import { lookupOf } from './lookup.ts';
import { redactorOf } from './redact.ts';
import { shareReport } from './share-report.ts';
import { reportVerdict, verdictFormats } from './verdict-report.ts';

const runs = { numRuns: 60 };
const from = (alphabet: string, length: number, most = length): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: length, maxLength: most });
const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const word = `${lower}${lower.toUpperCase()}${digits}`;
const hex = '0123456789abcdef';

const joined = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''));

/** Secrets that tell by themselves what they are. */
const tokens: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'Hugging Face': joined('hf_', from(word, 34)),
  GitHub: joined(fc.constantFrom('ghp_', 'gho_', 'ghs_'), from(word, 36)),
  'GitHub, fine-grained': joined('github_pat_', from(word, 22), '_', from(word, 59)),
  GitLab: joined('glpat-', from(`${word}_-`, 20)),
  'AWS key id': joined('AKIA', from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  OpenAI: joined('sk-proj-7', from(`${word}_-`, 40)),
  Anthropic: joined('sk-ant-api03-', from(`${word}_-`, 60)),
  Slack: joined('xoxb-', from(digits, 12), '-', from(word, 24)),
  Google: joined('AIza', from(`${word}_-`, 35)),
  NGC: joined('nvapi-', from(`${word}_-`, 64)),
  'a JSON web token': joined('eyJhbGciOi', from(word, 20), '.eyJ', from(word, 40), '.', from(`${word}_-`, 43)),
  npm: joined('npm_', from(word, 36)),
  'Docker Hub': joined('dckr_pat_', from(`${word}_-`, 27)),
  'an e-mail address': joined(from(lower, 4, 9), '.', from(lower, 4, 9), '@', from(lower, 4, 9), '.com'),
  'a GPU UUID': fc.uuid().map((each) => `GPU-${each}`),
  'a MIG UUID': fc.uuid().map((each) => `MIG-${each}`),
  'a MAC address': fc.array(from(hex, 2), { minLength: 6, maxLength: 6 }).map((each) => each.join(':')),
  'a GUID': fc.array(from(hex, 4), { minLength: 4, maxLength: 4 }).map((each) => each.join(':')),
  'IPv6, compressed': joined('fe80::', from('123456789abcdef', 4), ':', from('123456789abcdef', 4)),
  'IPv6 with a zone': joined('fe80::', from('123456789abcdef', 4), '%eth0'),
  'IPv6 in full': fc.array(from('123456789abcdef', 4), { minLength: 8, maxLength: 8 }).map((each) => each.join(':')),
  'a private address': fc
    .tuple(fc.integer({ min: 16, max: 31 }), fc.integer({ min: 1, max: 254 }), fc.integer({ min: 1, max: 254 }))
    .map(([a, b, c]) => `172.${a}.${b}.${c}`),
  'a public address': fc
    .tuple(fc.integer({ min: 20, max: 120 }), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: 254 }))
    .map(([a, b, c]) => `${a}.${b}.${c}.77`),
  'a machine with a domain': joined(
    from(lower, 3, 8),
    from(digits, 2),
    '.',
    from(lower, 4, 9),
    '.corp.',
    from(lower, 4, 9),
    '.com',
  ),
};

/** What may stand around a secret. */
const around: Readonly<Record<string, (secret: string) => string>> = {
  nothing: (s) => s,
  'a sentence': (s) => `the job used ${s} and failed`,
  JSON: (s) => `{"level":"error","value":"${s}","n":1}`,
  'JSON in a string': (s) => String.raw`{"log":"{\"value\":\"${s}\"}"}`,
  'a dump of the environment': (s) => `SOME_SETTING=${s}`,
  'an export': (s) => `export SOME_SETTING='${s}'`,
  YAML: (s) => `    setting: ${s}`,
  'a list in YAML': (s) => `  - "${s}"`,
  'a query': (s) => `GET https://api.wandb.ai/v1/x?page=1&q=${s}&z=2`,
  'the prefix of a log': (s) => `[rank3]: 2026-11-30 07:00:00,123 - app - ERROR - ${s}`,
  'a bearer': (s) => `Authorization: Bearer ${s}`,
  brackets: (s) => `call(${s}) [${s}] <${s}>`,
  'colour codes': (s) => `\u001b[31m${s}\u001b[0m failed`,
  'a quoted word': (s) => `'${s}', next`,
};

/** Places where only the name tells that the value is secret. */
const labelled: Readonly<Record<string, (secret: string) => string>> = {
  'the environment': (s) => `DB_PASSWORD=${s}`,
  'a token of the environment': (s) => `CI_JOB_TOKEN=${s}`,
  'a key of the environment': (s) => `MY_SERVICE_KEY=${s}`,
  'an export': (s) => `export WANDB_API_KEY="${s}"`,
  'docker run': (s) => `docker run -e CLIENT_SECRET=${s} image`,
  JSON: (s) => `{"user":"x","password":"${s}","n":1}`,
  'JSON in a string': (s) => String.raw`"{\"api_key\":\"${s}\"}"`,
  'a registry': (s) => `{"auths":{"nvcr.io":{"auth":"${s}"}}}`,
  YAML: (s) => `  apiKey: ${s}`,
  'a flag': (s) => `culprit-test --password ${s} --x`,
  'a flag with =': (s) => `culprit-test --token=${s} --x`,
  'a login': (s) => `docker login -u robot7 -p ${s} nvcr.io`,
  'a URL': (s) => `fatal: unable to access https://robot7:${s}@gitlab.com/a/b.git/`,
  'a query': (s) => `GET https://gitlab.com/x?token=${s}&y=1`,
  'a presigned URL': (s) => `https://s3.amazonaws.com/b/k?X-Amz-Date=1&X-Amz-Signature=${s}`,
  'a shared access signature': (s) => `https://x7.blob.core.windows.net/c?sv=2020&sig=${s}&se=1`,
  'an element': (s) => `<password>${s}</password>`,
  'a header': (s) => `X-Api-Key: ${s}`,
  'basic authorization': (s) => `Authorization: Basic ${s}`,
  kubeconfig: (s) => `    client-key-data: ${s}`,
  'a pod': (s) => `{"env":[{"name":"HF_TOKEN","value":"${s}"}]}`,
};

const failure = 'RuntimeError: CUDA error: an illegal memory access was encountered';

/** The text in every form of report. */
function reports(text: string, file = '-'): string {
  const document = createDocument(text, { file });
  const redactor = redactorOf([document]);
  const verdict = redactor.verdict(diagnose([document]));
  const options = { knowledge: defaultKnowledge, version: '0', color: false, columns: null, left: [] };
  return [
    ...verdictFormats.map((format) => reportVerdict(verdict, format, options)),
    shareReport(verdict, lookupOf(defaultKnowledge, verdict), options, redactor.masked()),
  ].join('\n');
}

function masked(text: string): string {
  return redactorOf([createDocument(text)]).text(text);
}

const without = (text: string, secret: string): boolean => !text.toLowerCase().includes(secret.toLowerCase());

describe('no secret survives', () => {
  it.each(Object.entries(tokens))('%s, whatever stands around it', (_, secret) => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...Object.values(around)), fc.boolean(), (value, place, loud) => {
        const given = loud ? place(value).toUpperCase() : place(value);
        expect(masked(given)).toSatisfy((out: string) => without(out, value), given);
      }),
      runs,
    );
  });

  it.each(Object.entries(labelled))('a password in %s', (_, place) => {
    fc.assert(
      fc.property(joined(from(word, 6, 20), from(digits, 1), from(word, 6, 20)), (value) => {
        expect(masked(place(value))).toSatisfy((out: string) => without(out, value), place(value));
      }),
      runs,
    );
  });

  it('in any format of a report', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(tokens)).chain((each) => each),
        fc.constantFrom(...Object.values(around)),
        (value, place) => {
          expect(reports(`${place(value)} ${failure}\n`)).toSatisfy((out: string) => without(out, value), place(value));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('at the border of a slice of a long line', () => {
    fc.assert(
      fc.property(
        tokens['NGC']!,
        fc.integer({ min: 1700, max: 2100 }),
        fc.integer({ min: 0, max: 400 }),
        (value, before, after) => {
          const text = `${'x '.repeat(before / 2)}${value} ${'y '.repeat(after)}${failure} ${'z '.repeat(1200)}`;
          const document = createDocument(text);
          const redactor = redactorOf([document]);
          for (const line of document.lines) {
            const out = redactor.text(line.text);
            for (let at = 0; at + 12 <= value.length; at++) expect(out).not.toContain(value.slice(at, at + 12));
          }
        },
      ),
      runs,
    );
  });

  it('in a PEM block over many lines, in one line, and behind prefixes', () => {
    fc.assert(
      fc.property(
        fc.array(from(word, 64), { minLength: 3, maxLength: 8 }),
        fc.constantFrom('', '    ', 'host7 app[1]: '),
        (body, prefix) => {
          const block = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----'];
          const text = block.map((line) => prefix + line).join('\n');
          const document = createDocument(text);
          const redactor = redactorOf([document]);
          for (const line of body) {
            expect(redactor.text(text)).not.toContain(line);
            // A line alone, as evidence has it.
            expect(redactor.text(`${prefix}${line}`)).not.toContain(line);
            expect(masked(`{"key":"${block.join(String.raw`\n`)}"}`)).not.toContain(line);
          }
        },
      ),
      runs,
    );
  });

  it('of names that were learnt elsewhere: hosts, users, the value of a variable', () => {
    fc.assert(
      fc.property(from(lower, 5, 9), from(lower, 3, 6), from(word, 16), (user, host, secret) => {
        fc.pre(/\d/.test(secret));
        const [u, h, s] = [`${user}x`, `${host}-07`, secret];
        const text = `${u}@${h}:~$ export MY_TOKEN=${s}\nlogs of ${h} by ${u}: ${s} ${failure}\n`;
        const out = reports(text, `/data/${h}/${u}.log`);
        for (const each of [u, h, s]) expect(without(out, each), `${each} in ${text}`).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('what is no secret survives byte for byte', () => {
  const number = fc.integer({ min: 0, max: 99 });
  const versions: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'a driver': fc
      .tuple(fc.integer({ min: 390, max: 620 }), number, number)
      .map(([a, b, c]) => `Driver Version: ${a}.${b}.${String(c).padStart(2, '0')}`),
    'a toolkit': fc
      .tuple(fc.integer({ min: 9, max: 13 }), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 300 }))
      .map(([a, b, c]) => `cuda_${a}.${b}.r${a}.${b}/compiler.${c} CUDA ${a}.${b}.${c}`),
    'a pinned wheel': fc
      .tuple(fc.integer({ min: 8, max: 13 }), number, number, number)
      .map((all) => `nvidia-cudnn-cu12==${all.join('.')}`),
    'a listed wheel': fc
      .tuple(fc.integer({ min: 8, max: 13 }), number, number, number)
      .map((all) => `nvidia-curand-cu12        ${all.join('.')}`),
    'a library': fc
      .tuple(fc.integer({ min: 8, max: 13 }), number, number, number)
      .map((all) => `/usr/lib/x86_64-linux-gnu/libcurand.so.${all.join('.')}`),
    'a Debian package': fc
      .tuple(fc.integer({ min: 8, max: 13 }), number, number, number)
      .map((all) => `ii  libcudnn9-cuda-12  ${all.join('.')}-1  amd64`),
    cuDNN: fc
      .tuple(fc.integer({ min: 8, max: 9 }), number, number, number)
      .map((all) => `cuDNN version: ${all.join('.')}`),
    'a version in JSON': fc
      .tuple(fc.integer({ min: 8, max: 12 }), number, number, number)
      .map((all) => `{"name": "libcublas", "version": "${all.join('.')}"}`),
    NCCL: fc
      .tuple(number, number, fc.constantFrom('11.8', '12.4', '13.0'))
      .map(([a, b, c]) => `NCCL version 2.${a}.${b}+cuda${c}`),
    'a kernel': fc
      .tuple(fc.integer({ min: 4, max: 6 }), number, fc.integer({ min: 1, max: 200 }))
      .map(([a, b, c]) => `${a}.${b}.0-${c}-generic`),
    torch: fc
      .tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('cu118', 'cu128', 'cpu'))
      .map(([a, b]) => `torch 2.${a}.1+${b} py3.11_cuda12.4_cudnn9.1.0_0`),
    'a PCI device': fc
      .tuple(from(hex, 2), from(hex, 2))
      .map(([a, b]) => `0000:${a}:${b}.0 00000000:${a.toUpperCase()}:00.0 PCI:0000:${a}:00`),
    'an Xid': fc
      .integer({ min: 1, max: 170 })
      .map((xid) => `NVRM: Xid (PCI:0000:3b:00): ${xid}, pid=1234, Ch 0000000b`),
    'an architecture': fc.constantFrom('sm_90a', 'sm_120', 'compute_86', 'PTX ISA 8.1', '.version 8.4'),
    'a size': fc.tuple(number, number).map(([a, b]) => `${a}.${b} GiB of 80.00 GiB, 4096MiB / 81559MiB, 350W`),
    'a path of the system': fc.constantFrom(
      '/usr/local/cuda-12.4/lib64/libcudart.so.12',
      '/proc/driver/nvidia/version',
      '/opt/conda/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so',
    ),
    'this machine': fc.constantFrom('http://localhost:8000/x', '127.0.0.1:29500', '0.0.0.0:80', '[::1]:8080'),
    documentation: fc.constantFrom(
      'https://docs.nvidia.com/cuda/x.html',
      'https://github.com/NVIDIA/nccl/issues/1',
      'nvcr.io/nvidia/pytorch:24.05-py3',
    ),
    'an image': from(hex, 64).map((digest) => `nvcr.io/nvidia/cuda@sha256:${digest}`),
    'a symbol': fc.constantFrom(
      'undefined symbol: _ZN3c104cuda9SetDeviceEi',
      'undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12',
    ),
    'C++': fc.constantFrom('c10::Error at::native::abs std::bad_alloc', 'cudaErrorIllegalAddress (700)', 'x[1::2]'),
    'counts of tokens': fc
      .integer({ min: 1, max: 99999 })
      .map((n) => `max_tokens=${n} num_tokens: ${n} tokens/s: ${n}.5 eos_token=<s>`),
  };
  it.each(Object.entries(versions))('%s', (_, version) => {
    fc.assert(
      fc.property(
        version,
        fc.constantFrom(
          (s: string) => s,
          (s: string) => `[rank1]: INFO ${s}`,
          (s: string) => `${s}, and so on`,
        ),
        (text, place) => {
          expect(masked(place(text))).toBe(place(text));
        },
      ),
      runs,
    );
  });
});

describe('redaction', () => {
  it('of what is redacted changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...Object.values(tokens)).chain((each) => each),
            fc.constantFrom(...Object.values(around), ...Object.values(labelled)),
          ),
          { minLength: 1, maxLength: 6 },
        ),
        (parts) => {
          const once = masked(parts.map(([value, place]) => place(value)).join('\n'));
          expect(masked(once)).toBe(once);
        },
      ),
      runs,
    );
  });

  it('never throws and keeps the number of lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(masked(text).split('\n').length).toBe(text.split('\n').length);
      }),
      { numRuns: 300 },
    );
  });

  const hostile = [
    'a',
    'a.',
    'a@',
    '0a:',
    'a_token=',
    String.raw`a_token=\"`,
    'cookie: ',
    '-----BEGIN A-----',
    'eyJ',
    'aB1/',
    '10.1.2.3 ',
    'http://a:b@c/?token=d&',
    '--password ',
    'node[01-02,',
    'name: token, value: ',
    '/home/a',
    'groups=1(a),',
  ];
  it.each(hostile)('takes time in proportion to its input: %j', { retry: 3 }, (piece) => {
    const time = (length: number): number => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const started = performance.now();
      masked(text);
      return performance.now() - started;
    };
    time(20_000);
    const small = Math.min(time(50_000), time(50_000));
    // Eight times as long: a square would take 64 times as long.
    expect(time(400_000)).toBeLessThan(Math.max(400, small * 28));
  });
});
