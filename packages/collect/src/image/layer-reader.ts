// One layer as a stream: its stored bytes are hashed and inflated, what they inflate to is hashed and read as a tar.
import type { LayerScan } from '@culprit/core/image/model';
import { joined } from '../joined.ts';
import { ImageError } from './errors.ts';
import { LayerCollector } from './layer-collector.ts';
import type { Hasher, Inflater, LayerTools } from './packing.ts';
import { TarError } from './tar-fields.ts';
import { TarReader } from './tar-reader.ts';

/** From this size on, what inflates to more than so many times its stored size is made to do harm. */
const bombBytes = 1024 ** 3;
const bombRatio = 200;
/** No layer that an engine unpacks is larger. */
const mostUnpacked = 256 * 1024 ** 3;
/** Entries of one layer that are looked at: five million take about ten seconds. */
const mostMembers = 5_000_000;

export interface LayerWant {
  /** How it is named in messages: `layer 3 of 7 (sha256:…) of IMAGE`. */
  readonly place: string;
  /** Digest of the stored bytes that is verified; null where there is none. */
  readonly digest: string | null;
  /** Digest of the tar that the configuration says; null where there is none. */
  readonly diffId: string | null;
  /** Stored bytes there should be; null where not known. */
  readonly bytes: number | null;
  readonly deep: boolean;
  /** Time (as of `Date.now`) after which nothing more is inflated. */
  readonly until: number;
}

/**
 * A layer whose stored bytes are verified need not be hashed unpacked too; where that costs little, it is.
 */
const cheapBytes = 64 * 1024 ** 2;

/** Why inflating ends before the end. */
class Stop extends Error {}

/** Gets the stored bytes of one layer in order. */
export class LayerReader {
  private readonly want: LayerWant;
  private readonly tools: LayerTools;
  private readonly collector: LayerCollector;
  private readonly tar: TarReader;
  private readonly stored: Hasher;
  private readonly storedName: 'sha256' | 'sha512';
  private readonly unpackedName: 'sha256' | 'sha512';
  /** Null where the tar is not hashed. */
  private readonly unpacked: Hasher | null;
  /** The digest of the tar is of another kind than that of the stored bytes. */
  private readonly otherAlgorithm: boolean;
  private inflater: Inflater | null = null;
  /** Beginning of the layer, until it is known how it is packed. */
  private first: Uint8Array | null = null;
  private bytes = 0;
  private unpackedBytes = 0;
  private stopped: string | null = null;
  private failed: ImageError | null = null;
  private packed = true;

  constructor(want: LayerWant, tools: LayerTools) {
    this.want = want;
    this.tools = tools;
    this.collector = new LayerCollector(want.deep);
    this.tar = new TarReader((entry) => {
      if (entry.number > mostMembers) throw new Stop(`more than ${mostMembers} entries`);
      return this.collector.member(entry);
    });
    this.storedName = want.digest === null ? 'sha256' : algorithmOf(want.digest);
    this.stored = tools.hasher(this.storedName);
    this.unpackedName = want.diffId === null ? 'sha256' : algorithmOf(want.diffId);
    const cheap = want.digest === null || want.bytes === null || want.bytes <= cheapBytes;
    this.unpacked = cheap ? tools.hasher(this.unpackedName) : null;
    this.otherAlgorithm = this.unpackedName !== this.storedName;
  }

  /** Takes the next bytes; once the promise is kept the chunk is no longer looked at. */
  async push(chunk: Uint8Array): Promise<void> {
    this.bytes += chunk.length;
    const { bytes } = this.want;
    if (bytes !== null && this.bytes > bytes)
      throw this.damaged(`it has more than the ${bytes} bytes that the manifest says`);
    this.stored.update(chunk);
    if (this.failed !== null || this.stopped !== null) return;
    if (this.inflater === null) {
      if (this.first !== null) this.first = joined([this.first, chunk]);
      else this.first = chunk.length < 8 ? chunk.slice() : chunk;
      if (this.first.length < 8) return;
      this.open();
      const { first } = this;
      this.first = null;
      await this.give(first);
      return;
    }
    await this.give(chunk);
  }

  /**
   * After the last byte.
   * @param cut why the bytes end early although nothing is wrong with them; what was read counts, unverified
   * @throws ImageError where a digest is another one or the content is damaged
   */
  async end(cut: string | null = null): Promise<LayerScan> {
    if (cut !== null) {
      this.stopped ??= `${cut}; the digest was not verified`;
      this.close();
    }
    if (this.first !== null && this.inflater === null) {
      this.open();
      await this.give(this.first);
    }
    const wrong = this.stopped === null && this.failed === null ? ((await this.inflater?.end()) ?? null) : null;
    this.settle();
    this.verifyStored(cut !== null);
    if (wrong !== null) throw this.damaged(wrong);
    if (this.failed !== null && cut === null) throw this.failed;
    if (this.stopped === null) {
      try {
        this.tar.end();
      } catch (error) {
        throw this.damaged((error as Error).message);
      }
    }
    const diffId = this.verifyUnpacked();
    const found = await this.collector.result();
    const left = this.stopped === null ? found.left : [`read up to here: ${this.stopped}`, ...found.left];
    return {
      digest: this.want.digest ?? (cut === null ? `${this.storedName}:${this.storedHex!}` : null),
      diffId,
      bytes: this.bytes,
      unpackedBytes: this.unpackedBytes,
      entries: found.entries,
      whiteouts: found.whiteouts,
      opaque: found.opaque,
      left: left.map((each) => `${this.want.place}: ${each}`),
    };
  }

  /** Ends early: nothing more is inflated. */
  close(): void {
    this.inflater?.close();
  }

  private storedHex: string | null = null;

  private verifyStored(cut: boolean): void {
    this.storedHex = this.stored.digest('hex');
    if (cut) return;
    const found = `${this.storedName}:${this.storedHex}`;
    const { bytes, digest } = this.want;
    if (bytes !== null && this.bytes !== bytes)
      throw this.damaged(`it ends after ${this.bytes} of the ${bytes} bytes that the manifest says`);
    if (digest !== null && found !== digest) throw this.damaged(`its content has the digest ${found}`);
  }

  private verifyUnpacked(): string | null {
    // Where the layer was not read to its end, what it would give is not known.
    if (this.stopped !== null) return null;
    const same = !this.packed && !this.otherAlgorithm;
    if (this.unpacked === null && !same) return null;
    const found = `${this.unpackedName}:${same ? this.storedHex! : this.unpacked!.digest('hex')}`;
    if (this.want.diffId !== null && found !== this.want.diffId)
      throw this.damaged(`unpacked it has the digest ${found}, not ${this.want.diffId} as the configuration says`);
    return found;
  }

  private open(): void {
    const first = this.first!;
    this.inflater = this.tools.inflaterOf(first, (chunk) => {
      if (this.failed !== null || this.stopped !== null) return;
      try {
        this.tarBytes(chunk);
      } catch (error) {
        if (error instanceof Stop) this.stopped = error.message;
        else if (error instanceof TarError) this.failed = this.damaged(error.message);
        else this.failed = error instanceof ImageError ? error : this.damaged(String(error));
        this.inflater?.close();
      }
    });
    this.packed = this.inflater.packed;
  }

  private async give(chunk: Uint8Array): Promise<void> {
    await this.inflater!.push(chunk);
    this.settle();
  }

  /** What was met while inflating ends the inflating; the stored bytes are still hashed. */
  private settle(): void {
    if (this.failed !== null || this.stopped !== null) this.inflater?.close();
  }

  private tarBytes(chunk: Uint8Array): void {
    this.unpackedBytes += chunk.length;
    const { unpackedBytes } = this;
    if (unpackedBytes > bombBytes && unpackedBytes > bombRatio * this.bytes)
      throw new Stop(`it unpacks to more than ${bombRatio} times its size`);
    if (unpackedBytes > mostUnpacked) throw new Stop(`it unpacks to more than ${mostUnpacked / 1024 ** 3} GiB`);
    if (Date.now() > this.want.until) throw new Stop('the time limit was reached');
    // One hash is enough for a layer that is stored as it is.
    if (this.packed || this.otherAlgorithm) this.unpacked?.update(chunk);
    this.tar.push(chunk);
  }

  private damaged(reason: string): ImageError {
    return new ImageError(
      'damaged',
      `${this.want.place}: ${reason}`,
      'the copy is damaged or was changed: pull or save the image again',
    );
  }
}

/** @throws ImageError where the algorithm of a digest is none that images use */
export function algorithmOf(digest: string): 'sha256' | 'sha512' {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return 'sha256';
  if (/^sha512:[0-9a-f]{128}$/.test(digest)) return 'sha512';
  throw new ImageError('damaged', `${JSON.stringify(digest.slice(0, 160))} is no digest`);
}
