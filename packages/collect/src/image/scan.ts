// All layers of an image that was found: each is read once, several at a time.
import { availableParallelism } from 'node:os';
import type { LayerScan, ScannedEntry, ScannedImage } from '@culprit/core/image/model';
import { LayerCache } from './cache.ts';
import { ImageError } from './errors.ts';
import type { LayerWant } from './layer-reader.ts';
import type { Reading } from './layer-workers.ts';
import { LayerWorkers } from './layer-workers.ts';
import type { FoundImage, FoundLayer } from './manifest.ts';
import type { ImageOptions, ImageProgress } from './options.ts';
import { readByToc } from './toc.ts';

const usualLimitMs = 30 * 60_000;
/** Each takes up to 100 MB of memory, most of it buffers that are not yet given back. */
const mostParallel = 2;
/** Text of all layers together; beyond, what was read of further layers has no texts. */
const mostText = 160 * 1024 ** 2;

/** @throws ImageError where a layer is damaged or cannot be had */
export async function scanLayers(image: FoundImage, options: ImageOptions): Promise<ScannedImage> {
  const { reference, digest, platform, config, layers } = image;
  const left = [...image.left];
  const whole = (scans: readonly LayerScan[]): ScannedImage => ({
    reference,
    digest,
    platform,
    config,
    layers: scans,
    quick: options.quick === true,
    left,
  });
  if (options.quick === true) {
    if (layers.length > 0) left.push(`${layers.length} layers were not read: only the configuration was asked for`);
    return whole([]);
  }
  const work = new Work(image, options);
  const scans = await work.all();
  left.push(...work.notes);
  return whole(boundedTexts(scans, left));
}

class Work {
  private readonly image: FoundImage;
  private readonly options: ImageOptions;
  private readonly cache: LayerCache | null;
  private readonly until: number;
  private readonly done = new Map<string, LayerScan>();
  private readonly readers = new Set<Reading>();
  private readonly workers: LayerWorkers;
  private bytes = 0;
  private failed: unknown = null;

  constructor(image: FoundImage, options: ImageOptions) {
    this.image = image;
    this.options = options;
    this.cache = options.cache === undefined ? null : new LayerCache(options.cache, options.deep === true);
    this.workers = new LayerWorkers(allBytes(image.layers));
    this.until = Date.now() + (options.limitMs ?? usualLimitMs);
  }

  get notes(): readonly string[] {
    return this.cache?.notes ?? [];
  }

  async all(): Promise<readonly LayerScan[]> {
    const { layers } = this.image;
    const missing = new Map<string, number>();
    for (const [at, layer] of layers.entries()) {
      const key = keyOf(layer, at);
      if (missing.has(key) || this.done.has(key)) continue;
      const known = layer.unread === null ? await this.known(layer) : unreadScan(layer, this.placeOf(at));
      if (known === null) missing.set(key, at);
      else this.finish(key, known);
    }
    try {
      if (this.image.inOrder !== undefined) await this.inOrder([...missing.values()]);
      else await this.atOnce([...missing.values()]);
    } finally {
      this.workers.close();
    }
    return layers.map((layer, at) => this.done.get(keyOf(layer, at))!);
  }

  /** The largest first: so that no single one is left over at the end. */
  private async atOnce(places: readonly number[]): Promise<void> {
    const { layers } = this.image;
    const queue = places.toSorted((a, b) => (layers[b]!.bytes ?? 0) - (layers[a]!.bytes ?? 0));
    const parallel = this.options.parallel ?? Math.min(availableParallelism(), mostParallel);
    const one = async (): Promise<void> => {
      for (let at = queue.shift(); at !== undefined && this.failed === null; at = queue.shift()) {
        try {
          const layer = layers[at]!;
          const scan = (await readByToc(layer, this.wantOf(at))) ?? (await this.stream(at));
          await this.keep(layer, scan);
          this.finish(keyOf(layer, at), scan);
        } catch (error) {
          this.failed ??= error;
          for (const reader of this.readers) reader.close();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, parallel) }, one));
    if (this.failed !== null) throw this.failed as Error;
  }

  private async inOrder(places: readonly number[]): Promise<void> {
    if (places.length === 0) return;
    const wanted = new Set(places);
    await this.image.inOrder!((at) => {
      if (!wanted.delete(at)) return null;
      const reader = this.workers.begin(this.wantOf(at));
      return {
        push: async (chunk) => {
          this.passed(chunk.length);
          await reader.push(chunk);
        },
        end: async () => {
          const scan = await reader.end(null);
          await this.keep(this.image.layers[at]!, scan);
          this.finish(keyOf(this.image.layers[at]!, at), scan);
        },
      };
    });
    const first = [...wanted][0];
    if (first !== undefined) throw new ImageError('damaged', `${this.placeOf(first)}: the archive ends before it`);
  }

  private async stream(at: number): Promise<LayerScan> {
    const layer = this.image.layers[at]!;
    const reader = this.workers.begin(this.wantOf(at));
    this.readers.add(reader);
    let cut: string | null = null;
    try {
      for await (const chunk of layer.open()) {
        if (this.failed !== null) throw this.failed as Error;
        if (this.options.signal?.aborted === true) throw new ImageError('unreachable', `${this.placeOf(at)}: stopped`);
        this.passed(chunk.length);
        await reader.push(chunk);
        if (Date.now() > this.until) {
          cut = 'the time limit was reached';
          break;
        }
      }
      return await reader.end(cut);
    } finally {
      reader.close();
      this.readers.delete(reader);
    }
  }

  private wantOf(at: number): LayerWant {
    const { digest, diffId, bytes } = this.image.layers[at]!;
    return { place: this.placeOf(at), digest, diffId, bytes, deep: this.options.deep === true, until: this.until };
  }

  private placeOf(at: number): string {
    const { layers, reference } = this.image;
    const name = layers[at]!.digest ?? layers[at]!.diffId;
    return `${reference}: layer ${at + 1} of ${layers.length}${name === null ? '' : ` (${name})`}`;
  }

  private async known(layer: FoundLayer): Promise<LayerScan | null> {
    const name = layer.digest ?? layer.diffId;
    return this.cache === null || name === null ? null : this.cache.find(name);
  }

  private async keep(layer: FoundLayer, scan: LayerScan): Promise<void> {
    const name = layer.digest ?? layer.diffId;
    // What was cut by time is read anew the next time.
    if (name !== null && !scan.left.some((each) => each.includes('the time limit was reached')))
      await this.cache?.keep(name, scan);
  }

  private finish(key: string, scan: LayerScan): void {
    this.done.set(key, scan);
    this.told();
  }

  private passed(bytes: number): void {
    this.bytes += bytes;
    this.told();
  }

  private told(): void {
    const { layers } = this.image;
    const of = allBytes(layers);
    const state: ImageProgress = { layers: layers.length, done: this.done.size, bytes: this.bytes, of };
    this.options.progress?.(state);
  }
}

/** Layers of the same content are read once. */
function keyOf(layer: FoundLayer, at: number): string {
  return layer.digest ?? layer.diffId ?? `layer ${at}`;
}

function allBytes(layers: readonly FoundLayer[]): number | null {
  return layers.every((layer) => layer.bytes !== null) ? layers.reduce((sum, layer) => sum + layer.bytes!, 0) : null;
}

function unreadScan(layer: FoundLayer, place: string): LayerScan {
  return {
    digest: layer.digest,
    diffId: null,
    bytes: layer.bytes ?? 0,
    unpackedBytes: 0,
    entries: [],
    whiteouts: [],
    opaque: [],
    left: [`${place}: not read: ${layer.unread!}`],
  };
}

function boundedTexts(scans: readonly LayerScan[], left: string[]): readonly LayerScan[] {
  let held = 0;
  return scans.map((scan) => {
    const bytes = scan.entries.reduce((sum, entry) => sum + (entry.text?.length ?? 0), 0);
    held += bytes;
    if (bytes === 0 || held <= mostText) return scan;
    held -= bytes;
    left.push(`the texts of layer ${scan.digest ?? scan.diffId ?? ''} are left out: all together they are too long`);
    return { ...scan, entries: scan.entries.map(withoutText) };
  });
}

function withoutText(entry: ScannedEntry): ScannedEntry {
  const { text, ...rest } = entry;
  return text === undefined ? entry : rest;
}
