import type { Document, Line } from '../model/document.ts';
import type { FactSink, Parser } from './parser.ts';
import { blocksOf, filled } from './blocks.ts';

/*
 * What lines of a program, its launcher and its host tell of it:
 *     torch.cuda.set_device(1)
 *   $ torchrun --nproc_per_node=4 train.py
 *   {'loss': 7.99, 'grad_norm': 183.2}
 *   {'loss': 0.0, 'grad_norm': nan}
 *       PID    PPID     ELAPSED USER     CMD
 *     30551       1    19:22:07 svc      VLLM::EngineCore
 *   $ cat /etc/ld.so.preload
 *   /usr/local/vgpu/libvgpu.so
 *   $ curl -s -o /dev/null -w '%{http_code}' localhost:8000/health
 *   200
 */

export const programDevice: Parser = {
  id: 'program-device',
  literals: ['set_device(', 'cuda:', '.cuda(', '_devices(', '.devices('],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 500)) {
      if (line.told) continue;
      const match =
        /\bset_device\((\d{1,3})\)/.exec(line.clean.slice(0, 400)) ??
        /(?:to|device|map_location|Tensor)\(["']cuda:(\d{1,3})["']\)/.exec(line.clean.slice(0, 400)) ??
        /\.cuda\((\d{1,3})\)/.exec(line.clean.slice(0, 400)) ??
        /\b(?:jax\.(?:local_)?devices|list_(?:physical|logical)_devices)\([^()]{0,40}\)\[(\d{1,3})\]/.exec(
          line.clean.slice(0, 400),
        );
      if (match !== null) sink.add('program.device', Number(match[1]), line);
    }
  },
};

export const launcherProcesses: Parser = {
  id: 'launcher-processes',
  literals: ['nproc_per_node', 'nproc-per-node', '--num_gpus', '--num_processes', 'ntasks-per-node'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    for (const line of hits.slice(0, 100)) {
      if (line.told) continue;
      const match = /--(?:nproc[_-]per[_-]node|num_gpus|num_processes|ntasks-per-node)[= ](\d{1,3})\b/.exec(
        line.clean.slice(0, 2000),
      );
      if (match !== null) sink.add('launcher.processes', Number(match[1]), line);
    }
  },
};

const number = /^-?\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?$/i;

/** Losses line by line, up to the first that is not finite. */
export const lossSeries: Parser = {
  id: 'loss-series',
  literals: ['loss', 'grad_norm'],
  keep: { before: 0, after: 0 },
  parse(_document, hits, sink) {
    const losses: number[] = [];
    const norms: number[] = [];
    let before: Line | null = null;
    for (const line of hits.slice(0, 20_000)) {
      if (line.prompt || line.told) continue;
      const loss = valueOf(line.clean, lossValue);
      const norm = valueOf(line.clean, normValue);
      if (loss === null && norm === null) continue;
      if (/^(?:nan|-?inf)/i.test(loss ?? '') || /^(?:nan|-?inf)/i.test(norm ?? '')) {
        const finite = Math.max(losses.length, norms.length);
        if (before !== null && finite > 0)
          sink.add('program.loss-series', { finite, rising: rises(losses) || rises(norms, 10) }, [before, line]);
        return;
      }
      if (loss !== null && number.test(loss)) losses.push(Number(loss));
      if (norm !== null && number.test(norm)) norms.push(Number(norm));
      before = line;
    }
  },
};

const lossValue = /\bloss['"]?(?::| =|=| )\s{0,3}([-\w.+]{1,24})/i;
const normValue = /\bgrad_norm['"]?(?::| =|=| )\s{0,3}([-\w.+]{1,24})/i;

function valueOf(text: string, pattern: RegExp): string | null {
  return pattern.exec(text.slice(0, 600))?.[1] ?? null;
}

/** The last value is far above the usual one before it. */
function rises(values: readonly number[], factor = 3): boolean {
  const last = values.at(-1);
  const earlier = values.slice(0, -1).sort((a, b) => a - b);
  const usual = earlier[Math.floor(earlier.length / 2)];
  return last !== undefined && usual !== undefined && usual > 0 && last >= factor * usual;
}

export const processTable: Parser = {
  id: 'ps',
  literals: [' ppid'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const head of hits.slice(0, 40)) {
      if (head.prompt || head.told) continue;
      const columns = head.clean.trim().split(/\s{1,40}/);
      const [pidAt, parentAt] = [columns.indexOf('PID'), columns.indexOf('PPID')];
      if (pidAt < 0 || parentAt < 0) continue;
      readProcesses(document, head, columns, sink);
    }
  },
};

function readProcesses(document: Document, head: Line, columns: readonly string[], sink: FactSink): void {
  for (const line of document.lines.slice(head.index + 1, head.index + 60)) {
    const cells = line.clean.trim().split(/\s{1,40}/);
    const pid = Number(cells[columns.indexOf('PID')]);
    const parent = Number(cells[columns.indexOf('PPID')]);
    if (line.prompt || !Number.isInteger(pid) || !Number.isInteger(parent) || cells.length < columns.length) return;
    sink.add(
      'process.parent',
      {
        pid,
        parent,
        command: cells
          .slice(columns.length - 1)
          .join(' ')
          .slice(0, 200),
      },
      line,
    );
  }
}

/** The file of libraries that the whole machine preloads; it counts like a variable. */
export const preloadFile: Parser = {
  id: 'ld-so-preload',
  literals: ['ld.so.preload'],
  keep: { before: 0, after: 4 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!/^cat \/etc\/ld\.so\.preload$/.test(block.command)) continue;
      for (const line of filled(block.output).slice(0, 8)) {
        const path = /^(\/\S{3,200}\.so[\w.]{0,20})\s{0,4}$/.exec(line.clean)?.[1];
        if (path !== undefined) sink.add('env', { name: '/etc/ld.so.preload', value: path }, line);
      }
    }
  },
};

/** A server whose health address answers 200. */
export const healthCheck: Parser = {
  id: 'health-check',
  literals: ['http_code'],
  keep: { before: 0, after: 2 },
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!/^curl\b.{0,300}\/(?:health|ready|v1\/models|livez|readyz|v2\/health)/.test(block.command)) continue;
      const line = filled(block.output)[0];
      if (line !== undefined && line.clean.trim() === '200')
        sink.add('works', { what: 'the server answers its health check', layer: 'application' }, line);
    }
  },
};
