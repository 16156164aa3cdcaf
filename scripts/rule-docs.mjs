// Pages of docs/rules: one for each rule, and the indexes over them. Text in, text out; scripts/generate.mjs writes them.

const generated = '<!-- Generated from packages/core/src by `npm run generate`. -->';
const acts = {
  operator: 'the operator of node, cluster or image',
  developer: 'the developer of the program',
  vendor: 'the vendor',
  none: 'nobody: nothing is wrong',
};

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const code = (text) => {
  const flat = text.replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 200).trim();
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
};
const causeOf = (rule, { knowledge }) =>
  knowledge.causes.find((row) => row.cause === rule.id.slice(rule.id.indexOf('/') + 1));
const layerOf = (rule) => rule.id.slice(0, rule.id.indexOf('/'));
const asks = (rule) => [...rule.needs, ...(rule.anyOf ?? []), ...(rule.uses ?? [])];
const messagesOf = (rule) => [
  ...new Set(
    asks(rule)
      .filter((id) => id.startsWith('said.'))
      .map((id) => id.slice(5)),
  ),
];
const link = (id, from = '') => `[${id}](${from}${id}.md)`;
/** Rules that are only consequences of this one: links, and whole groups as patterns. */
const coveredBy = (rule, rules) =>
  [...new Set(rule.explains ?? [])].flatMap((pattern) => {
    if (pattern.startsWith('said.')) return [];
    if (pattern.endsWith('*')) return [`\`${pattern}\``];
    return rules.some((other) => other.id === pattern) ? [link(pattern, '../')] : [];
  });

/** The page beside the rule, with what the tables know of it. */
export function rulePage(rule, all) {
  const { knowledge, texts, rules } = all;
  const covers = coveredBy(rule, rules);
  const cause = causeOf(rule, all);
  const text = texts.get(rule.id).trimEnd();
  const end = text.indexOf('\n');
  const [title, body] = [text.slice(0, end), text.slice(end + 1).trim()];
  const messages = messagesOf(rule);
  const facts = asks(rule).filter((id) => !id.startsWith('said.'));
  const rows = [
    ['id', `\`${rule.id}\``],
    ['layer', layerOf(rule) === 'ok' ? 'none: it recognises a healthy input' : layerOf(rule)],
    ...(cause === undefined
      ? []
      : [
          ['status', cause.status],
          ['who acts', acts[cause.owner]],
          ['group', cause.class],
        ]),
    ...(facts.length === 0 ? [] : [['facts it asks for', [...new Set(facts)].map((id) => `\`${id}\``).join(', ')]]),
    ...(covers.length === 0 ? [] : [['explains', covers.join(', ')]]),
  ];
  const sources = rule.citations.flatMap((id) => {
    const row = knowledge.citations.find((each) => each.id === id);
    return row === undefined ? [] : [`- [${cell(row.title)}](${row.url})`];
  });
  const said = messages.flatMap((id) => {
    const row = knowledge.signatures.find((each) => each.id === id);
    return row === undefined ? [] : [`| \`${id}\` | ${cell(row.meaning)} | ${code(row.examples[0] ?? '')} |`];
  });
  return [
    title,
    '',
    generated,
    '',
    '| | |',
    '| --- | --- |',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    '',
    body,
    ...(said.length === 0
      ? []
      : ['', '## Messages', '', '| id | meaning | looks like |', '| --- | --- | --- |', ...said]),
    ...(sources.length === 0 ? [] : ['', '## Sources', '', ...sources]),
    '',
    `The same on a terminal: \`culprit explain ${rule.id}\`. [All rules](../README.md)`,
    '',
  ].join('\n');
}

export function readmePage(all) {
  const { rules, knowledge } = all;
  const byStatus = new Map();
  for (const rule of rules) {
    const status = causeOf(rule, all)?.status ?? 'fault';
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
  const counts = [...byStatus].sort((a, b) => b[1] - a[1]).map(([status, count]) => `${count} ${status}`);
  return `# Rules

${generated}

${rules.length} rules decide what a text shows (${counts.join(', ')}), by ${knowledge.signatures.length} recognised messages and the
[tables](../knowledge/README.md). Each has a page with what it means, how it comes about, who acts and in which order, what it
is confused with, and real inputs.

- [by layer](by-layer.md): what can be wrong where
- [by message](by-message.md): which rules look at a message
- [by symptom](by-symptom.md): from what an operator sees

A message that no rule speaks about is still told, with its meaning, who probably acts and the command that decides.
`;
}

export function layerPage(all) {
  const { rules, layers } = all;
  const parts = [...layers, 'ok'].flatMap((layer) => {
    const own = rules.filter((rule) => layerOf(rule) === layer).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (own.length === 0) return [];
    return [
      `## ${layer === 'ok' ? 'Nothing is wrong' : layer}`,
      '',
      '| rule | what it finds | status | who acts |',
      '| --- | --- | --- | --- |',
      ...own.map((rule) => {
        const cause = causeOf(rule, all);
        return `| ${link(rule.id)} | ${cell(rule.summary)} | ${cause?.status ?? ''} | ${cause?.owner ?? ''} |`;
      }),
      '',
    ];
  });
  return [
    '# Rules by layer',
    '',
    generated,
    '',
    'Lowest layer first: a fault below usually explains those above.',
    '',
    ...parts,
  ].join('\n');
}

/** Rules that ask for a message, or that its table names as its cause. */
function rulesOf(row, all) {
  return all.rules.filter(
    (rule) =>
      messagesOf(rule).includes(row.id) ||
      row.causes.some((each) => each.cause !== null && rule.id.endsWith(`/${each.cause}`)),
  );
}

export function messagePage(all) {
  const { knowledge, layers } = all;
  const parts = layers.flatMap((layer) => {
    const own = knowledge.signatures.filter((row) => row.layer === layer).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (own.length === 0) return [];
    return [
      `## ${layer}`,
      '',
      '| message | meaning | looks like | rules |',
      '| --- | --- | --- | --- |',
      ...own.map((row) => {
        const deciding = rulesOf(row, all).map((rule) => link(rule.id));
        return `| \`${row.id}\` | ${cell(row.meaning)} | ${code(row.examples[0] ?? '')} | ${deciding.join(', ')} |`;
      }),
      '',
    ];
  });
  return [
    '# Rules by message',
    '',
    generated,
    '',
    'Messages that are recognised, by the layer they come from. `culprit explain ID` tells more of each.',
    '',
    ...parts,
  ].join('\n');
}

/** What an operator sees, and the words of rules and messages that belong to it; the first that fits takes a rule. */
const symptoms = [
  [
    'nvidia-smi fails or shows no GPU',
    /nvidia-smi|NVML|no devices|driver\/library|kernel module|nouveau|secure boot|dkms/i,
  ],
  ['A container sees no GPU', /container|docker|cdi\b|runtime class|device plugin|visible devices|injected/i],
  ['A pod or job does not start or is not scheduled', /kubernetes|k8s|pod\b|slurm|scheduler|taint|evict|operator/i],
  ['The program finds no GPU', /cpu-only|cpu build|no cuda|not available|without cuda|libcuda|stub/i],
  [
    '"No kernel image", PTX or architecture errors',
    /arch\b|archs|architecture|ptx|compute capability|kernel image|gpu-newer|gpu-older/i,
  ],
  [
    'A library is missing or of the wrong version',
    /\.so\b|loader|glibc|wheel|cudnn|nvjitlink|cublas|nvrtc|shadow|abi|mixed|package/i,
  ],
  ['The job hangs', /hang|stands still|deadlock|timeout|timed out|stuck/i],
  ['Several GPUs or nodes do not work together', /nccl|nvlink|fabric|peer|p2p|infiniband|rdma|rank|network|interface/i],
  ['The program crashes or its numbers are wrong', /illegal|assert|crash|nan\b|finite|corrupt|exception|overflow/i],
  ['Memory runs out', /memory|oom|shm\b|pinned/i],
  ['The kernel logs Xids; a GPU is lost or sick', /xid|ecc|row|bus|remap|hardware|throttl|power|thermal/i],
  ['A build or compilation fails', /compil|nvcc|ptxas|build|toolchain/i],
  ['A driver or its helpers are of the wrong release, doubled or not allowed', /driver|mps|vgpu|licen/i],
  ['The host has a trouble of its own', /disk|file system|clock|limit|host-os/i],
  ['The program refuses to start, or stops by itself', /application\/|framework\//i],
  ['It works, but slowly', /./],
];

export function symptomPage(all) {
  const { rules, texts } = all;
  const left = new Set(rules.filter((rule) => layerOf(rule) !== 'ok'));
  const slow = new Set([...left].filter((rule) => causeOf(rule, all)?.status === 'performance'));
  const parts = [];
  const list = (title, own) => {
    if (own.length === 0) return;
    parts.push(
      `## ${title}`,
      '',
      ...own.sort((a, b) => (a.id < b.id ? -1 : 1)).map((rule) => `- ${link(rule.id)}: ${rule.summary}`),
      '',
    );
    for (const rule of own) left.delete(rule);
  };
  for (const [title, words] of symptoms.slice(0, -1)) {
    list(
      title,
      [...left].filter((rule) => !slow.has(rule) && words.test(`${rule.id} ${rule.summary}`)),
    );
  }
  // What the id does not tell, the page may.
  for (const [title, words] of symptoms.slice(0, -1)) {
    const more = [...left].filter((rule) => !slow.has(rule) && words.test(firstParagraph(texts.get(rule.id))));
    if (more.length === 0) continue;
    const at = parts.indexOf(`## ${title}`);
    const items = more.map((rule) => `- ${link(rule.id)}: ${rule.summary}`);
    if (at < 0) parts.push(`## ${title}`, '', ...items, '');
    else parts.splice(at + 2, 0, ...items);
    for (const rule of more) left.delete(rule);
  }
  list(symptoms.at(-1)[0], [...slow]);
  list('Something else', [...left]);
  return [
    '# Rules by symptom',
    '',
    generated,
    '',
    'Where to start from what is seen. One symptom has causes in several layers: give `culprit diagnose` the log and what',
    '`nvidia-smi` and `dmesg` print, and it tells them apart.',
    '',
    ...parts,
  ].join('\n');
}

function firstParagraph(text) {
  return /## What it means\n+([^#]{1,600})/.exec(text)?.[1] ?? '';
}
