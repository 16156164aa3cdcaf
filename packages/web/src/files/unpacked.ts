import { headLength, sniff } from '@culprit/core/text/sniff';
import { bytesAt, chunksOf } from './blob-bytes.ts';
import { browserUnpacker } from './unpackers.ts';

/** From this size on, what unpacks to more than so many times its size is made to do harm. */
const bombBytes = 4 * 1024 ** 3;
const bombRatio = 400;

/** Ends the reading early. */
class Enough extends Error {}

/**
 * Hands on the bytes of a file, unpacked where it is packed.
 * @param take gives false where no more is wanted
 * @param passed is told how many bytes of the file were read
 * @returns what is wrong with the packed data, or why it was not read to its end; null if nothing
 * @throws Error where a browser does not unpack it
 */
export async function unpackedInto(
  file: Blob,
  take: (chunk: Uint8Array) => boolean | Promise<boolean>,
  passed: (bytes: number) => void = () => {},
): Promise<string | null> {
  const kind = sniff(await bytesAt(file, 0, headLength));
  let done = 0;
  let unpacked = 0;
  try {
    if (kind.kind !== 'compressed') {
      for await (const chunk of chunksOf(file)) {
        done += chunk.length;
        passed(done);
        if (!(await take(chunk))) return null;
      }
      return null;
    }
    const unpacker = await browserUnpacker(kind.format, async (chunk) => {
      unpacked += chunk.length;
      if (unpacked > bombBytes && unpacked > bombRatio * done)
        throw new Enough(`it unpacks to more than ${bombRatio} times its size; read up to there`);
      if (!(await take(chunk))) throw new Enough('');
    });
    for await (const chunk of chunksOf(file)) {
      done += chunk.length;
      passed(done);
      await unpacker.push(chunk);
    }
    return await unpacker.end();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    return error.message === '' ? null : error.message;
  }
}

/** The first bytes of what a file holds, unpacked. */
export async function unpackedHead(file: Blob, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const head = new Uint8Array(most);
  let filled = 0;
  try {
    await unpackedInto(file, (chunk) => {
      const part = chunk.subarray(0, most - filled);
      head.set(part, filled);
      filled += part.length;
      return filled < most;
    });
  } catch {
    // Whoever reads the file says why it cannot be unpacked.
  }
  return head.subarray(0, filled);
}
