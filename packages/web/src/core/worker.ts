import type { Answerer, Ask, Reply, Request } from './protocol.ts';

/** Answers are found here, away from the thread that draws; the code of each is fetched when it is first asked. */
const answerers: { readonly [Name in Ask]: () => Promise<Answerer<Name>> } = {
  diagnose: async () => (await import('./asks/diagnose.ts')).answer,
  stack: async () => (await import('./asks/diagnose.ts')).emptyStack,
  launch: async () => (await import('./asks/launch.ts')).answer,
  choices: async () => (await import('./asks/judge.ts')).choices,
  judge: async () => (await import('./asks/judge.ts')).answer,
  matrix: async () => (await import('./asks/judge.ts')).table,
  calendar: async () => (await import('./asks/judge.ts')).calendar,
  share: async () => (await import('./asks/share.ts')).answer,
  inspect: async () => (await import('./asks/inspect.ts')).answer,
  util: async () => (await import('./asks/util.ts')).answer,
  trace: async () => (await import('./asks/trace.ts')).answer,
  memory: async () => (await import('./asks/memory.ts')).answer,
  managed: async () => (await import('./asks/scenes.ts')).managed,
  copies: async () => (await import('./asks/scenes.ts')).copies,
  streams: async () => (await import('./asks/scenes.ts')).streams,
  libcuda: async () => (await import('./asks/set-ups.ts')).libcuda,
  mismatch: async () => (await import('./asks/set-ups.ts')).mismatch,
};

const reply = (message: Reply, transfer: readonly ArrayBuffer[] = []): void =>
  postMessage(message, { transfer: [...transfer] });

addEventListener('message', (event: MessageEvent<Request>) => {
  const { id, ask, question } = event.data;
  void (async () => {
    try {
      const answer = (await answerers[ask]()) as Answerer<Ask>;
      const given = await answer(question, (progress) => reply({ id, progress }));
      reply({ id, answer: given }, 'transfer' in given ? given.transfer : []);
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  })();
});
