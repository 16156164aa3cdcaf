// What a kubelet does behind `kubectl exec` and `kubectl attach`: a process whose streams go through a WebSocket
// (v5.channel.k8s.io, kubectl 1.31 and later). And of the protocol buffers that kubectl sends what a pod starts.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';

const protocol = 'v5.channel.k8s.io';
const handshake = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function frame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length;
  const head =
    length < 126
      ? Buffer.from([0x80 | opcode, length])
      : length < 65_536
        ? Buffer.from([0x80 | opcode, 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([0x80 | opcode, 127, 0, 0, 0, 0]), Buffer.alloc(4)]);
  if (length >= 65_536) head.writeUInt32BE(length, 6);
  return Buffer.concat([head, payload]);
}

/** Whole messages of a client, unmasked. */
function* framesOf(state: { rest: Buffer }): Generator<{ readonly opcode: number; readonly payload: Buffer }> {
  for (;;) {
    const { rest } = state;
    if (rest.length < 2) return;
    let length = rest[1]! & 127;
    let at = 2;
    if (length === 126) {
      if (rest.length < 4) return;
      length = rest.readUInt16BE(2);
      at = 4;
    } else if (length === 127) {
      if (rest.length < 10) return;
      length = Number(rest.readBigUInt64BE(2));
      at = 10;
    }
    if (rest.length < at + 4 + length) return;
    const mask = rest.subarray(at, at + 4);
    const payload = Buffer.from(rest.subarray(at + 4, at + 4 + length));
    for (let i = 0; i < payload.length; i++) payload[i]! ^= mask[i % 4]!;
    state.rest = rest.subarray(at + 4 + length);
    yield { opcode: rest[0]! & 15, payload };
  }
}

/**
 * Answers `exec` and `attach` of a server.
 * @param commandOf what to run; null for no such container; the reason where it cannot be started
 */
export function serveStreams(server: Server, commandOf: (url: URL) => readonly string[] | null): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const url = new URL(request.url!, 'http://x');
    const command = commandOf(url);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, ?/);
    if (command === null || !offered.includes(protocol)) {
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']!}${handshake}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    const send = (channel: number, data: Buffer): boolean =>
      socket.write(frame(2, Buffer.concat([Buffer.from([channel]), data])));
    const close = (status: unknown): void => {
      send(3, Buffer.from(JSON.stringify(status)));
      socket.end(frame(8, Buffer.from([0x03, 0xe8])));
    };
    const [program = 'sh', ...args] = command;
    const child = spawn(program, args, { env: { PATH: process.env['PATH'] }, cwd: '/', detached: true });
    child.on('error', (error) => {
      close({
        metadata: {},
        status: 'Failure',
        reason: 'InternalError',
        message: `OCI runtime exec failed: exec failed: unable to start container process: ${error.message}`,
      });
    });
    child.stdin.on('error', () => undefined);
    for (const [channel, stream] of [
      [1, child.stdout],
      [2, child.stderr],
    ] as const)
      stream.on('data', (data: Buffer) => {
        if (send(channel, data)) return;
        stream.pause();
        socket.once('drain', () => stream.resume());
      });
    child.on('close', (code, signal) => {
      const exit = code ?? (signal === 'SIGKILL' ? 137 : 143);
      close(
        exit === 0
          ? { metadata: {}, status: 'Success' }
          : {
              metadata: {},
              status: 'Failure',
              reason: 'NonZeroExitCode',
              message: `command terminated with non-zero exit code: exit status ${exit}`,
              details: { causes: [{ reason: 'ExitCode', message: String(exit) }] },
            },
      );
    });
    const state = { rest: Buffer.alloc(0) };
    socket.on('data', (data: Buffer) => {
      state.rest = Buffer.concat([state.rest, data]);
      for (const { opcode, payload } of framesOf(state)) {
        if (opcode === 9) socket.write(frame(10, payload));
        else if (opcode === 8) socket.end();
        else if (payload[0] === 0) child.stdin.write(payload.subarray(1));
        else if (payload[0] === 255 && payload[1] === 0) child.stdin.end();
      }
    });
    const gone = (): void => {
      child.stdin.end();
      // With all that it started: nothing of a test stays behind.
      if (child.pid !== undefined && child.exitCode === null) spawnSync('kill', ['-9', '--', `-${child.pid}`]);
    };
    socket.on('error', gone);
    socket.on('end', gone);
    socket.on('close', gone);
  });
}

type Fields = ReadonlyMap<number, readonly Buffer[]>;

/** Fields of a message of protocol buffers that have a length: strings and messages. */
function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; at < bytes.length; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag % 8 === 0) varint();
    else if (tag % 8 === 2) {
      const length = varint();
      const field = Math.floor(tag / 8);
      fields.set(field, [...(fields.get(field) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    } else at += tag % 8 === 1 ? 8 : 4;
  }
  return fields;
}

/** Command and arguments of the first container of a pod that kubectl sends. */
export function commandOfPod(body: Buffer): readonly string[] {
  if (body[0] === 0x7b) {
    const { spec } = JSON.parse(body.toString()) as {
      spec: { containers: { command?: string[]; args?: string[] }[] };
    };
    return [...(spec.containers[0]!.command ?? []), ...(spec.containers[0]!.args ?? [])];
  }
  // "k8s\0", then an envelope whose second field is the pod: spec 2, containers 2, command 3, args 4.
  const pod = fieldsOf(fieldsOf(body.subarray(4)).get(2)![0]!);
  const container = fieldsOf(fieldsOf(pod.get(2)![0]!).get(2)![0]!);
  return [...(container.get(3) ?? []), ...(container.get(4) ?? [])].map((each) => each.toString());
}
