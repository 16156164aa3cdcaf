import type { SeriesPlace } from './gpu-series.ts';
import { emptyRow, metricAt } from './gpu-series.ts';
import { longTime } from './times.ts';

// The blocks of `nvidia-smi -q`, whole or of some `-d` parts, once or again and again:
//
//   ==============NVSMI LOG==============
//   Timestamp                                 : Fri Mar  6 19:33:02 2026
//   Attached GPUs                             : 2
//   GPU 00000000:5D:00.0
//       Clocks Event Reasons
//           SW Power Cap                      : Active

/** One GPU of one such log. */
export interface GpuState {
  readonly bus: string;
  readonly uuid: string | null;
  /** Its place in the log, where that is its index. */
  readonly index: string | null;
  readonly host: string | null;
  readonly seconds: number | null;
  readonly row: Float64Array;
  readonly processes: readonly { readonly pid: number; readonly name: string | null; readonly type: string | null }[];
  readonly place: SeriesPlace;
}

/** Reasons for low clocks by their bits. */
const reasonBits: readonly (readonly [RegExp, number])[] = [
  [/^Idle$/, 0x1],
  [/^Applications? Clocks? Setting$/, 0x2],
  [/^SW Power Cap$/, 0x4],
  [/^HW Slowdown$/, 0x8],
  [/^Sync Boost$/, 0x10],
  [/^SW Thermal Slowdown$/, 0x20],
  [/^HW Thermal Slowdown$/, 0x40],
  [/^HW Power Brake(?: Slowdown)?$/, 0x80],
  [/^Display Clock Setting$/, 0x100],
];

/** What a key below certain blocks means: the end of the path, and the metric. */
const keys: readonly (readonly [RegExp, number])[] = [
  [/Utilization\/gpu$/i, metricAt('util')],
  [/Utilization\/memory$/i, metricAt('mem')],
  [/Utilization\/encoder$/i, metricAt('encoder')],
  [/Utilization\/decoder$/i, metricAt('decoder')],
  [/FB Memory Usage\/Used$/, metricAt('held')],
  [/FB Memory Usage\/Total$/, metricAt('memory-total')],
  [/Temperature\/GPU Current Temp$/, metricAt('temperature')],
  [/Temperature\/Memory Current Temp$/, metricAt('memory-temperature')],
  [/^(?:GPU )?Power Readings\/(?:Average |Instantaneous )?Power Draw$/, metricAt('power')],
  [/^(?:GPU )?Power Readings\/(?:Current |Enforced )?Power Limit$/, metricAt('power-limit')],
  [/^(?:GPU )?Power Readings\/Default Power Limit$/, metricAt('power-default')],
  [/^Clocks\/SM$/, metricAt('sm-clock')],
  [/^Clocks\/Memory$/, metricAt('memory-clock')],
  [/^Max Clocks\/SM$/, metricAt('sm-clock-max')],
  [/PCIe Generation\/Current$/, metricAt('pcie-generation')],
  [/PCIe Generation\/Max$/, metricAt('pcie-generation-max')],
  [/Link Width\/Current$/, metricAt('pcie-width')],
  [/Link Width\/Max$/, metricAt('pcie-width-max')],
  [/^PCI\/Replays Since Reset$/, metricAt('replays')],
];
const reasonsAt = metricAt('reasons');
const uncorrectedAt = metricAt('ecc-uncorrected');
const correctedAt = metricAt('ecc-corrected');
const mostProcesses = 64;
const mostDepth = 8;

interface Open {
  readonly bus: string;
  uuid: string | null;
  readonly row: Float64Array;
  readonly processes: { pid: number; name: string | null; type: string | null }[];
  readonly place: SeriesPlace;
}

/** Reads such logs line by line. */
export class QueryBlocks {
  private active = false;
  private seconds: number | null = null;
  private attached: number | null = null;
  private path: { readonly depth: number; readonly name: string }[] = [];
  private gpu: Open | null = null;
  private done: Open[] = [];
  private readonly host: string | null;
  private readonly put: (state: GpuState) => void;

  constructor(host: string | null, put: (state: GpuState) => void) {
    this.host = host;
    this.put = put;
  }

  /** True while a log is being read. */
  get open(): boolean {
    return this.active;
  }

  /** @returns true where the line is one of such a log */
  line(text: string, place: () => SeriesPlace): boolean {
    if (text.includes('NVSMI LOG')) {
      this.end();
      this.active = true;
      return true;
    }
    if (!this.active) return false;
    const depth = text.length - text.trimStart().length;
    const trimmed = text.trim();
    if (trimmed === '') return true;
    const colon = text.indexOf(' : ');
    if (depth === 0 && /^GPU [0-9A-Fa-f:.]{7,20}$/.test(trimmed)) {
      this.close();
      this.gpu = { bus: trimmed.slice(4), uuid: null, row: emptyRow(), processes: [], place: place() };
      this.path = [];
      return true;
    }
    if (colon < 0) {
      // A key without a value opens a block; a line at the margin is something else.
      if (depth === 0) {
        this.end();
        return false;
      }
      this.enter(depth, trimmed);
      return true;
    }
    const [key, value] = [text.slice(0, colon).trim(), text.slice(colon + 3).trim()];
    if (depth === 0) {
      if (key === 'Timestamp') this.seconds = longTime(value);
      else if (key === 'Attached GPUs' && /^\d{1,4}$/.test(value)) this.attached = Number(value);
      return true;
    }
    if (this.gpu === null) return true;
    this.enter(depth, key);
    this.take(this.gpu, key, value);
    return true;
  }

  private enter(depth: number, name: string): void {
    while (this.path.length > 0 && this.path.at(-1)!.depth >= depth) this.path.pop();
    if (this.path.length < mostDepth) this.path.push({ depth, name: name.slice(0, 80) });
  }

  private take(gpu: Open, key: string, value: string): void {
    const path = this.path.map(({ name }) => name).join('/');
    if (key === 'GPU UUID') gpu.uuid = /^GPU-[0-9a-f-]{8,40}$/i.test(value) ? value : null;
    else if (/Clocks (?:Event|Throttle) Reasons\//.test(path) && !/Counters/.test(path)) {
      const bit = reasonBits.find(([name]) => name.test(key))?.[1];
      if (bit === undefined || !/^(?:Not )?Active$/.test(value)) return;
      const before = gpu.row[reasonsAt]!;
      gpu.row[reasonsAt] = (before === before ? before : 0) | (value === 'Active' ? bit : 0);
    } else if (/ECC Errors\/Volatile\//.test(path)) this.errors(gpu, path, key, value);
    else if (path.startsWith('Processes/')) this.process(gpu, key, value);
    else {
      const metric = keys.find(([pattern]) => pattern.test(path))?.[1];
      const number = /^(\d{1,12}(?:\.\d{1,6})?)(?:x| ?(?:%|[A-Za-z]{1,4}))?$/.exec(value);
      // Of several keys for the same number the first one that has one counts.
      if (metric !== undefined && number !== null && Number.isNaN(gpu.row[metric]!))
        gpu.row[metric] = Number(number[1]);
    }
  }

  /** Newer drivers print sums of SRAM and DRAM, older ones parts and `Total` of single and double bits. */
  private errors(gpu: Open, path: string, key: string, value: string): void {
    if (!/^\d{1,12}$/.test(value)) return;
    const older = /\/(Single|Double) Bit\/Total$/.exec(path)?.[1];
    const newer = /^(?:SRAM|DRAM) (Unc|C)orrectable/.exec(key)?.[1];
    const metric =
      older === 'Double' || newer === 'Unc' ? uncorrectedAt : older === 'Single' || newer === 'C' ? correctedAt : -1;
    if (metric < 0) return;
    const before = gpu.row[metric]!;
    gpu.row[metric] = (before === before ? before : 0) + Number(value);
  }

  private process(gpu: Open, key: string, value: string): void {
    if (key === 'Process ID' && /^\d{1,10}$/.test(value) && gpu.processes.length < mostProcesses)
      gpu.processes.push({ pid: Number(value), name: null, type: null });
    const last = gpu.processes.at(-1);
    if (last === undefined) return;
    if (key === 'Name' && value !== '' && !value.startsWith('[')) last.name = value.slice(0, 200);
    if (key === 'Type') last.type = value.slice(0, 8);
  }

  private close(): void {
    if (this.gpu !== null) this.done.push(this.gpu);
    this.gpu = null;
  }

  /** The log ends. */
  end(): void {
    this.close();
    // With -i only some are printed, and their place says nothing of their index.
    const all = this.done.length === this.attached;
    this.done.forEach(({ bus, uuid, row, processes, place }, at) => {
      this.put({
        bus,
        uuid,
        index: all ? String(at) : null,
        host: this.host,
        seconds: this.seconds,
        row,
        processes,
        place,
      });
    });
    this.done = [];
    this.active = false;
    this.attached = null;
    this.seconds = null;
    this.path = [];
  }
}
