// Runs in a thread: reads the layers whose bytes it is sent, one after the other.
import { parentPort } from 'node:worker_threads';
import { ImageError } from './errors.ts';
import { nodeTools } from './inflate.ts';
import { LayerReader } from './layer-reader.ts';
import type { ToWorker, FromWorker } from './layer-workers.ts';

const port = parentPort!;
let reader: LayerReader | null = null;
let work: Promise<void> = Promise.resolve();

const tell = (message: FromWorker): void => port.postMessage(message);

const failed = (error: unknown): void => {
  reader?.close();
  reader = null;
  if (error instanceof ImageError) tell({ kind: 'failed', code: error.code, message: error.message, hint: error.hint });
  else tell({ kind: 'failed', code: 'damaged', message: String(error), hint: null });
};

async function take(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'layer':
      reader = new LayerReader(message.want, nodeTools);
      break;
    case 'bytes':
      await reader?.push(message.bytes);
      // The buffer goes back, to be filled again.
      port.postMessage({ kind: 'taken', bytes: message.bytes } satisfies FromWorker, [
        message.bytes.buffer as ArrayBuffer,
      ]);
      break;
    case 'end':
      if (reader !== null) tell({ kind: 'scan', scan: await reader.end(message.cut) });
      reader = null;
      break;
    case 'drop':
      reader?.close();
      reader = null;
  }
}

port.on('message', (message: ToWorker) => {
  work = work.then(() => take(message)).catch(failed);
});
