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
};

const reply = (message: Reply): void => postMessage(message);

addEventListener('message', (event: MessageEvent<Request>) => {
  const { id, ask, question } = event.data;
  void (async () => {
    try {
      const answer = (await answerers[ask]()) as Answerer<Ask>;
      reply({ id, answer: await answer(question, (progress) => reply({ id, progress })) });
    } catch (error) {
      reply({ id, error: error instanceof Error ? error.message : String(error) });
    }
  })();
});
